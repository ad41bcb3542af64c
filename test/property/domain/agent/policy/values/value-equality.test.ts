import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extensionFunction } from '../../../../../../src/domain/agent/policy/extensions/extension-functions.js';
import { entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { longFromBigint } from '../../../../../../src/domain/agent/policy/values/long.js';
import { recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { setHas, setOf } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';
import { valueKey } from '../../../../../../src/domain/agent/policy/values/value-key.js';
import { cedarConditions, cedarString } from '../../../../../support/agent/cedar-conditions.js';
import { many } from '../../../../../support/shared/near-misses.js';

/** A value, and how Cedar writes it. */
interface Written {
  readonly value: Value;
  readonly text: string;
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 's', '1', ':', '{', '😀'), maxLength: 3 });
const leaf: fc.Arbitrary<Written> = fc.oneof(
  fc.boolean().map((value) => ({ value, text: String(value) })),
  fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n).map((n) => ({
    value: longFromBigint(n) ?? expect.fail('beyond 64 bits'),
    text: String(n),
  })),
  text.map((value) => ({ value, text: cedarString(value) })),
  fc
    .tuple(fc.constantFrom('A', 'A::B'), text)
    .map(([type, id]) => ({ value: entityUid(type, id), text: `${type}::${cedarString(id)}` })),
  fc
    .constantFrom(
      ['decimal', '1.0'],
      ['decimal', '1.00'],
      ['ip', '10.0.0.1'],
      ['ip', '10.0.0.1/32'],
      ['ip', '10.0.0.1/8'],
      ['ip', '::a00:1'],
      ['datetime', '1970-01-02'],
      ['datetime', '1970-01-02T00:00:00Z'],
      ['duration', '1d'],
      ['duration', '24h'],
    )
    .map(([name, given]) => ({
      value: extensionFunction(name as string)?.([given as string]) as Value,
      text: `${name}("${given}")`,
    })),
);

const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('written'), { maxLength: 3 }).map((parts) => ({
      value: setOf(parts.map((part) => part.value)),
      text: `[${parts.map((part) => part.text).join(', ')}]`,
    })),
    fc.uniqueArray(fc.tuple(text, tie('written')), { maxLength: 2, selector: ([name]) => name }).map((entries) => ({
      value: recordOf(entries.map(([name, part]) => [name, part.value])),
      text: `{${entries.map(([name, part]) => `${cedarString(name)}: ${part.text}`).join(', ')}}`,
    })),
  ),
}));

/** The value again with its sets and records in another order, and its sets with members twice. */
const reordered = (value: Value): Value => {
  if (typeof value !== 'object') return value;
  if (value.kind === 'set') return setOf([...value.elements, ...value.elements].reverse().map(reordered));
  if (value.kind !== 'record') return value;
  return recordOf([...value.attributes].reverse().map(([name, part]) => [name, reordered(part)]));
};

describe('equality', () => {
  it('matches the official implementation for values and for keys', () => {
    fc.assert(
      fc.property(many(fc.tuple(written, written)), (pairs) => {
        const expected = cedarConditions(pairs.map(([a, b]) => `${a.text} == ${b.text}`));
        expect(pairs.map(([a, b]) => String(equalValues(a.value, b.value)))).toEqual(expected);
        expect(pairs.map(([a, b]) => String(valueKey(a.value) === valueKey(b.value)))).toEqual(expected);
      }),
      { numRuns: 5 },
    );
  });

  it('decides set membership as the official implementation does', () => {
    const members = fc.array(written, { maxLength: 4 });
    const question = fc.tuple(members, written, fc.nat({ max: 4 })).map(([parts, other, index]) => ({
      set: setOf(parts.map((part) => part.value)),
      text: `[${parts.map((part) => part.text).join(', ')}]`,
      sought: parts[index] ?? other,
    }));
    fc.assert(
      fc.property(many(question), (questions) => {
        const expected = cedarConditions(questions.map(({ text: set, sought }) => `${set}.contains(${sought.text})`));
        expect(questions.map(({ set, sought }) => String(setHas(set, sought.value)))).toEqual(expected);
      }),
      { numRuns: 4 },
    );
  });

  it('ignores the order of sets and records', () => {
    fc.assert(
      fc.property(written, ({ value }) => {
        expect(equalValues(value, reordered(value))).toBe(true);
        expect(valueKey(value)).toBe(valueKey(reordered(value)));
      }),
      { numRuns: 400 },
    );
  });

  it('agrees with the keys of any two values', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        expect(equalValues(a.value, b.value)).toBe(valueKey(a.value) === valueKey(b.value));
      }),
      { numRuns: 800 },
    );
  });
});
