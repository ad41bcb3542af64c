import { err, ok, type Result } from '../../../shared/result.js';
import type { Identity } from '../../identity/identity.js';
import { isUsableSubject } from '../../identity/usable-subject.js';
import type { Entity } from '../evaluate/authorization-request.js';
import { entityKey, entityUid } from '../values/entity-uid.js';
import { setOf } from '../values/set-value.js';
import type { EntityUid, RecordValue, SetValue, Value } from '../values/value.js';
import { claimsRecord } from './claim-values.js';
import { claimedRoles } from './claimed-roles.js';

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
 * Why nobody can be judged: `principal_missing`: the token has no such claim, or it is no usable user id. `roles_unusable`: the
 * claim with the roles is neither text nor a list of texts, or there are too many roles, or one is too long.
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

/** A request without a credential that was let on, `Anonymous::"anonymous"`: a type of its own, for a user may have any name. */
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
 * The principal of an identity, `User::"<id>"` with its roles as parents. The id is that of the principal claim where a token
 * names its user, the user id of the identity otherwise.
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
