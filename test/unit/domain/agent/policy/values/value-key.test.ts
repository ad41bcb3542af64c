import { describe, expect, it } from 'vitest';
import { parseDatetime } from '../../../../../../src/domain/agent/policy/extensions/datetime.js';
import { parseCedarDecimal } from '../../../../../../src/domain/agent/policy/extensions/decimal.js';
import { parseCedarDuration } from '../../../../../../src/domain/agent/policy/extensions/duration.js';
import { parseIp } from '../../../../../../src/domain/agent/policy/extensions/ip-address.js';
import { entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { emptyRecord, recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { emptySet, setHas, setOf } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import { typeName } from '../../../../../../src/domain/agent/policy/values/type-name.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';
import { valueKey } from '../../../../../../src/domain/agent/policy/values/value-key.js';

const there = (value: Value | null): Value => {
  if (value === null) throw new Error('the test has a text that cannot be read');
  return value;
};

/** No two of them are equal, though their texts are alike. */
const different: readonly Value[] = [
  true,
  false,
  1,
  0,
  2n ** 60n,
  '1',
  'true',
  '',
  '\0',
  '\0eUser\0a',
  '\0s\0eUser\0a',
  '\0{',
  '\0{s1:a',
  '\0(',
  '\0d10000',
  's1:a',
  'User\0a',
  entityUid('User', 'a'),
  entityUid('User', ''),
  entityUid('User', '\0a'),
  emptySet,
  emptyRecord,
  setOf([emptySet]),
  setOf([emptyRecord]),
  setOf([1]),
  setOf(['1']),
  setOf([true]),
  setOf([1, true]),
  setOf(['a', 'b']),
  setOf(['as1:b']),
  setOf(['a;', 'b']),
  setOf([setOf(['a']), 'b']),
  setOf([setOf(['a', 'b'])]),
  setOf([setOf(['a']), setOf(['b'])]),
  recordOf([['a', 1]]),
  recordOf([['a', '1']]),
  recordOf([['a', true]]),
  recordOf([['', recordOf([['a', 1]])]]),
  recordOf([
    ['a', 1],
    ['b', 1],
  ]),
  recordOf([['a', recordOf([['b', 1]])]]),
  there(parseCedarDecimal('1.0')),
  there(parseCedarDuration('10s')),
  there(parseDatetime('1970-01-01T00:00:10Z')),
  there(parseIp('0.0.0.1')),
  there(parseIp('0.0.0.1/8')),
  there(parseIp('::1')),
  there(parseIp('::')),
  there(parseIp('0.0.0.0')),
];

describe('values', () => {
  it('have distinct keys if they differ, and are unequal', () => {
    const same = different.flatMap((a, i) =>
      different.flatMap((b, j) => (i !== j && (equalValues(a, b) || valueKey(a) === valueKey(b)) ? [[i, j]] : [])),
    );
    expect(same).toEqual([]);
    for (const value of different) expect(equalValues(value, value)).toBe(true);
  });

  it('are equal for any order of elements and attributes', () => {
    const pairs: readonly (readonly [Value, Value])[] = [
      [setOf(['a', 'b', 'a']), setOf(['b', 'a'])],
      [setOf([setOf([1, 2]), emptySet]), setOf([emptySet, setOf([2, 1])])],
      [
        recordOf([
          ['x', setOf([1, 2])],
          ['y', 'z'],
        ]),
        recordOf([
          ['y', 'z'],
          ['x', setOf([2, 1])],
        ]),
      ],
      [there(parseIp('10.0.0.1')), there(parseIp('10.0.0.1/32'))],
      [there(parseCedarDecimal('1.5')), there(parseCedarDecimal('01.500'))],
      [there(parseCedarDuration('1d')), there(parseCedarDuration('24h'))],
    ];
    for (const [a, b] of pairs) {
      expect(equalValues(a, b)).toBe(true);
      expect(valueKey(a)).toBe(valueKey(b));
    }
  });

  it('have keys of linear size for nested sets', () => {
    let nested: Value = setOf(['x'.repeat(1000)]);
    for (let depth = 0; depth < 100; depth += 1) nested = setOf([nested, depth]);
    expect(String(valueKey(nested)).length).toBeLessThan(5000);
  });

  it('cache their long keys', () => {
    class CountedMap extends Map<string, Value> {
      listed = 0;
      override keys(): MapIterator<string> {
        this.listed += 1;
        return super.keys();
      }
    }
    const attributes = new CountedMap(Array.from({ length: 100 }, (_, index) => [`name${index}`, index]));
    const record = { kind: 'record', attributes } satisfies Value;
    const keys = [record, record].map(valueKey);
    setOf([record, setOf([record]), recordOf([['inside', record]])]);
    expect(attributes.listed).toBe(1);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toBe(valueKey(recordOf(attributes)));
    expect(keys[0]).not.toBe(valueKey(recordOf([...attributes, ['name0', 1]])));
  });

  it('keep the first of equal values in a set', () => {
    const set = setOf(['a', 1, true, 'a', 1, entityUid('User', 'a'), entityUid('User', 'a')]);
    expect(set.elements).toEqual(['a', 1, true, entityUid('User', 'a')]);
    expect(setHas(set, entityUid('User', 'a'))).toBe(true);
    expect(setHas(set, false)).toBe(false);
    expect(setHas(set, '1')).toBe(false);
  });

  it('keep the last of equal names in a record', () => {
    expect(
      recordOf([
        ['a', 1],
        ['a', 2],
      ]).attributes,
    ).toEqual(new Map([['a', 2]]));
  });

  it('have type names that do not reveal the value', () => {
    const names = [
      true,
      7,
      2n ** 60n,
      'secret',
      entityUid('User', 'secret'),
      emptySet,
      emptyRecord,
      there(parseCedarDecimal('1.0')),
      there(parseIp('::1')),
      there(parseDatetime('2024-01-01')),
      there(parseCedarDuration('1d')),
    ].map(typeName);
    expect(names.join(', ')).toBe(
      'bool, long, long, string, entity of type User, set, record, decimal, ipaddr, datetime, duration',
    );
  });
});
