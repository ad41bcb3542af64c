import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { fieldName } from '../../../../../src/adapters/wire/http1/field-names.js';

const nameOf = (name: string): string => fieldName(`xx${name}: value`, 2, 2 + name.length);

const size = 4_000_000;

/** Long texts of octets lie outside the heap. */
const octetsUsed = (): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // What lies outside is given back behind a collection.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe('fieldName', () => {
  it('gives the name in the spelling that it has, whatever was asked before', () => {
    // Names that differ in octets which their slot does not depend on, or only in case, displace one another.
    const names = ['Content-Type', 'content-type', 'CoNtent-Type', 'CxNtent-Type', 'a', 'A', 'ab', 'aab', 'abb'];
    for (let round = 0; round < 3; round += 1) {
      for (const name of names) expect(nameOf(name)).toBe(name);
      names.reverse();
    }
  });

  it('keeps names of more characters than it holds apart', () => {
    const long = 'x'.repeat(64);
    const longer = 'x'.repeat(65);
    for (const name of [long, longer, long, `${longer}y`]) expect(nameOf(name)).toBe(name);
  });

  it('gives as many different names as there are, more than it holds', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `x-${index.toString(36)}-name`);
    expect(names.map(nameOf)).toEqual(names);
    expect(names.map(nameOf)).toEqual(names);
  });

  it.each<[string, (index: number) => string]>([
    ['the text that a name came in', (index) => `x-name-of-some-length-${index}`],
    ['a name that is too long', (index) => `x${index}`.padEnd(size, '-')],
  ])('does not hold on to %s', (_, name) => {
    const before = octetsUsed();
    for (let index = 0; index < 10; index += 1) {
      const text = Buffer.from(`${name(index)}: ${' '.repeat(size)}`).toString('latin1');
      expect(fieldName(text, 0, name(index).length).length).toBe(name(index).length);
    }
    // The last text and its name may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(6 * size);
  });
});
