import { describe, expect, it } from 'vitest';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import {
  type PrincipalSketch,
  sketchedIdentity,
} from '../../../../../../src/domain/agent/policy/test-cases/sketched-identity.js';
import { sessionIdentity } from '../../../../../../src/domain/agent/sessions/session-identity.js';

const names = { principalClaim: 'sub', rolesClaim: 'roles' };
const sketch = (parts: Partial<PrincipalSketch>): PrincipalSketch => ({
  id: 'alice',
  roles: [],
  claims: {},
  method: 'jwt',
  ...parts,
});

describe('the identity of a sketched principal', () => {
  it('has the id and the roles where the agent reads them', () => {
    for (const rolesClaim of ['roles', 'realm_access.roles', 'https://a.example/roles']) {
      const options = { principalClaim: 'email', rolesClaim };
      const identity = sketchedIdentity(sketch({ roles: ['a', 'b c'], claims: { level: 3 } }), options);
      if (!identity.ok) throw new Error(identity.error);
      const principal = gatewayPrincipal(identity.value, options);
      if (!principal.ok) throw new Error(principal.error);
      expect(principal.value.entity.uid).toEqual({ kind: 'entity', type: 'User', id: 'alice' });
      expect(principal.value.roles.elements).toEqual(['a', 'b c']);
      expect(principal.value.claims.attributes.get('level')).toBe(3);
    }
  });

  it('keeps the claims beside the roles', () => {
    const claims = { realm_access: { other: 1 } };
    expect(
      sketchedIdentity(sketch({ roles: ['a'], claims }), { ...names, rolesClaim: 'realm_access.roles' }),
    ).toMatchObject({ value: { claims: { sub: 'alice', realm_access: { other: 1, roles: ['a'] } } } });
  });

  it('takes the id from the claims if none is given', () => {
    expect(sketchedIdentity(sketch({ id: null, claims: { sub: 'bob' } }), names)).toMatchObject({
      value: { userId: 'bob' },
    });
  });

  it.each<[string, Partial<PrincipalSketch>, string | null]>([
    ['the principal is given twice: the claim "sub" also gives the id', { claims: { sub: 'bob' } }, 'roles'],
    ['the roles are given twice: the claim "roles" also gives roles', { roles: ['a'], claims: { roles: [] } }, 'roles'],
    ['set roles-claim: without it no principal has roles', { roles: ['a'] }, null],
    ['a value on the path is not an object: cannot add the claim "a.b"', { roles: ['x'], claims: { a: 1 } }, 'a.b'],
    [
      'api_key has no roles: roles are claims of a token or attributes of SAML',
      { method: 'api_key', roles: ['a'] },
      'roles',
    ],
    ['basic has no claims: only tokens and SAML have claims', { method: 'basic', claims: { a: 1 } }, 'roles'],
    ['the principal needs an id', { method: 'mtls', id: null }, 'roles'],
    ['the principal needs an id', { method: 'saml', id: null, claims: { sub: 'bob' } }, 'roles'],
    [
      'SAML attributes are strings: write the claim "level" as a string or a list of strings',
      { method: 'saml', claims: { level: 3 } },
      'roles',
    ],
    [
      'SAML gives a single value as text, which is split at spaces and commas: "a b" would be several roles',
      { method: 'saml', roles: ['a b'] },
      'roles',
    ],
    [
      'the roles are given twice: the claim "groups" also gives roles',
      { method: 'saml', roles: ['a'], claims: { groups: 'b' } },
      'groups',
    ],
  ])('is refused: %s', (error, parts, rolesClaim) => {
    expect(sketchedIdentity(sketch(parts), { ...names, rolesClaim })).toEqual({ ok: false, error });
  });

  it.each(['groups', 'http://schemas.xmlsoap.org/claims/Group'])(
    'is that of a SAML session, with its roles in the attribute %s',
    (rolesClaim) => {
      for (const roles of [['a'], ['a', 'b c']]) {
        const options = { principalClaim: 'email', rolesClaim };
        const identity = sketchedIdentity(sketch({ method: 'saml', roles, claims: { mail: ['a@b'] } }), options);
        const session = sessionIdentity({
          method: 'saml',
          userId: 'alice',
          attributes: [
            { name: 'mail', values: ['a@b'] },
            { name: rolesClaim, values: roles },
          ],
        });
        expect(identity).toEqual({ ok: true, value: session });
        const principal = gatewayPrincipal(session, options);
        expect(principal.ok && principal.value.roles.elements).toEqual(roles);
      }
    },
  );

  it('creates own members for names that Object has', () => {
    const identity = sketchedIdentity(sketch({ roles: ['a'] }), { ...names, rolesClaim: '__proto__' });
    expect(identity.ok && Object.keys(identity.value.claims ?? {})).toEqual(['sub', '__proto__']);
  });
});
