import type { KeyObject } from 'node:crypto';
import type { DocumentRejection } from '../../../domain/saml/document-rejection.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { metadataShapeFault } from '../../../domain/xml/metadata-shape.js';
import { signedOctets } from './signed-octets.js';
import { parseStrictly } from './strict-document.js';

/** Octets of metadata that may be believed: those that are signed, or with no keys (null) the text, once it has been found in order. */
export const verifyMetadataText = (
  text: string,
  keys: readonly KeyObject[] | null,
): Result<string, DocumentRejection> => {
  const fault = metadataShapeFault(text);
  if (fault !== null) return err(fault);
  const document = parseStrictly(text);
  if (!document.ok) return document;
  return keys === null ? ok(text) : signedOctets(text, document.value.element, keys);
};
