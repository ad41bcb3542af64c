import { describe, expect, it } from 'vitest';
import { claimBounds } from '../../../../../src/domain/agent/identity/bounded-headers.js';
import { identityHeaders } from '../../../../../src/domain/agent/identity/identity-headers.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

interface Told {
  readonly forwarded?: readonly string[] | null;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly maxClaimBytes?: number;
}

const headersOf = (claims: Claims, { forwarded = null, mapping = {}, maxClaimBytes = 2_048 }: Told) =>
  identityHeaders(
    { method: 'oidc', userId: 'ann', claims, certificate: null },
    { userId: 'X-User-Id', authMethod: 'X-Auth-Method', forwardedClaims: forwarded },
    Object.entries(mapping).map(([attribute, header]) => ({ attribute, header })),
    claimBounds(maxClaimBytes),
  )
    .operations.slice(2)
    .map((operation) => [operation.name, operation.kind === 'set' ? operation.value : null]);

const claims: Claims = {
  sub: 'ann',
  email: 'ann@example.com',
  realm_access: { roles: ['a', 'b,c'], name: 'r' },
  realm: 'x',
};

describe('forwarded claims', () => {
  it('are all claims by default, and none for an empty list', () => {
    expect(headersOf(claims, {})).toHaveLength(5);
    expect(headersOf(claims, { forwarded: [] })).toEqual([]);
  });

  it('are the named ones, with everything below a name', () => {
    expect(headersOf(claims, { forwarded: ['email'] })).toEqual([['X-Auth-Claim-email', 'ann@example.com']]);
    expect(headersOf(claims, { forwarded: ['realm_access'] })).toEqual([
      ['X-Auth-Claim-realm_access-roles', 'a,b%2Cc'],
      ['X-Auth-Claim-realm_access-name', 'r'],
    ]);
    expect(headersOf(claims, { forwarded: ['realm_access.roles'] })).toEqual([
      ['X-Auth-Claim-realm_access-roles', 'a,b%2Cc'],
    ]);
    expect(headersOf(claims, { forwarded: ['realm', 'missing', 'EMAIL'] })).toEqual([['X-Auth-Claim-realm', 'x']]);
  });

  it('do not collide with claims that are not forwarded, nor name these as omitted', () => {
    const some = { 'a-b': '1', a_b: '2', big: 'x'.repeat(3_000) };
    expect(headersOf(some, { forwarded: ['a_b'] })).toEqual([['X-Auth-Claim-a_b', '2']]);
  });
});

describe('mapped claims', () => {
  it('have their header before the forwarded claims', () => {
    expect(headersOf(claims, { forwarded: ['sub'], mapping: { email: 'X-User-Email' } })).toEqual([
      ['X-User-Email', 'ann@example.com'],
      ['X-Auth-Claim-sub', 'ann'],
    ]);
  });

  it('can be inside objects; a name with dots comes before a path', () => {
    const mapping = { 'realm_access.roles': 'X-Roles' };
    expect(headersOf(claims, { forwarded: [], mapping })).toEqual([['X-Roles', 'a,b%2Cc']]);
    const literal = { 'realm_access.roles': 'literal', realm_access: { roles: ['nested'] } };
    expect(headersOf(literal, { forwarded: [], mapping })).toEqual([['X-Roles', 'literal']]);
  });

  it('have no header if the claim is missing, null, an empty list or inherited from Object', () => {
    const mapping = { none: 'X-A', list: 'X-B', constructor: 'X-C', toString: 'X-D' };
    expect(headersOf({ none: null, list: [] }, { forwarded: [], mapping })).toEqual([]);
  });

  it('never turn one text into two values or two headers', () => {
    const mapping = { team: 'X-Team' };
    const team = (value: Claims[string]) => headersOf({ team: value }, { forwarded: [], mapping });
    expect(team('a,b')).toEqual([['X-Team', 'a%2Cb']]);
    expect(team(['a', 'b'])).toEqual([['X-Team', 'a,b']]);
    expect(team('a\r\nX-User-Id: root')).toEqual([['X-Team', 'a%0D%0AX-User-Id: root']]);
    expect(team({ inner: 'x' })).toEqual([['X-Auth-Claims-Omitted', 'team']]);
  });

  it('are named as omitted if they exceed the limit', () => {
    const long = { email: 'x'.repeat(300), team: 'blue' };
    expect(headersOf(long, { forwarded: [], mapping: { email: 'X-E', team: 'X-T' }, maxClaimBytes: 256 })).toEqual([
      ['X-T', 'blue'],
      ['X-Auth-Claims-Omitted', 'email'],
    ]);
  });
});
