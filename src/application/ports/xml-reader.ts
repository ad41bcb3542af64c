import type { Result } from '../../domain/shared/result.js';
import type { XmlElement } from '../../domain/xml/xml-element.js';

/** Reads XML that may be believed, such as metadata: DTDs are refused, size and depth bounded. The error is one clause. */
export interface XmlReader {
  read(text: string): Result<XmlElement, string>;
}
