import { describe, expect, it } from 'vitest';
import { maximumJsonDepth, parseStrictJsonObject } from '../../../../src/domain/shared/strict-json.js';

describe('parseStrictJsonObject', () => {
  it.each([
    ['a member that occurs twice', '{"exp":1,"exp":2}'],
    ['a member that occurs twice in different spellings', '{"exp":1,"\\u0065xp":2}'],
    ['a member that occurs twice further inside', '{"a":[{"b":1,"b":1}]}'],
    ['anything after the object', '{}x'],
    ['another object after the object', '{}{}'],
    ['an array', '[]'],
    ['no text', ''],
    ['a byte order mark', '\ufeff{}'],
    ['a trailing comma', '{"a":1,}'],
    ['a number that is not finite', '{"a":1e999}'],
    ['a control character in a string', '{"a":"\n"}'],
    ['an unfinished object', '{"a":1'],
    ['an unfinished string', '{"a'],
    ['an unfinished escape', '{"a\\'],
  ])('refuses %s', (_, text) => {
    expect(parseStrictJsonObject(text)).toBeNull();
  });

  it('treats __proto__ as an ordinary member', () => {
    const object = parseStrictJsonObject('{"__proto__":{"admin":true}}');
    expect(Object.keys(object ?? {})).toEqual(['__proto__']);
    expect(object?.['admin']).toBeUndefined();
  });

  it('bounds the nesting depth', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(parseStrictJsonObject(nested(maximumJsonDepth - 1))).not.toBeNull();
    expect(parseStrictJsonObject(nested(maximumJsonDepth))).toBeNull();
    expect(parseStrictJsonObject(nested(1_000_000))).toBeNull();
  });
});
