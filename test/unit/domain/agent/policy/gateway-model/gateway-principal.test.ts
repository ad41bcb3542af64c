import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../../../../src/domain/agent/identity/identity.js';
import {
  gatewayPrincipal,
  type PrincipalOptions,
} from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { entityKey, entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { setOf } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';
import { type Claims, type ClaimValue, SpelledNumber } from '../../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../../src/domain/agent/tokens/parse-claims.js';

const options: PrincipalOptions = { principalClaim: 'sub', rolesClaim: 'roles' };
const bearer = (claims: Claims, method: Identity['method'] = 'jwt'): Identity => ({
  method,
  userId: 'of-the-identity',
  claims,
  certificate: null,
});

const principal = (identity: Identity | null, given: PrincipalOptions = options) => {
  const made = gatewayPrincipal(identity, given);
  if (!made.ok) throw new Error(made.error);
  return made.value;
};
const refusal = (identity: Identity, given: PrincipalOptions = options) => {
  const made = gatewayPrincipal(identity, given);
  return made.ok ? null : made.error;
};
const rolesFrom = (claims: Claims, rolesClaim: string | null = 'roles') =>
  principal(bearer({ sub: 'alice', ...claims }), { principalClaim: 'sub', rolesClaim }).roles.elements;
const claim = (value: ClaimValue): Value | undefined =>
  principal(bearer({ sub: 'alice', it: value })).claims.attributes.get('it');

describe('the gateway principal', () => {
  it('is the user with its id, roles and claims, and is in its roles', () => {
    const { entity, roles, claims, authMethod } = principal(bearer({ sub: 'alice', roles: ['reader', 'editor'] }));
    expect(entity.uid).toEqual(entityUid('User', 'alice'));
    expect([...entity.attributes.keys()]).toEqual(['id', 'roles', 'claims']);
    expect(entity.attributes.get('id')).toBe('alice');
    expect(entity.attributes.get('roles')).toBe(roles);
    expect(entity.attributes.get('claims')).toBe(claims);
    expect([...entity.ancestors]).toEqual([
      entityKey(entityUid('Role', 'reader')),
      entityKey(entityUid('Role', 'editor')),
    ]);
    expect(entity.tags.size).toBe(0);
    expect(authMethod).toBe('jwt');
  });

  it('is anonymous, without roles and claims, if there is no identity', () => {
    const { entity, roles, claims, authMethod } = principal(null);
    expect(entity.uid).toEqual(entityUid('Anonymous', 'anonymous'));
    expect(entity.attributes.get('id')).toBe('anonymous');
    expect(entity.ancestors.size).toBe(0);
    expect(roles.elements).toEqual([]);
    expect(claims.attributes.size).toBe(0);
    expect(authMethod).toBe('none');
  });

  it('differs from a user with the name of the anonymous principal', () => {
    const named = principal(bearer({ sub: 'anonymous' })).entity.uid;
    expect(entityKey(named)).not.toBe(entityKey(principal(null).entity.uid));
  });

  it.each(['jwt', 'oidc'] as const)('is named by the principal claim of a token (%s)', (method) => {
    const given = { principalClaim: 'email', rolesClaim: null };
    expect(principal(bearer({ sub: 'x', email: 'a@example.com' }, method), given).entity.uid.id).toBe('a@example.com');
  });

  it.each(['mtls', 'saml', 'api_key', 'basic'] as const)(
    'is named by the identity where the method is %s',
    (method) => {
      const given = { principalClaim: 'email', rolesClaim: null };
      expect(principal(bearer({ email: 'someone-else' }, method), given).entity.uid.id).toBe('of-the-identity');
      expect(principal({ ...bearer({}), method, claims: null }, given).entity.uid.id).toBe('of-the-identity');
    },
  );

  it.each([
    [{}],
    [{ sub: '' }],
    [{ sub: ' alice' }],
    [{ sub: '\ud800' }],
    [{ sub: 'x'.repeat(257) }],
    [{ sub: 1 }],
    [{ sub: new SpelledNumber('18446744073709551616') }],
    [{ sub: true }],
    [{ sub: null }],
    [{ sub: ['alice'] }],
    [{ sub: { sub: 'alice' } }],
  ])('is missing, without fallback, if the claim is not a user id: %j', (claims) => {
    expect(refusal(bearer(claims))).toBe('principal_missing');
  });

  it.each(['toString', '__proto__', 'constructor'])(
    'is missing if the claim is only inherited from Object: %s',
    (principalClaim) => {
      expect(refusal(bearer({ sub: 'alice' }), { principalClaim, rolesClaim: null })).toBe('principal_missing');
    },
  );

  it('is missing if the claim is a long number', () => {
    expect(refusal(bearer({ sub: 175928847299117063n }))).toBe('principal_missing');
  });

  it('is missing if a token has no claims', () => {
    expect(refusal({ ...bearer({}), claims: null })).toBe('principal_missing');
  });
});

describe('the roles of the principal', () => {
  it.each([
    ['reader editor', ['reader', 'editor']],
    [' reader,,editor , reader ', ['reader', 'editor']],
    [
      ['reader', 'two words', 'a,b', '', 'reader'],
      ['reader', 'two words', 'a,b'],
    ],
    ['', []],
    [[], []],
    [null, []],
  ])('are read from %j', (roles, expected) => {
    expect(rolesFrom({ roles })).toEqual(expected);
  });

  it.each<[ClaimValue]>([
    [7],
    [true],
    [false],
    [{}],
    [{ reader: true }],
    [['banned', 7]],
    [['banned', null]],
    [['banned', ['nested']]],
    [[{ name: 'banned' }]],
    [175928847299117063n],
    [new SpelledNumber('18446744073709551616')],
    [['a', new SpelledNumber('18446744073709551616')]],
  ])('are unusable, not empty, if the claim is not a list of strings (%#)', (roles) => {
    expect(refusal(bearer({ sub: 'alice', roles }))).toBe('roles_unusable');
    const nested = bearer({ sub: 'alice', realm_access: { roles } });
    expect(refusal(nested, { principalClaim: 'sub', rolesClaim: 'realm_access.roles' })).toBe('roles_unusable');
  });

  it('are found at a dotted path', () => {
    expect(rolesFrom({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
  });

  it('come from the claim with the dotted name, if it exists', () => {
    const claims = { 'realm_access.roles': 'own', realm_access: { roles: 'nested' } };
    expect(rolesFrom(claims, 'realm_access.roles')).toEqual(['own']);
    expect(rolesFrom({ 'https://example.com/roles': 'a' }, 'https://example.com/roles')).toEqual(['a']);
  });

  it.each(['missing', 'missing.roles', 'constructor.name', '__proto__.x', '', '.'])(
    'are empty if the path does not exist: %s',
    (path) => {
      expect(rolesFrom({ roles: ['a'] }, path)).toEqual([]);
    },
  );

  it.each(['roles.missing', 'roles.length', 'roles.roles'])(
    'are unusable, not empty, if a value on the path is not an object: %s',
    (path) => {
      const options = { principalClaim: 'sub', rolesClaim: path };
      expect(refusal(bearer({ sub: 'alice', roles: ['a'] }), options)).toBe('roles_unusable');
      expect(refusal(bearer({ sub: 'alice', roles: 'a' }), options)).toBe('roles_unusable');
    },
  );

  it('are never found inside a number', () => {
    const number = new SpelledNumber('18446744073709551616');
    const options = { principalClaim: 'sub', rolesClaim: 'roles.text' };
    expect(refusal(bearer({ sub: 'alice', roles: number }), options)).toBe('roles_unusable');
  });

  it('are empty without a configured claim', () => {
    expect(rolesFrom({ roles: ['a'] }, null)).toEqual([]);
  });

  it('can be 256 of 256 characters, and beyond that the principal is refused', () => {
    const role = (index: number) => String(index).padStart(256, 'r');
    const roles = Array.from({ length: 256 }, (_, index) => role(index));
    expect(rolesFrom({ roles })).toHaveLength(256);
    expect(rolesFrom({ roles: [...roles, ...roles] })).toHaveLength(256);
    expect(refusal(bearer({ sub: 'alice', roles: [...roles, 'one-more'] }))).toBe('roles_unusable');
    expect(refusal(bearer({ sub: 'alice', roles: ['r'.repeat(257)] }))).toBe('roles_unusable');
    expect(refusal(bearer({ sub: 'alice', roles: 'r'.repeat(257) }))).toBe('roles_unusable');
  });

  it('are distinct from roles that contain the key separator', () => {
    const { entity } = principal(bearer({ sub: 'a', roles: ['x\0y', 'Role\0x'] }));
    expect(entity.ancestors.has(entityKey(entityUid('Role', 'x')))).toBe(false);
    expect(entity.ancestors.size).toBe(2);
  });
});

describe('the claims of the principal', () => {
  it.each([
    ['text', 'text'],
    [true, true],
    [42, 42],
    [-0, 0],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [1.5, '1.5'],
    [1e300, '1e+300'],
    [2 ** 63, '9223372036854776000'],
    [-(2 ** 64), '-18446744073709552000'],
  ])('become values: %j', (json, expected) => {
    expect(claim(json)).toBe(expected);
    expect(Object.is(claim(json), -0)).toBe(false);
  });

  it('omit nulls, also in arrays and objects', () => {
    expect(claim(null)).toBeUndefined();
    expect(equalValues(claim([null, 1, null]) as Value, setOf([1]))).toBe(true);
    expect(equalValues(claim({ a: null, b: 1 }) as Value, recordOf([['b', 1]]))).toBe(true);
  });

  it.each<[string, Value]>([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 9007199254740993n],
    ['175928847299117063', 175928847299117063n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['1e18', 1000000000000000000n],
    ['1.0', 1],
    ['9223372036854775808', '9223372036854775808'],
    ['-9223372036854775809', '-9223372036854775809'],
    ['18446744073709551615', '18446744073709551615'],
    ['1.50', '1.5'],
    ['9007199254740992.5', '9007199254740992.5'],
  ])('keep the exact value of a number, as a long if it fits in 64 bits: %s', (text, expected) => {
    const claims = parseClaims(`{"sub":"a","it":${text},"all":[${text}],"deep":{"it":${text}}}`) as Claims;
    const { attributes } = principal(bearer(claims)).claims;
    expect(attributes.get('it')).toBe(expected);
    expect(equalValues(attributes.get('all') as Value, setOf([expected]))).toBe(true);
    expect(equalValues(attributes.get('deep') as Value, recordOf([['it', expected]]))).toBe(true);
  });

  it('convert arrays to sets and objects to records', () => {
    const value = claim({ a: [1, 1, [2], { b: 'c' }] }) as Value;
    expect(equalValues(value, recordOf([['a', setOf([1, setOf([2]), recordOf([['b', 'c']])])]]))).toBe(true);
  });

  it.each([
    [{ __entity: { type: 'Role', id: 'admin' } }],
    [{ type: 'Role', id: 'admin' }],
    [{ __extn: { fn: 'ip', arg: '127.0.0.1' } }],
    [{ __expr: 'Role::"admin"' }],
    [{ kind: 'entity', type: 'Role', id: 'admin' }],
    [{ kind: 'ip', version: 4, address: 1, prefixLength: 32 }],
  ])('never become an entity or an extension value: %j', (json) => {
    const value = claim(json);
    expect(value).toMatchObject({ kind: 'record' });
    const [first] = Object.keys(json);
    expect(typeof value === 'object' && value.kind === 'record' && value.attributes.has(first as string)).toBe(true);
  });

  it('treat property names of Object as plain keys', () => {
    const claims = parseClaims('{"sub":"a","__proto__":{"admin":true}}') as Claims;
    const { attributes } = principal(bearer(claims)).claims;
    expect([...attributes.keys()]).toEqual(['sub', '__proto__']);
    expect(attributes.get('admin')).toBeUndefined();
  });
});
