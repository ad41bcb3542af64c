import { describe, expect, it } from 'vitest';
import { type ExactJson, UnusableNumber } from '../../../../../../src/domain/agent/policy/json/exact-json.js';
import { maximumValueDepth, valueFromJson } from '../../../../../../src/domain/agent/policy/json/value-from-json.js';
import { ok } from '../../../../../../src/domain/shared/result.js';

const decimal = (text: string): ExactJson => ({ __extn: { fn: 'decimal', arg: text } });
const wrapped = (depth: number): ExactJson => {
  let json: ExactJson = 1;
  for (let level = 0; level < depth; level += 1) json = { a: json };
  return json;
};

describe('valueFromJson', () => {
  it('reads plain values', () => {
    expect(valueFromJson(true)).toEqual(ok(true));
    expect(valueFromJson('text')).toEqual(ok('text'));
    expect(valueFromJson(7)).toEqual(ok(7));
    expect(valueFromJson(9223372036854775807n)).toEqual(ok(9223372036854775807n));
    expect(valueFromJson(-0)).toEqual(ok(0));
  });

  it('converts integers to numbers where safe, so equal longs are equal', () => {
    expect(valueFromJson(7n)).toEqual(ok(7));
  });

  it('reads entities and extension values', () => {
    const entity = { kind: 'entity', type: 'Photos::Album', id: 'a"b' };
    expect(valueFromJson({ __entity: { type: 'Photos::Album', id: 'a"b' } })).toEqual(ok(entity));
    expect(valueFromJson(decimal('1.5'))).toEqual(ok({ kind: 'decimal', units: 15000 }));
    expect(valueFromJson({ __extn: { fn: 'decimal', args: ['1.5'] } })).toEqual(ok({ kind: 'decimal', units: 15000 }));
  });

  it('reads a method as a function with the receiver as first argument', () => {
    const datetime = { __extn: { fn: 'datetime', arg: '1970-01-01' } };
    const json = { __extn: { fn: 'offset', args: [datetime, { __extn: { fn: 'duration', arg: '-5ms' } }] } };
    expect(valueFromJson(json)).toEqual(ok({ kind: 'datetime', ms: -5 }));
    expect(valueFromJson({ __extn: { fn: 'lessThan', args: [decimal('1.0'), decimal('1.1')] } })).toEqual(ok(true));
  });

  it('merges equal elements of a set', () => {
    const set = valueFromJson([decimal('1.0'), decimal('1.00'), { b: 1, a: 2 }, { a: 2, b: 1 }]);
    expect(set.ok && typeof set.value === 'object' && set.value.kind === 'set' && set.value.elements.length).toBe(2);
  });

  it.each<[ExactJson, string]>([
    [null, 'null is not a value of Cedar'],
    [[1, [null]], 'at [1][0]: null is not a value of Cedar'],
    [{ a: { 'b c': 1.5 } }, 'at .a["b c"]: 1.5 is not a 64-bit integer'],
    [2 ** 53, '9007199254740992 is not a 64-bit integer'],
    [Number.NaN, 'NaN is not a 64-bit integer'],
    [2n ** 63n, '9223372036854775808 is not a 64-bit integer'],
    [[new UnusableNumber('1e3')], 'at [0]: 1e3 is not a 64-bit integer'],
    [{ __entity: { type: 'A B', id: 'a' } }, 'at .__entity: "A B" is not the name of an entity type'],
    [{ __extn: { fn: 'money', arg: '1' } }, 'at .__extn: there is no extension function "money"'],
    [{ __extn: { fn: 'toString', arg: '1' } }, 'at .__extn: there is no extension function "toString"'],
    [{ __extn: { fn: 'decimal', args: ['1.0', '2.0'] } }, 'at .__extn: decimal takes 1, not 2 arguments'],
    [{ __expr: 'User::"a"' }, '"__expr" is not supported: write "__entity", "__extn" or plain JSON'],
    [{ __extn: { fn: 'unknown', arg: 'a' } }, 'at .__extn: "unknown" is not supported: give a known value'],
    [{ __entity: { type: 'A', id: 'a', z: [1.5] } }, 'at .__entity.z[0]: 1.5 is not a 64-bit integer'],
    [{ a: [{ __expr: '1' }] }, 'at .a[0]: "__expr" is not supported: write "__entity", "__extn" or plain JSON'],
  ])('refuses an invalid value: %#', (json, error) => {
    expect(valueFromJson(json)).toEqual({ ok: false, error });
  });

  it.each<[string, ExactJson]>([
    ['decimal', 'one'],
    ['decimal', 1],
    ['ip', '10.0.0.256'],
    ['datetime', '2024-02-30'],
    ['duration', '1 day'],
    ['toDate', '2024-01-01'],
  ])('refuses %s of %j, with the path', (fn, arg) => {
    const value = valueFromJson({ since: { __extn: { fn, arg } } });
    expect(value.ok).toBe(false);
    expect(!value.ok && value.error).toMatch(/^at \.since\.__extn: /);
  });

  it.each<ExactJson>([
    { __entity: 1 },
    { __entity: ['User', 'a'] },
    { __entity: { type: 'User' } },
    { __entity: { type: 'User', id: 'a' }, more: 1 },
    { __extn: { fn: 'ip' } },
    { __extn: { fn: 1, arg: '1' } },
    { __extn: { fn: 'ip', arg: '::1' }, more: 1 },
    { __expr: 1 },
    { __expr: '1', more: 1 },
  ])('reads an object without the exact shape of an escape as a record, as Cedar does: %j', (json) => {
    const value = valueFromJson(json);
    expect(value.ok && typeof value.value === 'object' && value.value.kind).toBe('record');
  });

  it('ignores additional keys of an escape, as Cedar does', () => {
    const entity = { kind: 'entity', type: 'A', id: 'a' };
    expect(valueFromJson({ __entity: { type: 'A', id: 'a', z: null } })).toEqual(ok(entity));
    expect(valueFromJson({ __extn: { fn: 'decimal', arg: '1.5', args: [null] } })).toEqual(
      ok({ kind: 'decimal', units: 15000 }),
    );
  });

  it('refuses nesting that could overflow the stack', () => {
    expect(valueFromJson(wrapped(maximumValueDepth)).ok).toBe(true);
    expect(valueFromJson(wrapped(maximumValueDepth + 1)).ok).toBe(false);
    expect(valueFromJson(wrapped(100_000)).ok).toBe(false);
    let call: ExactJson = '1.0';
    for (let level = 0; level < 100_000; level += 1) call = { __extn: { fn: 'decimal', arg: call } };
    expect(valueFromJson(call).ok).toBe(false);
  });
});
