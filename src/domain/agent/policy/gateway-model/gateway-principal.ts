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

/** The sum turns -0 into 0. */
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

/** Undefined: absent. */
const claimValue = (claim: ClaimValue, depth: number): Value | undefined => {
  if (typeof claim === 'string' || typeof claim === 'boolean' || typeof claim === 'bigint') return claim;
  if (typeof claim === 'number') return numberValue(claim);
  if (claim instanceof SpelledNumber) return claim.text;
  // INVARIANT: the reader of tokens nests no deeper, so that nothing is lost here.
  if (depth >= maximumJsonDepth) return undefined;
  if (isArray(claim)) return arrayValue(claim, depth + 1);
  return isClaims(claim) ? objectValue(claim, depth + 1) : undefined;
};

/**
 * Claims as policies see them: data and nothing else. An array is a set, an object a record, whatever its keys are
 * named (`__entity`, `__extn`): no claim ever becomes an entity or a value of an extension. A null is absent, in
 * arrays too; a number that is no 64-bit integer is a string.
 */
export const claimsRecord = (claims: Claims | null): RecordValue =>
  claims === null ? emptyRecord : objectValue(claims, 1);

/** Who asks, as policies see it. Made once for an identity and used for each of its requests. */
export interface GatewayPrincipal {
  readonly entity: Entity;
  /** The same values as the attributes of the entity: the context has them, too. */
  readonly roles: SetValue;
  readonly claims: RecordValue;
  /** As X-Auth-Method names it; `none` for the anonymous one. */
  readonly authMethod: string;
}

export interface PrincipalOptions {
  /** Claim of a token that names its user. */
  readonly principalClaim: string;
  /** Claim with the roles, or names joined with dots that lead to it; null: nobody has roles. */
  readonly rolesClaim: string | null;
}

/**
 * Why nobody can be judged: `principal_missing`: the token has no such claim, or it is no usable user id.
 * `roles_unusable`: the claim with the roles is neither text nor a list of texts, or there are too many roles, or one
 * is too long.
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
 * A request without a credential that was let on, `Anonymous::"anonymous"`: a type of its own, for a user may have
 * any name.
 */
export const anonymousPrincipal: GatewayPrincipal = principalOf({
  uid: entityUid('Anonymous', 'anonymous'),
  roles: [],
  claims: claimsRecord(null),
  authMethod: 'none',
});

const namedByClaim = new Set<Identity['method']>(['jwt', 'oidc']);

/** Null where the identity has no usable id: it is never taken for another one. */
const principalId = (identity: Identity, { principalClaim }: PrincipalOptions): string | null => {
  const { method, userId, claims } = identity;
  if (!namedByClaim.has(method)) return userId;
  const claim = claims !== null && Object.hasOwn(claims, principalClaim) ? claims[principalClaim] : undefined;
  return typeof claim === 'string' && isUsableSubject(claim) ? claim : null;
};

/**
 * The principal of an identity, `User::"<id>"` with its roles as parents. The id is that of the principal claim where
 * a token names its user, the user id of the identity otherwise.
 *
 * @param identity null: anonymous
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
