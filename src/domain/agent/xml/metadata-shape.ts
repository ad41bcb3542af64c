import type { DocumentRejection } from '../saml/document-rejection.js';
import { markupFault, type ShapeLimits } from './markup-shape.js';
import { hasXmlCharactersOnly } from './xml-characters.js';

/** What metadata may have at the most. */
export const metadataLimits: ShapeLimits = {
  characters: 4_194_304,
  elements: 200_000,
  depth: 64,
  attributes: 64,
  allAttributes: 400_000,
};

/**
 * Looks at the text of metadata before any parser does, as `documentShapeFault` does for messages; comments, CDATA sections and
 * processing instructions may be there, a DTD and entities may not. Linear in the text.
 */
export const metadataShapeFault = (text: string, limits: ShapeLimits = metadataLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, true);
};
