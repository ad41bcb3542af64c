/**
 * Every way to authenticate, as X-Auth-Method names it, in the order in which they are tried: the first that succeeds
 * wins, and one that fails is not the end.
 */
export const authenticationMethods = ['mtls', 'saml', 'oidc', 'jwt', 'api_key', 'basic'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];

/** Less than zero where `first` is tried before `second`. */
export const comparePrecedence = (first: AuthenticationMethod, second: AuthenticationMethod): number =>
  authenticationMethods.indexOf(first) - authenticationMethods.indexOf(second);
