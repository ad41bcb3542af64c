import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJsonObject } from '../../../../src/domain/shared/strict-json.js';

const reference = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

describe('parseStrictJsonObject', () => {
  it('accepts what JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(2), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        expect(parseStrictJsonObject(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts nothing that JSON.parse refuses, with equal values', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u0061"',
      '"b"',
      '""',
      '"\\x"',
      '"',
      '1',
      '-',
      '01',
      '1e9',
      '1.',
      '.5',
      'null',
      'true',
      'tru',
      ' ',
      '\n',
      '\u00a0',
      '\\',
      '\u0000',
      "'a'",
    );
    const soup = fc.array(piece, { maxLength: 9 }).map((pieces) => `{${pieces.join('')}}`);
    fc.assert(
      fc.property(soup, (text) => {
        const read = parseStrictJsonObject(text);
        const expected = reference(text);
        if (read !== null) expect(read).toEqual(expected);
        else if (isObject(expected)) expect(text).toMatch(/("a"|"\\u0061"|"b"|"").*\1|\\u0061/s);
      }),
      { numRuns: 5000 },
    );
  });
});
