import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticationMethods } from '../../../../../../src/domain/agent/identity/request-credentials.js';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest, splitUri } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { entityKey, entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { type Claims, SpelledNumber } from '../../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../../src/domain/agent/tokens/parse-claims.js';

const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('sub', 'roles', 'a', 'a.b', 'kind', 'type', 'id', '__entity', '__extn', '__proto__', 'constructor'),
);
const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('entity', 'ip', 'reader editor', 'reader,editor', 'Role'),
  fc.double(),
  fc.integer(),
  fc.constantFrom(2 ** 53, -(2 ** 63), 2 ** 63, -0, Number.NaN, Number.POSITIVE_INFINITY),
  fc.bigInt(2n ** 53n, 2n ** 63n - 1n),
  fc.bigInt(2n ** 63n, 10n ** 40n).map((integer) => new SpelledNumber(String(integer))),
  fc.boolean(),
  fc.constant(null),
);
const { claims } = fc.letrec<{ claims: Claims; value: never }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie('value'), { maxLength: 4 }), tie('claims')) as never,
  claims: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
}));
const options = fc.record({ principalClaim: key, rolesClaim: fc.option(fc.oneof(key, fc.constant('a.b.roles'))) });
const identity = fc.record({
  method: fc.constantFrom(...authenticationMethods),
  userId: fc.string({ minLength: 1 }),
  claims: fc.option(claims),
  certificate: fc.constant(null),
});

/** Every value that is in a value, itself included. */
const inside = (value: Value): readonly Value[] => {
  if (typeof value !== 'object') return [value];
  if (value.kind === 'set') return [value, ...value.elements.flatMap(inside)];
  return value.kind === 'record' ? [value, ...[...value.attributes.values()].flatMap(inside)] : [value];
};

describe('the gateway principal for any claims', () => {
  it('has plain data as claims, never entities or extension values', () => {
    fc.assert(
      fc.property(identity, options, (some, given) => {
        const made = gatewayPrincipal(some, given);
        if (!made.ok) return;
        for (const value of inside(made.value.claims)) {
          if (typeof value === 'object') expect(['set', 'record']).toContain(value.kind);
          else if (typeof value === 'number') expect(Number.isSafeInteger(value) && !Object.is(value, -0)).toBe(true);
          else expect(['string', 'boolean', 'bigint']).toContain(typeof value);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is a member of exactly its roles, and no other principal equals it', () => {
    fc.assert(
      fc.property(identity, options, (some, given) => {
        const made = gatewayPrincipal(some, given);
        const token = some.method === 'jwt' || some.method === 'oidc';
        if (!made.ok) {
          expect(token || made.error === 'roles_unusable').toBe(true);
          return;
        }
        const { entity, roles } = made.value;
        const named = token
          ? Object.entries(some.claims ?? {}).find(([name]) => name === given.principalClaim)?.[1]
          : null;
        expect(entity.uid).toEqual(entityUid('User', token ? (named as string) : some.userId));
        expect([...entity.ancestors]).toEqual(
          roles.elements.map((role) => entityKey(entityUid('Role', role as string))),
        );
        expect(roles.elements.every((role) => typeof role === 'string' && role !== '')).toBe(true);
        if (given.rolesClaim === null) expect(roles.elements).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('reads every role from an array, and from a string separated by spaces and commas', () => {
    const role = fc.stringMatching(/^[^ ,]{1,20}$/);
    fc.assert(
      fc.property(fc.uniqueArray(role, { maxLength: 20 }), fc.constantFrom(' ', ',', ', '), (roles, separator) => {
        for (const claim of [roles, roles.join(separator)]) {
          const some = { method: 'jwt', userId: 'a', claims: { sub: 'a', roles: claim }, certificate: null } as const;
          const made = gatewayPrincipal(some, { principalClaim: 'sub', rolesClaim: 'roles' });
          expect(made.ok && made.value.roles.elements).toEqual(roles);
        }
      }),
    );
  });

  it('keeps claims nested to the token limit', () => {
    const nested = (open: string, close: string) => `{"sub":"a","it":${open.repeat(31)}1${close.repeat(31)}}`;
    for (const text of [nested('[', ']'), nested('{"a":', '}')]) {
      const made = gatewayPrincipal(
        { method: 'jwt', userId: 'a', claims: parseClaims(text) as Claims, certificate: null },
        { principalClaim: 'sub', rolesClaim: null },
      );
      expect(made.ok && inside(made.value.claims)).toContain(1);
    }
  });
});

describe('path and query', () => {
  const path = fc.stringMatching(/^\/[^?]*$/);
  const query = fc.string();

  it('recombine to the original URI', () => {
    fc.assert(
      fc.property(path, query, (somePath, someQuery) => {
        expect(splitUri(`${somePath}?${someQuery}`)).toEqual({ path: somePath, query: someQuery });
        expect(splitUri(somePath)).toEqual({ path: somePath, query: '' });
      }),
    );
  });

  it('never change the principal or the other attributes', () => {
    const made = gatewayPrincipal(null, { principalClaim: 'sub', rolesClaim: null });
    if (!made.ok) throw new Error(made.error);
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.option(fc.string()), fc.string(), (uri, method, host, clientIp) => {
        const request = gatewayRequest(made.value, { method, uri, host, clientIp, correlationId: 'c' });
        expect(request.principal).toEqual(entityUid('Anonymous', 'anonymous'));
        expect(request.action).toEqual(entityUid('Action', method));
        expect(request.entities.get(request.resource)?.attributes.get('path')).toBe(request.resource.id);
        expect(request.context.attributes.get('roles')).toBe(made.value.roles);
      }),
    );
  });
});
