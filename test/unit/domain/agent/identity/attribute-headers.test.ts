import { describe, expect, it } from 'vitest';
import { maximumIdentityHeaders } from '../../../../../src/domain/agent/identity/bounded-headers.js';
import { identityHeaders } from '../../../../../src/domain/agent/identity/identity-headers.js';
import { sessionIdentity } from '../../../../../src/domain/agent/sessions/session-identity.js';

const names = { userId: 'X-User-Id', authMethod: 'X-Auth-Method' };

const told = (attributes: Record<string, readonly string[]>, mapping: Record<string, string>, userId = 'ann') =>
  identityHeaders(
    sessionIdentity({
      method: 'saml',
      userId,
      attributes: Object.entries(attributes).map(([name, values]) => ({ name, values })),
    }),
    names,
    Object.entries(mapping).map(([attribute, header]) => ({ attribute, header })),
  );

const headers = (...given: Parameters<typeof told>) =>
  told(...given).operations.map((operation) => [operation.name, operation.kind === 'set' ? operation.value : null]);

const always = [
  ['X-User-Id', 'ann'],
  ['X-Auth-Method', 'saml'],
];

describe('the headers of a session', () => {
  it('are the mapped attributes only, in the order of the mapping', () => {
    const attributes = { mail: ['ann@example.com'], groups: ['staff', 'admins'], secret: ['s'] };
    expect(headers(attributes, { groups: 'X-User-Groups', mail: 'X-User-Email' })).toEqual([
      ...always,
      ['X-User-Groups', 'staff,admins'],
      ['X-User-Email', 'ann@example.com'],
    ]);
    expect(headers(attributes, {})).toEqual(always);
    expect(told(attributes, {}).leftOut).toEqual([]);
  });

  it('omit an attribute that is missing, empty or inherited from Object', () => {
    const mapping = { mail: 'X-A', groups: 'X-B', constructor: 'X-C', toString: 'X-D', ['__proto__']: 'X-E' };
    expect(headers({ groups: [] }, mapping)).toEqual(always);
  });

  it('accept an attribute with any name', () => {
    const name = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
    expect(headers({ [name]: ['a'] }, { [name]: 'X-Email' })).toEqual([...always, ['X-Email', 'a']]);
    const attributes = [{ name: '__proto__', values: ['a'] }];
    const { operations } = identityHeaders(sessionIdentity({ method: 'saml', userId: 'ann', attributes }), names, [
      { attribute: '__proto__', header: 'X-Proto' },
    ]);
    expect(operations.at(-1)).toEqual({ kind: 'set', name: 'X-Proto', value: 'a' });
  });

  it('never make one value look like two, or like another header', () => {
    const one = (...values: string[]) => headers({ groups: values }, { groups: 'X-G' })[2]?.[1];
    expect(one('staff,admins')).toBe('staff%2Cadmins');
    expect(one('staff', 'admins')).toBe('staff,admins');
    expect(one('a%2Cb', 'c')).toBe('a%252Cb,c');
    expect(one('a\r\nX-User-Id: root')).toBe('a%0D%0AX-User-Id: root');
    expect(one('Ännchen')).toBe('%C3%84nnchen');
    expect(one(' a ')).toBe('%20a%20');
  });

  it('omit unrepresentable values, two attributes with one name, and the identity itself', () => {
    expect(told({ a: ['\ud800'] }, { a: 'X-A' }).leftOut).toEqual([{ path: 'a', reason: 'unrepresentable' }]);
    expect(told({ a: ['1'], b: ['2'] }, { a: 'X-A', b: 'x_a' })).toMatchObject({
      leftOut: [
        { path: 'a', reason: 'same_name' },
        { path: 'b', reason: 'same_name' },
      ],
    });
    expect(headers({ a: ['root'] }, { a: 'x-user-id' })).toEqual([...always, ['X-Auth-Claims-Omitted', 'a']]);
  });

  it('respect the limits of identity headers', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`a${index}`, ['v']]));
    const mapping = Object.fromEntries(Object.keys(many).map((name) => [name, `X-${name}`]));
    const { operations, leftOut } = told(many, mapping);
    expect(operations).toHaveLength(maximumIdentityHeaders + 1);
    expect(leftOut).toHaveLength(80 + 2 - maximumIdentityHeaders);
    const long = told({ a: ['x'.repeat(2_049)], b: ['y'] }, { a: 'X-A', b: 'X-B' });
    expect(long.leftOut).toEqual([{ path: 'a', reason: 'over_limit' }]);
    expect(long.operations.slice(-2)).toEqual([
      { kind: 'set', name: 'X-B', value: 'y' },
      { kind: 'set', name: 'X-Auth-Claims-Omitted', value: 'a' },
    ]);
  });

  it('do not change other methods, for any mapping', () => {
    const claims = { mail: 'ann@example.com' };
    const { operations } = identityHeaders({ method: 'jwt', userId: 'ann', claims, certificate: null }, names, [
      { attribute: 'mail', header: 'X-User-Email' },
    ]);
    expect(operations.at(-1)).toEqual({ kind: 'set', name: 'X-Auth-Claim-mail', value: 'ann@example.com' });
  });
});
