import { describe, expect, it } from 'vitest';
import { sessionIdentity } from '../../../../../src/domain/agent/sessions/session-identity.js';

const claims = (...attributes: { name: string; values: string[] }[]) =>
  sessionIdentity({ method: 'saml', userId: 'ann', attributes }).claims;

describe('the identity of a session', () => {
  it('has the user, the method, and the attributes as claims', () => {
    expect(sessionIdentity({ method: 'saml', userId: 'ann', attributes: [{ name: 'mail', values: ['a@b'] }] })).toEqual(
      {
        method: 'saml',
        userId: 'ann',
        claims: { mail: 'a@b' },
        certificate: null,
      },
    );
  });

  it('has one value as a string and several as a list, in order', () => {
    expect(
      claims({ name: 'a', values: ['1'] }, { name: 'b', values: ['2', '1', '2'] }, { name: 'c', values: [] }),
    ).toEqual({
      a: '1',
      b: ['2', '1', '2'],
      c: [],
    });
  });

  it('merges attributes of one name, so a second one cannot hide the first', () => {
    expect(
      claims({ name: 'role', values: ['user'] }, { name: 'x', values: ['y'] }, { name: 'role', values: ['admin'] }),
    ).toEqual({
      role: ['user', 'admin'],
      x: 'y',
    });
    expect(claims({ name: 'role', values: [] }, { name: 'role', values: ['user'] })).toEqual({ role: 'user' });
  });

  it('keeps its prototype for any attribute names', () => {
    const made = claims({ name: '__proto__', values: ['admin'] }, { name: 'constructor', values: ['x'] });
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(Object.entries(made ?? {})).toEqual([
      ['__proto__', 'admin'],
      ['constructor', 'x'],
    ]);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});
