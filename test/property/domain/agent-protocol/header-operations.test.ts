import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHeaderOperations } from '../../../../src/domain/agent-protocol/header-operations.js';
import type { HeaderOperation } from '../../../../src/domain/agent-protocol/messages.js';

/** Two lengths differ by 32, so their length bits are equal. */
const name = fc.constantFrom(
  'X-A',
  'x-a',
  'X-B',
  `X-${'b'.repeat(33)}`,
  'Host',
  'Content-Length',
  'transfer-encoding',
  'Upgrade',
);
const value = fc.constantFrom('1', '2', '3');
const soup = fc.array(fc.tuple(name, value), { maxLength: 10 });
const operation: fc.Arbitrary<HeaderOperation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set' as const, 'add' as const), name, value }),
  fc.record({ kind: fc.constant('remove' as const), name }),
);
const untouchable = ['content-length', 'transfer-encoding', 'upgrade'];

/** A simple model of the operations, field by field. */
const model = (
  fields: readonly [string, string][],
  { kind, name: given, ...rest }: HeaderOperation,
): [string, string][] => {
  const key = given.toLowerCase();
  const written: [string, string][] = 'value' in rest ? [[given, String(rest.value)]] : [];
  if (untouchable.includes(key) || (key === 'host' && kind !== 'set')) return [...fields];
  if (kind === 'add') return [...fields, ...written];
  const first = fields.findIndex(([field]) => field.toLowerCase() === key);
  const others = fields.filter(([field]) => field.toLowerCase() !== key);
  if (kind === 'remove') return others;
  if (first < 0) return [...others, ...written];
  return [...others.slice(0, first), ...written, ...others.slice(first)];
};

describe('applyHeaderOperations', () => {
  it('applies operations in order to any headers', () => {
    fc.assert(
      fc.property(soup, fc.array(operation, { maxLength: 6 }), (fields, operations) => {
        const expected = operations.reduce<[string, string][]>((state, next) => model(state, next), fields);
        expect(applyHeaderOperations(fields.flat(), operations)).toEqual({ ok: true, value: expected.flat() });
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses names and values with line breaks', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ':', ' ', '\r', '\n', '\0', '\u0085', '\u2028', '\u010a'),
      maxLength: 5,
    });
    fc.assert(
      fc.property(text, text, (dirtyName, dirtyValue) => {
        const result = applyHeaderOperations([], [{ kind: 'add', name: dirtyName, value: dirtyValue }]);
        if (!result.ok) return;
        expect(result.value.join('')).not.toMatch(/[\r\n\0\u2028\u010a]/);
        expect(result.value[0]).toMatch(/^a+$/);
      }),
      { numRuns: 1000 },
    );
  });
});
