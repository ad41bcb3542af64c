import { err, ok, type Result } from '../../../shared/result.js';
import { maximumJsonDepth } from '../../../shared/strict-json.js';
import { type Identity, isUsableSubject } from '../../identity/identity.js';
import { type Claims, type ClaimValue, isClaims, SpelledNumber } from '../../tokens/claims.js';
import type { Entity } from '../evaluate/authorization-request.js';
import { entityKey, entityUid } from '../values/entity-uid.js';
import { emptyRecord, recordOf } from '../values/record-value.js';
import { setOf } from '../values/set-value.js';
import type { EntityUid, RecordValue, SetValue, Value } from '../values/value.js';
import { claimedRoles } from './claimed-roles.js';

/** Adding zero turns -0 into 0. */
const numberValue = (claim: number): Value => (Number.isSafeInteger(claim) ? claim + 0 : String(claim));

const isArray = (claim: ClaimValue): claim is readonly ClaimValue[] => Array.isArray(claim);

const arrayValue = (items: readonly ClaimValue[], depth: number): Value => {
  const values: Value[] = [];
  for (const item of items) {
    const value = claimValue(item, depth);
    if (value !== undefined) values.push(value);
  }
  return setOf(values);
};

const objectValue = (claims: Claims, depth: number): RecordValue => {
  const entries: (readonly [string, Value])[] = [];
  for (const [name, claim] of Object.entries(claims)) {
    const value = claimValue(claim, depth);
    if (value !== undefined) entries.push([name, value]);
  }
  return recordOf(entries);
};

/** Undefined if policies see no value. */
const claimValue = (claim: ClaimValue, depth: number): Value | undefined => {
  if (typeof claim === 'string' || typeof claim === 'boolean' || typeof claim === 'bigint') return claim;
  if (typeof claim === 'number') return numberValue(claim);
  if (claim instanceof SpelledNumber) return claim.text;
  // INVARIANT: the token parser refuses deeper nesting, so nothing is lost here.
  if (depth >= maximumJsonDepth) return undefined;
  if (isArray(claim)) return arrayValue(claim, depth + 1);
  return isClaims(claim) ? objectValue(claim, depth + 1) : undefined;
};

/**
 * Converts claims to a Cedar record. An array becomes a set, an object a record, even with keys such as `__entity` and
 * `__extn`: no claim ever becomes an entity or an extension value. A null is dropped, in arrays too. A number that is
 * not a 64-bit integer becomes a string.
 */
export const claimsRecord = (claims: Claims | null): RecordValue =>
  claims === null ? emptyRecord : objectValue(claims, 1);

/** The principal of a request. Created once per identity and reused for all its requests. */
export interface GatewayPrincipal {
  readonly entity: Entity;
  /** The same value as the entity's attribute; the context uses it too. */
  readonly roles: SetValue;
  readonly claims: RecordValue;
  /** As in X-Auth-Method; `none` for the anonymous principal. */
  readonly authMethod: string;
}

export interface PrincipalOptions {
  /** The token claim with the user id. */
  readonly principalClaim: string;
  /** The claim with the roles, or a dotted path to it; null if principals have no roles. */
  readonly rolesClaim: string | null;
}

/**
 * The reason for refusing a principal. `principal_missing`: the principal claim is missing or not a usable user id.
 * `roles_unusable`: the roles claim is neither a string nor a list of strings, there are too many roles, or one is too
 * long.
 */
export type PrincipalRefusal = 'principal_missing' | 'roles_unusable';

const noTags: ReadonlyMap<string, Value> = new Map();

interface PrincipalParts {
  readonly uid: EntityUid;
  readonly roles: readonly string[];
  readonly claims: RecordValue;
  readonly authMethod: string;
}

const principalOf = ({ uid, roles, claims, authMethod }: PrincipalParts): GatewayPrincipal => {
  const roleSet = setOf(roles);
  const attributes = new Map<string, Value>([
    ['id', uid.id],
    ['roles', roleSet],
    ['claims', claims],
  ]);
  const ancestors = new Set(roles.map((role) => entityKey(entityUid('Role', role))));
  return { entity: { uid, attributes, tags: noTags, ancestors }, roles: roleSet, claims, authMethod };
};

/**
 * The principal of a request without a credential: `Anonymous::"anonymous"`. It has a separate type because a user may
 * have any name.
 */
export const anonymousPrincipal: GatewayPrincipal = principalOf({
  uid: entityUid('Anonymous', 'anonymous'),
  roles: [],
  claims: claimsRecord(null),
  authMethod: 'none',
});

const namedByClaim = new Set<Identity['method']>(['jwt', 'oidc']);

/** Null if the identity has no usable id: no other claim replaces it. */
const principalId = (identity: Identity, { principalClaim }: PrincipalOptions): string | null => {
  const { method, userId, claims } = identity;
  if (!namedByClaim.has(method)) return userId;
  const claim = claims !== null && Object.hasOwn(claims, principalClaim) ? claims[principalClaim] : undefined;
  return typeof claim === 'string' && isUsableSubject(claim) ? claim : null;
};

/**
 * The principal of an identity: `User::"<id>"` with its roles as parents. The id is the principal claim for a token,
 * otherwise the identity's user id.
 *
 * @param identity null for the anonymous principal
 */
export const gatewayPrincipal = (
  identity: Identity | null,
  options: PrincipalOptions,
): Result<GatewayPrincipal, PrincipalRefusal> => {
  if (identity === null) return ok(anonymousPrincipal);
  const id = principalId(identity, options);
  if (id === null) return err('principal_missing');
  const roles = claimedRoles(identity.claims, options.rolesClaim);
  if (!roles.ok) return roles;
  const claims = claimsRecord(identity.claims);
  return ok(principalOf({ uid: entityUid('User', id), roles: roles.value, claims, authMethod: identity.method }));
};
