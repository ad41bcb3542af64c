import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHeaderOperations } from '../../../../src/domain/agent-protocol/header-operations.js';
import { cookieValues, setCookie, withoutCookies } from '../../../../src/domain/http/cookies.js';

const cookieName = fc.constantFrom('s', 'S', 'a', 'sid', 's_1', '__Host-s');
const cookieValue = fc.stringMatching(/^[!#-+\--:<-[\]-~]{0,12}$/);
const pairs = fc.array(fc.tuple(cookieName, cookieValue), { maxLength: 8 });

describe('cookies', () => {
  it('are read as browsers write them, however many fields they are in', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 3 }), cookieName, (fields, wanted) => {
        const headers = fields.flatMap((field) => [
          'cookie',
          field.map(([name, value]) => `${name}=${value}`).join('; '),
        ]);
        const expected = fields
          .flat()
          .filter(([name]) => name === wanted)
          .map(([, value]) => value);
        expect(cookieValues(headers, wanted)).toEqual(expected);
      }),
    );
  });

  it('that are taken out are gone, and no other one is', () => {
    const soup = fc.string({ unit: fc.constantFrom('s', 'S', 'a', '=', ';', ' ', '\t', '"', ','), maxLength: 24 });
    fc.assert(
      fc.property(fc.array(soup, { maxLength: 3 }), (fields) => {
        const headers = fields.flatMap((field) => ['cookie', field]);
        const operations = withoutCookies(headers, (name) => name === 's');
        const applied = applyHeaderOperations(headers, operations ?? []);
        if (!applied.ok) throw new Error(applied.error);
        expect(cookieValues(applied.value, 's')).toEqual([]);
        for (const other of ['a', 'S', ''])
          expect(cookieValues(applied.value, other)).toEqual(cookieValues(headers, other));
        const hasOne = fields.some((field) => field.split(';').some((pair) => pair.split('=')[0]?.trim() === 's'));
        expect(operations !== null).toBe(hasOne);
      }),
      { numRuns: 500 },
    );
  });

  it('come back with the value that was set', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{43}$/), (value) => {
        const set = setCookie({
          name: 's',
          value,
          secure: true,
          httpOnly: true,
          sameSite: 'Lax',
          maxAgeSecs: null,
        });
        expect(cookieValues(['cookie', set.split(';')[0] as string], 's')).toEqual([value]);
      }),
    );
  });

  it('cost no more than their length', () => {
    const headers = ['cookie', ';s=1 '.repeat(50_000)];
    expect(cookieValues(headers, 's')).toHaveLength(50_000);
    expect(withoutCookies(headers, (name) => name === 's')).toEqual([{ kind: 'remove', name: 'Cookie' }]);
  });
});
