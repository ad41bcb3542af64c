import { expect, it } from 'vitest';
import { fieldTraits, nominatedByConnection } from '../../../../src/domain/http/field-traits.js';
import { octetsUsed } from '../../../support/gateway/octets-used.js';

it('what is remembered of the names that Connection nominates holds on to no head', () => {
  const size = 4_000_000;
  const before = octetsUsed();
  for (let index = 0; index < 10; index += 1) {
    const name = `x-nominated-of-request-${index}`;
    const head = Buffer.from(`${name}${' '.repeat(size)}`).toString('latin1');
    expect(nominatedByConnection(['Connection', head.slice(0, name.length)])).toEqual(new Set([name]));
    expect(fieldTraits(name)).toBe(0);
  }
  // The last head may still be at hand; all of them would be more.
  expect(octetsUsed() - before).toBeLessThan(4 * size);
});
