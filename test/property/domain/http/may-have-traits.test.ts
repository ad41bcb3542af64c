import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldTraits, mayHaveTraits, namesWithTraits } from '../../../../src/domain/http/field-traits.js';
import { token } from '../../../support/gateway/http1-arbitraries.js';

/** The name with its letters in any case, and other separators. */
const disguised = fc
  .tuple(
    fc.constantFrom(...namesWithTraits),
    fc.infiniteStream(fc.constantFrom('keep', 'turn')),
    fc.constantFrom(...'-_.~'),
  )
  .map(([name, turns, separator]) =>
    Array.from(name, (letter) => {
      if (letter === '-') return separator;
      return turns.next().value === 'turn' ? letter.toUpperCase() : letter;
    }).join(''),
  );

it('no name that has traits is told to have none', () => {
  let some = 0;
  fc.assert(
    fc.property(fc.oneof(disguised, token), (name) => {
      if (fieldTraits(name) === 0) return;
      some += 1;
      expect(mayHaveTraits(name.length, name.charCodeAt(0))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(some).toBeGreaterThan(1_000);
});

it('each of the names that have traits has some', () => {
  for (const name of namesWithTraits) expect(fieldTraits(name)).not.toBe(0);
});

it.each([
  'Server',
  'Content-Type',
  'ETag',
  'Vary',
  'Cache-Control',
  'Set-Cookie',
  'Last-Modified',
  'X-Content-Type-Options',
])('the common name %s need not be looked up', (name) => {
  expect(mayHaveTraits(name.length, name.charCodeAt(0))).toBe(false);
});
