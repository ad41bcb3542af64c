import { err, ok, type Result } from '../../../shared/result.js';
import { type Claims, type ClaimValue, isClaims } from '../../tokens/claims.js';

/** Roles of one user, at most. */
export const maximumRoles = 256;
/** UTF-16 code units of a role, at most. */
export const maximumRoleLength = 256;

const memberOf = (value: ClaimValue | undefined, name: string): ClaimValue | undefined =>
  isClaims(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The claim of that very name, dots and all; where there is none, the one that the path leads to. */
export const claimAt = (claims: Claims, path: string): ClaimValue | undefined => {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: ClaimValue | undefined = claims;
  for (const name of path.split('.')) value = memberOf(value, name);
  return value;
};

/** Texts between spaces and commas. */
const split = (text: string): readonly string[] => text.split(' ').flatMap((part) => part.split(','));

/** Whether the path leads through something that has no members: then nobody can say which roles were meant. */
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

/** Null where it is something else than a list of texts. */
const listed = (claim: ClaimValue | undefined): readonly string[] | null => {
  if (claim === undefined || claim === null) return [];
  if (typeof claim === 'string') return split(claim);
  return Array.isArray(claim) && claim.every((item) => typeof item === 'string') ? claim : null;
};

/**
 * The roles that a claim lists, each once, in its order: a text with spaces or commas between them, or an array of
 * texts. There are none where there is no claim, or null. `roles_unusable`: it is something else, an array with
 * another item too; or what leads to it is no object; or there are too many roles, or one is too long. To leave some
 * out could lift a ban.
 *
 * @param path name of the claim, or names joined with dots that lead to it; null: there are no roles
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
