import type { AuthenticationMethod } from '../../identity/authentication-method.js';
import type { Identity } from '../../identity/identity.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type Claims, type ClaimValue, isClaims } from '../../tokens/claims.js';
import { claimAt } from '../gateway-model/claimed-roles.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';

/** Methods that requests of tests may have been authenticated by. */
export const sketchedMethods = [
  'jwt',
  'oidc',
  'mtls',
  'api_key',
  'basic',
] as const satisfies readonly AuthenticationMethod[];

/** Who makes a request, as a person writes it down. */
export interface PrincipalSketch {
  /** Null: the claims say who it is. */
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly claims: Claims;
  readonly method: (typeof sketchedMethods)[number];
}

/** `fromEntries` makes own members of every name, `__proto__` included. */
const withMember = (claims: Claims, name: string, value: ClaimValue): Claims =>
  Object.fromEntries([...Object.entries(claims).filter(([other]) => other !== name), [name, value]]);

/** The claims with one more; null where what is on the way to it is no object. */
const withClaim = (claims: Claims, path: readonly string[], value: ClaimValue): Claims | null => {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return withMember(claims, first, value);
  const inner = Object.hasOwn(claims, first) ? claims[first] : {};
  const changed = isClaims(inner) ? withClaim(inner, rest, value) : null;
  return changed === null ? null : withMember(claims, first, changed);
};

/**
 * The identity that an agent would have of such a caller. For tokens the id and the roles become claims, since it is there that the
 * agent looks for them; other credentials have neither claims nor roles. The error is one clause.
 */
export const sketchedIdentity = (
  { id, roles, claims, method }: PrincipalSketch,
  { principalClaim, rolesClaim }: PrincipalOptions,
): Result<Identity, string> => {
  if (method !== 'jwt' && method !== 'oidc') {
    if (roles.length > 0) return err(`${method} gives no roles: they are claims of a token`);
    if (Object.keys(claims).length > 0) return err(`${method} gives no claims: a token has them`);
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
    ? err(`the principal is given twice: the claim "${name}" says who it is, too`)
    : ok(withMember(claims, name, id));

const withRoles = (claims: Claims, roles: readonly string[], name: string | null): Result<Claims, string> => {
  if (name === null) return err('there is no roles-claim, so that nobody has roles');
  if (claimAt(claims, name) !== undefined) return err(`the roles are given twice: the claim "${name}" has some, too`);
  const changed = withClaim(claims, name.split('.'), roles);
  return changed === null ? err(`the claims have no place for the claim "${name}"`) : ok(changed);
};
