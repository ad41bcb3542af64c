import { isWellFormed } from '../../shared/utf8.js';

/** Characters of `scope`, at most. */
const maximumScopeLength = 4096;
/** Scopes of a request, at most; repeated ones count. */
const maximumScopes = 64;

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is one scope (RFC 6749, section 3.3). */
export const isScope = (text: string): boolean => scopeToken.test(text);

/**
 * Reads `scope` strictly (RFC 6749, section 3.3): scopes with one space between each, each given once, in their
 * order. Null: it is none.
 */
export const parseScopeList = (text: string): readonly string[] | null => {
  if (text.length > maximumScopeLength) return null;
  const scopes = text.split(' ');
  if (scopes.length > maximumScopes || !scopes.every(isScope)) return null;
  return [...new Set(scopes)];
};

/** Characters of a client id, at most. */
export const maximumClientIdLength = 256;

/** Printable ASCII (RFC 6749, appendix A.1). */
const printable = /^[\x20-\x7e]+$/;

/** Whether a text can be the id of a client. */
export const isClientId = (text: string): boolean => text.length <= maximumClientIdLength && printable.test(text);

/** Characters of a name, at most. */
export const maximumPrintableNameLength = 1024;

/** Neither controls nor what breaks lines, nor what turns the direction of a text around: logs show it. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be the name of an audience or of a claim. */
export const isPrintableName = (text: string): boolean =>
  text !== '' && text.length <= maximumPrintableNameLength && isWellFormed(text) && !unprintable.test(text);
