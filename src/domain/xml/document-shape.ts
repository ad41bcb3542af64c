import type { DocumentRejection } from '../saml/document-rejection.js';
import { markupFault, type ShapeLimits } from './markup-shape.js';
import { hasXmlCharactersOnly } from './xml-characters.js';

/** What a SAML message may have at the most. */
export const documentLimits: ShapeLimits = { characters: 1_048_576, elements: 10_000, depth: 64, attributes: 64 };

/**
 * Looks at the text of a SAML message before any parser does, and gives the reason to refuse it, or null. What is left is XML
 * that no two parsers can read differently: well-formed, with its namespaces, without a DTD, entities, comments, CDATA
 * sections and processing instructions. Linear in the text.
 */
export const documentShapeFault = (text: string, limits: ShapeLimits = documentLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  // INVARIANT: whatever the scan takes for an attribute or for text, these are nowhere.
  if (text.includes('<!') || text.indexOf('<?', 1) >= 0) return 'document_markup';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, false);
};
