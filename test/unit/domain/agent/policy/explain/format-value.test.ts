import { describe, expect, it } from 'vitest';
import { formatDatetime, formatValue } from '../../../../../../src/domain/agent/policy/explain/format-value.js';
import { recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { setOf } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';

describe('a value as Cedar text', () => {
  it.each<[string, Value]>([
    ['true', true],
    ['-9223372036854775808', -9223372036854775808n],
    ['"a\\"b\\\\\\n\\u{202e}"', 'a"b\\\n\u202e'],
    ['User::"o\'hara"', { kind: 'entity', type: 'User', id: "o'hara" }],
    ['[1, "a"]', setOf([1, 'a'])],
    [
      '{a: 1, "b c": []}',
      recordOf([
        ['a', 1],
        ['b c', setOf([])],
      ]),
    ],
    ['decimal("-0.05")', { kind: 'decimal', units: -500 }],
    ['decimal("12.0")', { kind: 'decimal', units: 120_000 }],
    ['decimal("-922337203685477.5808")', { kind: 'decimal', units: -9223372036854775808n }],
    ['ip("10.0.0.0/8")', { kind: 'ip', version: 4, address: 10n << 24n, prefixLength: 8 }],
    ['ip("127.0.0.1")', { kind: 'ip', version: 4, address: (127n << 24n) + 1n, prefixLength: 32 }],
    ['ip("::1")', { kind: 'ip', version: 6, address: 1n, prefixLength: 128 }],
    ['ip("2001:db8::/32")', { kind: 'ip', version: 6, address: 0x20010db8n << 96n, prefixLength: 32 }],
    ['ip("1:0:2::")', { kind: 'ip', version: 6, address: (1n << 112n) + (2n << 80n), prefixLength: 128 }],
    ['duration("-5ms")', { kind: 'duration', ms: -5 }],
  ])('%s', (text, value) => {
    expect(formatValue(value)).toBe(text);
  });

  it('is cut if long or deep', () => {
    expect(formatValue('x'.repeat(300))).toBe(`"${'x'.repeat(200)}"...`);
    expect(formatValue(setOf(Array.from({ length: 22 }, (_, index) => index)))).toMatch(/19, \.\.\. 2 more\]$/);
    let deep: Value = 1;
    for (let depth = 0; depth < 10; depth += 1) deep = setOf([deep]);
    expect(formatValue(deep)).toBe('[[[[[[[...]]]]]]]');
  });
});

describe('a datetime as Cedar text', () => {
  it.each([
    [0, 'datetime("1970-01-01")'],
    [-1, 'datetime("1969-12-31T23:59:59.999Z")'],
    [951_782_400_000, 'datetime("2000-02-29")'],
    [1_709_251_200_001, 'datetime("2024-03-01T00:00:00.001Z")'],
    [253_402_300_799_999, 'datetime("9999-12-31T23:59:59.999Z")'],
    [253_402_300_800_000, 'datetime("1970-01-01").offset(duration("253402300800000ms"))'],
    [-62_167_219_200_000, 'datetime("0000-01-01")'],
  ])('%d', (ms, text) => {
    expect(formatDatetime(ms)).toBe(text);
  });
});
