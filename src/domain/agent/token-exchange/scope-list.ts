/** Characters of `scope`, at the most. */
export const maximumScopeLength = 4096;
/** Scopes of a request, at the most; repeated ones count. */
export const maximumScopes = 64;

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is one scope (RFC 6749, section 3.3). */
export const isScope = (text: string): boolean => scopeToken.test(text);

/** Reads `scope` strictly (RFC 6749, section 3.3): scopes with one space between each, each given once, in their order. Null: it is none. */
export const parseScopeList = (text: string): readonly string[] | null => {
  if (text.length > maximumScopeLength) return null;
  const scopes = text.split(' ');
  if (scopes.length > maximumScopes || !scopes.every(isScope)) return null;
  return [...new Set(scopes)];
};
