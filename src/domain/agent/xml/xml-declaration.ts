import type { DocumentRejection } from '../saml/document-rejection.js';

/** Far more than a declaration needs. */
const greatestLength = 128;
const space = '[ \\t\\r\\n]';
const equals = `${space}*=${space}*`;
const declaration = new RegExp(
  `^<\\?xml${space}+version${equals}(?:"1\\.0"|'1\\.0')` +
    `(?:${space}+encoding${equals}(?:"([A-Za-z0-9._-]+)"|'([A-Za-z0-9._-]+)'))?` +
    `(?:${space}+standalone${equals}(?:"(?:yes|no)"|'(?:yes|no)'))?${space}*\\?>$`,
);

/**
 * Where the document goes on after its XML declaration (XML 1.0, section 2.8), 0 where it has none. Refused: one that is not of
 * version 1.0, and one that names another encoding than UTF-8, as which the octets have been read.
 */
export const declarationFault = (text: string): number | DocumentRejection => {
  // `<?xml-stylesheet` is a processing instruction, and no declaration.
  if (!/^<\?xml[ \t\r\n?]/.test(text.slice(0, 6))) return 0;
  // INVARIANT: the expression sees a text of bounded length.
  const end = text.slice(0, greatestLength).indexOf('?>') + 2;
  const found = declaration.exec(text.slice(0, end));
  if (found === null) return 'document_markup';
  const encoding = found[1] ?? found[2];
  return encoding === undefined || encoding.toLowerCase() === 'utf-8' ? end : 'document_encoding';
};
