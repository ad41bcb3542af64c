const scheme = 'bearer ';

/**
 * The token of an Authorization header (RFC 6750, section 2.1), or null where there is none, or more than one header:
 * which of several is meant is not for guessing.
 */
export const bearerToken = (authorizations: readonly string[]): string | null => {
  const [value] = authorizations;
  if (value === undefined || authorizations.length > 1) return null;
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) return null;
  const token = value.slice(scheme.length).trim();
  return token === '' ? null : token;
};
