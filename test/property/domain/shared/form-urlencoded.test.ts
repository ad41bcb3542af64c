import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseForm, parseFormFields, parseQuery } from '../../../../src/domain/shared/form-urlencoded.js';

const text = fc.string({ unit: 'grapheme' });
const fields = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 20 });

/** Octets that an attacker could combine. */
const soup = fc.string({
  unit: fc.constantFrom('a', 'b', '=', '&', '+', '%', '4', '1', 'C', '3', 'f', '\x80', '\xc3', '\xff', '\0'),
  maxLength: 24,
});

describe('forms', () => {
  it('decode what the URL standard encodes', () => {
    fc.assert(
      fc.property(fields, (entries) => {
        const written = new URLSearchParams(entries.map(([name, value]) => [name, value])).toString();
        const form = parseForm(Buffer.from(written));
        expect(form.ok && [...form.value]).toEqual(entries);
        const query = parseQuery(written);
        expect(query.ok && Array.from(query.value, ([name, { value }]) => [name, value])).toEqual(entries);
      }),
      { numRuns: 300 },
    );
  });

  it('agree with the URL standard if they are accepted', () => {
    fc.assert(
      fc.property(soup, (written) => {
        const form = parseForm(Buffer.from(written, 'latin1'));
        const standard = [...new URLSearchParams(`&${written}`)];
        if (form.ok) expect([...form.value]).toEqual(standard);
        else {
          const isRepeated = new Set(standard.map(([name]) => name)).size < standard.length;
          const isBroken = /%(?![0-9A-Fa-f]{2})/.test(written);
          const isUnescaped = /[\x80-\xff]/.test(written);
          const isReplaced = standard.some((entry) => entry.some((part) => part.includes('\ufffd')));
          expect(isRepeated || isBroken || isReplaced || isUnescaped).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('return raw values that rebuild the query', () => {
    fc.assert(
      fc.property(soup, (written) => {
        const query = parseQuery(written);
        if (!query.ok) return;
        const parts = written.split('&').filter((part) => part !== '');
        expect(Array.from(query.value.values(), ({ raw }) => raw)).toEqual(
          parts.map((part) => (part.includes('=') ? part.slice(part.indexOf('=') + 1) : '')),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('return all values of repeatable names and refuse other repetitions', () => {
    const name = fc.constantFrom('audience', 'resource', 'scope', 'x');
    const repeatable = new Set(['audience', 'resource']);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { maxLength: 12 }), (entries) => {
        const written = new URLSearchParams(entries.map(([field, value]) => [field, value]));
        const form = parseFormFields(Buffer.from(written.toString()), { repeatable });
        const isRepeated = ['scope', 'x'].some((field) => written.getAll(field).length > 1);
        const names = new Set(entries.map(([field]) => field));
        const expected = [...names].map((field) => [field, written.getAll(field)]);
        expect(form.ok ? [...form.value] : form.error).toEqual(isRepeated ? 'duplicate' : expected);
      }),
      { numRuns: 500 },
    );
  });
});
