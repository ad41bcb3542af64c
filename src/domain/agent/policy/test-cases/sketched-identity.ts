import { err, ok, type Result } from '../../../shared/result.js';
import type { Identity } from '../../identity/identity.js';
import { type AuthenticationMethod, authenticationMethods } from '../../identity/request-credentials.js';
import { type Claims, type ClaimValue, isClaims } from '../../tokens/claims.js';
import { claimAt } from '../gateway-model/claimed-roles.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';

/** The authentication methods that a test case can use: all of them, those with claims first. */
export const sketchedMethods: readonly [AuthenticationMethod, ...AuthenticationMethod[]] = [
  'jwt',
  'oidc',
  'saml',
  ...authenticationMethods.filter((method) => method !== 'jwt' && method !== 'oidc' && method !== 'saml'),
];

/** The principal of a request as described in a test case or on the command line. */
export interface PrincipalSketch {
  /** Null if the claims contain the id. */
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly claims: Claims;
  readonly method: AuthenticationMethod;
}

/** `fromEntries` creates an own property for every name, including `__proto__`. */
const withMember = (claims: Claims, name: string, value: ClaimValue): Claims =>
  Object.fromEntries([...Object.entries(claims).filter(([other]) => other !== name), [name, value]]);

/** The claims with one more; null if a value on the path is not an object. */
const withClaim = (claims: Claims, path: readonly string[], value: ClaimValue): Claims | null => {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return withMember(claims, first, value);
  const inner = Object.hasOwn(claims, first) ? claims[first] : {};
  const changed = isClaims(inner) ? withClaim(inner, rest, value) : null;
  return changed === null ? null : withMember(claims, first, changed);
};

/** An attribute with one value is a string, one with several a list of strings; null for any other value. */
const attributeValue = (value: ClaimValue | undefined): ClaimValue | null => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return null;
  return value.length === 1 ? (value[0] as string) : value;
};

/** The claims as SAML attributes: flat, with string values only. */
const attributeClaims = (claims: Claims): Result<Claims, string> => {
  const entries: [string, ClaimValue][] = [];
  for (const [name, claim] of Object.entries(claims)) {
    const value = attributeValue(claim);
    if (value === null)
      return err(`SAML attributes are strings: write the claim "${name}" as a string or a list of strings`);
    entries.push([name, value]);
  }
  return ok(Object.fromEntries(entries));
};

const samlIdentity = ({ id, roles, claims }: PrincipalSketch, rolesClaim: string | null): Result<Identity, string> => {
  if (id === null) return err('the principal needs an id');
  const [only, ...others] = roles;
  if (only !== undefined && others.length === 0 && /[ ,]/.test(only)) {
    return err(
      `SAML gives a single value as text, which is split at spaces and commas: "${only}" would be several roles`,
    );
  }
  // Attributes are flat: a claim name with dots is one attribute name.
  const all = roles.length === 0 ? ok(claims) : withRoles(claims, roles, rolesClaim, (name) => [name]);
  const attributes = all.ok ? attributeClaims(all.value) : all;
  return attributes.ok ? ok({ method: 'saml', userId: id, claims: attributes.value, certificate: null }) : attributes;
};

/**
 * The identity that an agent would derive for this principal. For tokens the id and the roles become claims, where the
 * agent reads them. For SAML the roles become an attribute. Other credentials have neither claims nor roles. The error
 * is one clause.
 */
export const sketchedIdentity = (
  sketch: PrincipalSketch,
  { principalClaim, rolesClaim }: PrincipalOptions,
): Result<Identity, string> => {
  const { id, roles, claims, method } = sketch;
  if (method === 'saml') return samlIdentity(sketch, rolesClaim);
  if (method !== 'jwt' && method !== 'oidc') {
    if (roles.length > 0) return err(`${method} has no roles: roles are claims of a token or attributes of SAML`);
    if (Object.keys(claims).length > 0) return err(`${method} has no claims: only tokens and SAML have claims`);
    if (id === null) return err('the principal needs an id');
    return ok({ method, userId: id, claims: null, certificate: null });
  }
  const named = id === null ? ok(claims) : withId(claims, id, principalClaim);
  if (!named.ok) return named;
  const all = roles.length === 0 ? named : withRoles(named.value, roles, rolesClaim);
  if (!all.ok) return all;
  const subject = claimAt(all.value, 'sub');
  return ok({ method, userId: typeof subject === 'string' ? subject : '', claims: all.value, certificate: null });
};

const withId = (claims: Claims, id: string, name: string): Result<Claims, string> =>
  Object.hasOwn(claims, name)
    ? err(`the principal is given twice: the claim "${name}" also gives the id`)
    : ok(withMember(claims, name, id));

const withRoles = (
  claims: Claims,
  roles: readonly string[],
  name: string | null,
  pathOf = (path: string): readonly string[] => path.split('.'),
): Result<Claims, string> => {
  if (name === null) return err('set roles-claim: without it no principal has roles');
  if (claimAt(claims, name) !== undefined)
    return err(`the roles are given twice: the claim "${name}" also gives roles`);
  const changed = withClaim(claims, pathOf(name), roles);
  return changed === null ? err(`a value on the path is not an object: cannot add the claim "${name}"`) : ok(changed);
};
