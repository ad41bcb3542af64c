import { describe, expect, it } from 'vitest';
import { UnusableNumber } from '../../../../../../src/domain/agent/policy/json/exact-json.js';
import {
  maximumExactJsonDepth,
  parseExactJson,
} from '../../../../../../src/domain/agent/policy/json/parse-exact-json.js';
import { ok } from '../../../../../../src/domain/shared/result.js';

describe('parseExactJson', () => {
  it.each([
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('reads %s with all its digits', (text, long) => {
    expect(parseExactJson(text)).toEqual(ok(long));
  });

  it.each(['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '-0', '0.5', '1E400', '1'.repeat(5000)])(
    'keeps %s as text, because it is not a 64-bit integer',
    (text) => {
      expect(parseExactJson(`[${text}]`)).toEqual(ok([new UnusableNumber(text)]));
    },
  );

  it('reads all JSON values', () => {
    const text = ' { "a" : [ true , false , null , "x\\n\\u00e9\\ud83d\\ude00\\/" , { } , [ ] ] } ';
    expect(parseExactJson(text)).toEqual(ok({ a: [true, false, null, 'x\né😀/', {}, []] }));
  });

  it.each([
    ['{"a": 1, "b": {"x": 1, "x": 2}}', 'line 1, column 24 (at .b): duplicate key "x"'],
    ['[{"attrs":\n {"a b": tru}}]', 'line 2, column 10 (at [0].attrs["a b"]): expected a value'],
    ['[1,]', 'line 1, column 4 (at [1]): expected a value'],
    ['[1 2]', 'line 1, column 4: expected "," or "]"'],
    ['{"a" 1}', 'line 1, column 6: expected ":"'],
    ['{a: 1}', 'line 1, column 2: expected a string'],
    ['"abc', 'line 1, column 5: the string is not closed'],
    ['"a\nb"', 'line 1, column 3: control character in a string'],
    ['"\\x"', 'line 1, column 3: unknown escape in a string'],
    ['"\\u12"', 'line 1, column 4: four hexadecimal digits were expected'],
    ['"\\ud800"', 'line 1, column 1: the string has a lone surrogate'],
    ['1 2', 'line 1, column 3: expected the end of the text'],
    ['', 'line 1, column 1: expected a value'],
    ['01', 'line 1, column 2: expected the end of the text'],
  ])('gives the position of the error in %j', (text, error) => {
    expect(parseExactJson(text)).toEqual({ ok: false, error });
  });

  it('treats __proto__ as an ordinary key', () => {
    const json = parseExactJson('{"__proto__": {"polluted": 1}}');
    if (!json.ok) throw new Error(json.error);
    expect(Object.getOwnPropertyNames(json.value)).toEqual(['__proto__']);
    expect(parseExactJson('{"__proto__": 1, "__proto__": 2}').ok).toBe(false);
  });

  it('refuses nesting that could overflow the stack', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseExactJson(nested(maximumExactJsonDepth)).ok).toBe(true);
    expect(parseExactJson(nested(maximumExactJsonDepth + 1)).ok).toBe(false);
    expect(parseExactJson('[{"a":'.repeat(200_000)).ok).toBe(false);
  });
});
