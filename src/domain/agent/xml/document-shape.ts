import type { DocumentRejection } from '../saml/document-rejection.js';
import { markupFault, type ShapeLimits } from './markup-shape.js';
import { hasXmlCharactersOnly } from './xml-characters.js';

/** Limits of metadata. */
export const metadataLimits: ShapeLimits = {
  characters: 4_194_304,
  elements: 200_000,
  depth: 64,
  attributes: 64,
  allAttributes: 400_000,
};

/**
 * Checks the text of metadata before parsing, like `documentShapeFault`. Comments, CDATA sections and processing
 * instructions are allowed; a DTD and entities are not. Linear in the text.
 */
export const metadataShapeFault = (text: string, limits: ShapeLimits = metadataLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, true);
};

/** Limits of a Response or a decrypted assertion: room for a user in a thousand groups. */
export const responseLimits: ShapeLimits = {
  characters: 1_048_576,
  elements: 4000,
  depth: 64,
  attributes: 32,
  allAttributes: 8000,
};

/** Limits of a logout message, which contains a name and some session indexes. */
export const logoutLimits: ShapeLimits = {
  characters: 65_536,
  elements: 300,
  depth: 64,
  attributes: 32,
  allAttributes: 1000,
};

/**
 * Checks the text of a SAML message before parsing; the reason to refuse it, or null. What passes is XML that all
 * parsers read alike: well-formed with namespaces, without DTD, entities, comments, CDATA sections and processing
 * instructions. Linear in the text.
 */
export const documentShapeFault = (text: string, limits: ShapeLimits = responseLimits): DocumentRejection | null => {
  if (text.length > limits.characters) return 'document_too_large';
  // INVARIANT: these occur nowhere, neither in what the scan takes for text nor for an attribute.
  if (text.includes('<!') || text.indexOf('<?', 1) >= 0) return 'document_markup';
  if (!hasXmlCharactersOnly(text)) return 'document_not_well_formed';
  return markupFault(text, limits, false);
};
