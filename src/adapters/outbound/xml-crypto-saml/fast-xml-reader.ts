import { XMLParser } from 'fast-xml-parser';
import { metadataLimits, metadataShapeFault } from '../../../domain/agent/xml/metadata-shape.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { resolveNames } from './resolve-names.js';

/**
 * Nothing is replaced, trimmed or made a number: references and namespaces are resolved here, and CDATA is told apart from
 * text, in which `&amp;` would be another thing.
 */
const parser = new XMLParser({
  preserveOrder: true,
  processEntities: false,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  textNodeName: '#text',
  cdataPropName: '#cdata',
  maxNestedTags: metadataLimits.depth + 1,
  onDangerousProperty: () => {
    throw new Error('a name that objects here cannot have');
  },
});

/** Reads XML with fast-xml-parser. It is lenient: for what has been proven, or parsed strictly before. */
export class FastXmlReader {
  /** The error is one clause. */
  read(text: string): Result<XmlElement, string> {
    const fault = metadataShapeFault(text);
    if (fault !== null) return err(`is refused: ${fault}`);
    try {
      const root = resolveNames(parser.parse(text, true));
      return root === null ? err('is no XML document with one root and names that are declared') : ok(root);
    } catch {
      // The message of the parser would show what is in the document.
      return err('is no well-formed XML');
    }
  }
}
