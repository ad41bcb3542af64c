import { describe, expect, it } from 'vitest';
import type { Assertion } from '../../../../../../src/domain/agent/saml/assertion.js';
import { judgeChanged, refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the user id', () => {
  const named = (value: string) => ({
    assertion: { nameId: { value, format: null, nameQualifier: null, spNameQualifier: null } },
  });

  it.each([
    ['empty', ''],
    ['a line end', 'ann\r\nX-Admin: 1'],
    ['a null character', 'ann\0'],
    ['a control character of Latin-1', 'ann\u0085'],
    ['an escape', 'ann\u001b[2J'],
    ['white space around it', ' ann'],
    ['a no-break space around it', 'ann\u00a0'],
    ['half a pair of surrogates', 'ann\ud800'],
    ['more than 256 characters', 'a'.repeat(257)],
  ])('is refused: %s', (_, value) => {
    expect(refusalOf(named(value))).toBe('unusable_user_id');
    const attributes = [{ name: 'uid', values: [value] }];
    expect(refusalOf({ assertion: { attributes } }, { userIdAttribute: 'uid' })).toBe('unusable_user_id');
  });

  it('can be any other text, unchanged', () => {
    for (const value of ['a', 'Ännchen von Tharau', 'a'.repeat(256), '<ann>', '__proto__', 'CN=Ann,O=Example']) {
      expect(judgeChanged(named(value))).toMatchObject({ ok: true, value: { userId: value } });
    }
  });

  it('is the single value of its attribute', () => {
    const withUid = (...attributes: Assertion['attributes']) =>
      judgeChanged({ assertion: { attributes } }, { userIdAttribute: 'uid' });
    expect(withUid({ name: 'uid', values: ['ann'] })).toMatchObject({ ok: true, value: { userId: 'ann' } });
    const refused = { ok: false, error: 'unusable_user_id' };
    expect(withUid()).toEqual(refused);
    expect(withUid({ name: 'UID', values: ['ann'] })).toEqual(refused);
    expect(withUid({ name: 'uid', values: [] })).toEqual(refused);
    expect(withUid({ name: 'uid', values: ['ann', 'root'] })).toEqual(refused);
    expect(withUid({ name: 'uid', values: ['ann'] }, { name: 'uid', values: ['root'] })).toEqual(refused);
  });
});
