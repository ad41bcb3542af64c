import { describe, expect, it } from 'vitest';
import { maximumIdentityHeaders } from '../../../../../src/domain/agent/identity/bounded-headers.js';
import { identityHeaders, removalOperations } from '../../../../../src/domain/agent/identity/identity-headers.js';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';

const names = { userId: 'X-User-Id', authMethod: 'X-Auth-Method' };
const of = (claims: Claims) => identityHeaders({ method: 'jwt', userId: 'ann', claims, certificate: null }, names);
const claimHeaders = (claims: Claims) =>
  Object.fromEntries(
    of(claims)
      .operations.slice(2)
      .map((operation) => [operation.name, 'value' in operation ? operation.value : null]),
  );

describe('identityHeaders', () => {
  it('omits values with a lone surrogate, which would equal another value', () => {
    const broken = of({ a: 'x\ud800', b: ['y', '\udc00'], c: 'whole \u{1f600}', d: { e: '\ud83d' } });
    expect(broken.leftOut).toEqual(['a', 'b', 'd.e'].map((path) => ({ path, reason: 'unrepresentable' })));
    expect(broken.operations.map(({ name }) => name).slice(2)).toEqual(['X-Auth-Claim-c', 'X-Auth-Claims-Omitted']);
  });

  it('omits both of two claims that an upstream may read under one name', () => {
    for (const [one, other] of [
      ['x.y', 'x-y'],
      ['x_y', 'x.y'],
      ['x~y', 'X_Y'],
    ] as const) {
      const { operations, leftOut } = of({ [one]: '1', [other]: '2', z: '3' });
      expect(leftOut.map(({ path, reason }) => [path, reason])).toEqual([
        [one, 'same_name'],
        [other, 'same_name'],
      ]);
      expect(operations.slice(2, -1)).toEqual([{ kind: 'set', name: 'X-Auth-Claim-z', value: '3' }]);
    }
  });

  it('sends user and method under the configured names', () => {
    const named = identityHeaders(
      { method: 'basic', userId: 'ann', claims: null, certificate: null },
      { userId: 'X-Me', authMethod: 'X-How' },
    );
    expect(named.operations).toEqual([
      { kind: 'set', name: 'X-Me', value: 'ann' },
      { kind: 'set', name: 'X-How', value: 'basic' },
    ]);
  });

  it('creates one header per claim', () => {
    expect(claimHeaders({ email: 'ann@example.com', admin: false, level: 7, score: 1.5, none: null })).toEqual({
      'X-Auth-Claim-email': 'ann@example.com',
      'X-Auth-Claim-admin': 'false',
      'X-Auth-Claim-level': '7',
      'X-Auth-Claim-score': '1.5',
    });
  });

  it('keeps all digits of a number, alone and in an array', () => {
    const beyond = new SpelledNumber('18446744073709551616');
    expect(claimHeaders({ user_id: 175928847299117063n, beyond, ids: [-9223372036854775808n, beyond, 7] })).toEqual({
      'X-Auth-Claim-user_id': '175928847299117063',
      'X-Auth-Claim-beyond': '18446744073709551616',
      'X-Auth-Claim-ids': '-9223372036854775808,18446744073709551616,7',
    });
  });

  it('omits a number that exceeds the remaining octets', () => {
    const { operations, leftOut } = of({ long: new SpelledNumber(`0.${'1'.repeat(5000)}`), short: 1 });
    expect(operations.map(({ name }) => name)).toEqual([
      'X-User-Id',
      'X-Auth-Method',
      'X-Auth-Claim-short',
      'X-Auth-Claims-Omitted',
    ]);
    expect(leftOut).toEqual([{ path: 'long', reason: 'over_limit' }]);
  });

  it('joins the names of nested claims, and the items of arrays', () => {
    expect(claimHeaders({ realm: { access: { roles: ['admin', 'a,b', 3, true] }, empty: [] } })).toEqual({
      'X-Auth-Claim-realm-access-roles': 'admin,a%2Cb,3,true',
      'X-Auth-Claim-realm-empty': '',
    });
  });

  it('replaces forbidden name characters with a hyphen', () => {
    expect(claimHeaders({ 'https://example.com/ rôle:\r\n😀': 'x' })).toEqual({
      'X-Auth-Claim-https---example.com--r-le----': 'x',
    });
  });

  it('encodes characters that a field value cannot carry, and the percent sign', () => {
    expect(claimHeaders({ name: 'Zoë\r\nX-User-Id: root', rate: '100%', padded: ' a ' })).toEqual({
      'X-Auth-Claim-name': 'Zo%C3%AB%0D%0AX-User-Id: root',
      'X-Auth-Claim-rate': '100%25',
      'X-Auth-Claim-padded': '%20a%20',
    });
  });

  it('omits all claims that map to one name', () => {
    const { operations, leftOut } = of({ a: { b: 1 }, 'a-b': 2, A_B: 3, 'a/b': 4, c: 5 });
    expect(operations.slice(2)).toEqual([
      { kind: 'set', name: 'X-Auth-Claim-c', value: '5' },
      { kind: 'set', name: 'X-Auth-Claims-Omitted', value: 'a.b,a-b,A_B,a/b' },
    ]);
    expect(leftOut.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'a.b same_name',
      'a-b same_name',
      'A_B same_name',
      'a/b same_name',
    ]);
  });

  it.each<Claims>([
    { 'a-b': 'evil', a: { b: [{ x: 1 }] } },
    { a_b: [null], 'A-B': 'evil' },
    { 'a-b': 'evil', a: { b: [[1]] } },
    { 'a b': '\ud800', 'a.b': 'evil' },
  ])('omits a value if another claim of its name cannot be represented: %o', (claims) => {
    const { operations, leftOut } = of(claims);
    expect(operations).toHaveLength(3);
    expect(leftOut.map(({ reason }) => reason).toSorted()).toEqual(['same_name', 'unrepresentable']);
  });

  it('treats a null as an absent claim', () => {
    expect(claimHeaders({ 'a-b': 'x', 'a b': null })).toEqual({ 'X-Auth-Claim-a-b': 'x' });
  });

  it('keeps the order of the token, with integer names first', () => {
    expect(Object.keys(claimHeaders({ b: 'b', '2': 'two', a: 'a', '1': 'one' }))).toEqual(
      ['1', '2', 'b', 'a'].map((name) => `X-Auth-Claim-${name}`),
    );
  });

  it('lets no claim replace the user id, for any header name', () => {
    const strange = { userId: 'x-auth-claim_sub', authMethod: 'X-Auth-Claim-How' };
    const { operations, leftOut } = identityHeaders(
      { method: 'jwt', userId: 'ann', claims: { sub: 'root', how: 'mtls' }, certificate: null },
      strange,
    );
    expect(operations.slice(2)).toEqual([{ kind: 'set', name: 'X-Auth-Claims-Omitted', value: 'sub,how' }]);
    expect(leftOut).toHaveLength(2);
  });

  it('omits values that it cannot represent exactly', () => {
    const { operations, leftOut } = of({ deep: [['x']], list: [{ a: 1 }], holes: [null], '': 'x' });
    expect(operations.slice(2)).toEqual([{ kind: 'set', name: 'X-Auth-Claims-Omitted', value: 'deep,list,holes,*' }]);
    expect(leftOut).toEqual(['deep', 'list', 'holes', ''].map((path) => ({ path, reason: 'unrepresentable' })));
  });

  it('stops at the limit of headers', () => {
    const claims = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`c${index}`, index]));
    const { operations, leftOut } = of(claims);
    expect(operations).toHaveLength(maximumIdentityHeaders + 1);
    expect(leftOut).toHaveLength(100 + 2 - maximumIdentityHeaders);
  });

  it('skips a claim that exceeds the remaining octets', () => {
    const { operations, leftOut } = of({ large: 'x'.repeat(5000), small: 'y' });
    expect(operations.map(({ name }) => name)).toEqual([
      'X-User-Id',
      'X-Auth-Method',
      'X-Auth-Claim-small',
      'X-Auth-Claims-Omitted',
    ]);
    expect(leftOut).toEqual([{ path: 'large', reason: 'over_limit' }]);
  });
});

describe('removalOperations', () => {
  it('removes every spelling, by the name in the request', () => {
    const headers = ['x-user-id', 'a', 'X_USER_ID', 'b', 'x_auth-claim_role', 'c', 'accept', '*/*', 'x-user-id', 'd'];
    expect(removalOperations(headers, ownedHeaders(['X-User-Id', 'X-Auth-Claim-*']))).toEqual([
      { kind: 'remove', name: 'x-user-id' },
      { kind: 'remove', name: 'X_USER_ID' },
      { kind: 'remove', name: 'x_auth-claim_role' },
    ]);
  });
});

describe('a client certificate', () => {
  const told = (commonName: string | null, distinguishedName: string) =>
    identityHeaders(
      { method: 'mtls', userId: 'api', claims: null, certificate: { commonName, distinguishedName } },
      names,
    );

  it('is sent as its common name and its subject', () => {
    expect(told('Zoë', 'CN=Zoë,O=100% Us').operations.slice(2)).toEqual([
      { kind: 'set', name: 'X-Client-Cert-CN', value: 'Zo%C3%AB' },
      { kind: 'set', name: 'X-Client-Cert-DN', value: 'CN=Zo%C3%AB,O=100%25 Us' },
    ]);
  });

  it('has no header for a missing common name', () => {
    expect(told(null, 'O=Us').operations.slice(2)).toEqual([{ kind: 'set', name: 'X-Client-Cert-DN', value: 'O=Us' }]);
  });

  it('cannot break out of its header', () => {
    const values = told('a\r\nX-User-Id: root', 'CN=a\\0D\\0A\u0000\u007f').operations.map((operation) =>
      operation.kind === 'set' ? operation.value : '',
    );
    expect(values.join('')).toMatch(/^[\x20-\x7e]*$/);
  });

  it('is omitted if too large, and the user is still sent', () => {
    const { operations, leftOut } = told('api', `CN=${'x'.repeat(9000)}`);
    expect(operations.map(({ name }) => name)).toEqual([
      'X-User-Id',
      'X-Auth-Method',
      'X-Client-Cert-CN',
      'X-Auth-Claims-Omitted',
    ]);
    expect(leftOut).toEqual([{ path: 'X-Client-Cert-DN', reason: 'over_limit' }]);
  });
});
