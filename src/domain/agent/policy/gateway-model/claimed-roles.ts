import { err, ok, type Result } from '../../../shared/result.js';
import { type Claims, type ClaimValue, isClaims } from '../../tokens/claims.js';

/** Maximum number of roles of one user. */
export const maximumRoles = 256;
/** Maximum length of a role, in UTF-16 code units. */
export const maximumRoleLength = 256;

const memberOf = (value: ClaimValue | undefined, name: string): ClaimValue | undefined =>
  isClaims(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The claim with exactly this name, dots included; otherwise the claim at the dotted path. */
export const claimAt = (claims: Claims, path: string): ClaimValue | undefined => {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: ClaimValue | undefined = claims;
  for (const name of path.split('.')) value = memberOf(value, name);
  return value;
};

/** Splits at spaces and commas. */
const split = (text: string): readonly string[] => text.split(' ').flatMap((part) => part.split(','));

/** Whether a value on the path is not an object: the intended roles are then unknown. */
const isBlocked = (claims: Claims, path: string): boolean => {
  if (Object.hasOwn(claims, path)) return false;
  let value: ClaimValue | undefined = claims;
  for (const name of path.split('.')) {
    if (value === undefined || value === null) return false;
    if (!isClaims(value)) return true;
    value = memberOf(value, name);
  }
  return false;
};

/** Null for anything else than a string or a list of strings. */
const listed = (claim: ClaimValue | undefined): readonly string[] | null => {
  if (claim === undefined || claim === null) return [];
  if (typeof claim === 'string') return split(claim);
  return Array.isArray(claim) && claim.every((item) => typeof item === 'string') ? claim : null;
};

/**
 * The distinct roles in a claim, in its order. The claim is a string, split at spaces and commas, or an array of
 * strings. A missing or null claim gives no roles. `roles_unusable`: the claim has another type or contains a
 * non-string, a value on the path is not an object, or there are too many roles, or one is too long. Dropping roles
 * silently could lift a ban.
 *
 * @param path name of the claim or a dotted path to it; null if there are no roles
 */
export const claimedRoles = (
  claims: Claims | null,
  path: string | null,
): Result<readonly string[], 'roles_unusable'> => {
  if (claims === null || path === null) return ok([]);
  const all = listed(claimAt(claims, path));
  if (all === null || isBlocked(claims, path)) return err('roles_unusable');
  const roles = new Set<string>();
  for (const role of all) {
    if (role === '') continue;
    if (role.length > maximumRoleLength) return err('roles_unusable');
    roles.add(role);
    if (roles.size > maximumRoles) return err('roles_unusable');
  }
  return ok([...roles]);
};
