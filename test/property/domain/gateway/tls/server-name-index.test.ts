import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexOfServerName, serverNameIndex } from '../../../../../src/domain/gateway/tls/server-name-index.js';

const label = fc.constantFrom('a', 'B', 'b', 'www', 'example', '');
const name = fc
  .tuple(fc.constantFrom('', '*.'), fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '.'))
  .map(([star, labels, dot]) => star + labels.join('.') + dot);

const labelsOf = (text: string): string[] => text.toLowerCase().replace(/\.$/, '').split('.');
const same = (one: readonly string[], other: readonly string[]): boolean => one.join('.') === other.join('.');

/** A linear search through all names, once for each rank. */
const searched = (certificates: readonly (readonly string[])[], asked: string): number => {
  const wanted = labelsOf(asked);
  const find = (fits: (labels: readonly string[]) => boolean): number =>
    certificates.findIndex((names) => names.some((candidate) => fits(labelsOf(candidate))));
  const exact = find((labels) => !labels.includes('*') && labels.join('.') !== '' && same(labels, wanted));
  if (exact >= 0) return exact;
  const [first, ...rest] = wanted;
  if (first === '' || rest.length === 0) return 0;
  return Math.max(
    0,
    find((labels) => labels[0] === '*' && labels.slice(1).join('.') !== '' && same(labels.slice(1), rest)),
  );
};

it('agrees with a linear search', () => {
  fc.assert(
    fc.property(fc.array(fc.array(name, { maxLength: 4 }), { minLength: 1, maxLength: 5 }), name, (names, asked) => {
      expect(indexOfServerName(serverNameIndex(names), asked)).toBe(searched(names, asked));
    }),
    { numRuns: 2_000 },
  );
});
