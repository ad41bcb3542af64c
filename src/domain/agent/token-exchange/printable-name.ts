import { isWellFormed } from '../../shared/utf8.js';

/** Maximum characters of `scope`. */
const maximumScopeLength = 4096;
/** Maximum scopes of a request, including duplicates. */
const maximumScopes = 64;

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is one scope (RFC 6749, section 3.3). */
export const isScope = (text: string): boolean => scopeToken.test(text);

/**
 * Parses `scope` strictly (RFC 6749, section 3.3): scopes separated by single spaces, without duplicates; keeps their
 * order. Null: invalid.
 */
export const parseScopeList = (text: string): readonly string[] | null => {
  if (text.length > maximumScopeLength) return null;
  const scopes = text.split(' ');
  if (scopes.length > maximumScopes || !scopes.every(isScope)) return null;
  return [...new Set(scopes)];
};

/** Maximum characters of a client id. */
export const maximumClientIdLength = 256;

/** Printable ASCII (RFC 6749, appendix A.1). */
const printable = /^[\x20-\x7e]+$/;

/** Whether a text can be a client id. */
export const isClientId = (text: string): boolean => text.length <= maximumClientIdLength && printable.test(text);

/** Maximum characters of a name. */
export const maximumPrintableNameLength = 1024;

/**
 * Excludes control characters, line ends, and characters that change the text direction, because logs show the names.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be the name of an audience or claim. */
export const isPrintableName = (text: string): boolean =>
  text !== '' && text.length <= maximumPrintableNameLength && isWellFormed(text) && !unprintable.test(text);
