import type { DocumentRejection } from '../saml/document-rejection.js';
import { markupFault, type ShapeLimits } from './markup-shape.js';
import { hasXmlCharactersOnly } from './xml-characters.js';

/** What metadata may have at most. */
export const metadataLimits: ShapeLimits = {
  characters: 4_194_304,
  elements: 200_000,
  depth: 64,
  attributes: 64,
  allAttributes: 400_000,
};

/**
 * Looks at the text of metadata before any parser does, as `documentShapeFault` does for messages; comments, CDATA
 * sections and processing instructions may be there, a DTD and entities may not. Linear in the text.
 */
export const metadataShapeFault = (text: string, limits: ShapeLimits = metadataLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, true);
};

/**
 * What a Response, or an assertion that was encrypted, may have at most: room for somebody who is in a thousand
 * groups.
 */
export const responseLimits: ShapeLimits = {
  characters: 1_048_576,
  elements: 4000,
  depth: 64,
  attributes: 32,
  allAttributes: 8000,
};

/** What a message of single logout may have at most: a name and some indexes of sessions are in it. */
export const logoutLimits: ShapeLimits = {
  characters: 65_536,
  elements: 300,
  depth: 64,
  attributes: 32,
  allAttributes: 1000,
};

/**
 * Looks at the text of a SAML message before any parser does, and gives the reason to refuse it, or null. What is
 * left is XML that no two parsers can read differently: well-formed, with its namespaces, without a DTD, entities,
 * comments, CDATA sections and processing instructions. Linear in the text.
 */
export const documentShapeFault = (text: string, limits: ShapeLimits = responseLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  // INVARIANT: whatever the scan takes for an attribute or for text, these are nowhere.
  if (text.includes('<!') || text.indexOf('<?', 1) >= 0) return 'document_markup';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, false);
};
