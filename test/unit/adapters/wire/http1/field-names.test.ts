import { describe, expect, it } from 'vitest';
import { FieldNames } from '../../../../../src/adapters/wire/http1/field-names.js';
import { octetsUsed } from '../../../../support/gateway/octets-used.js';

const names = new FieldNames((name) => (name.startsWith('x') ? 1 : name.length << 1));

const nameOf = (name: string): string => names.take(`xx${name}: value`, 2, 2 + name.length);

const size = 4_000_000;

describe('FieldNames', () => {
  it('gives the name in the spelling that it has, whatever was asked before', () => {
    // Names that differ in octets which their slot does not depend on, or only in case, displace one another.
    const alike = ['Content-Type', 'content-type', 'CoNtent-Type', 'CxNtent-Type', 'a', 'A', 'ab', 'aab', 'abb'];
    for (let round = 0; round < 3; round += 1) {
      for (const name of alike) expect(nameOf(name)).toBe(name);
      alike.reverse();
    }
  });

  it('keeps names of more characters than it holds apart', () => {
    const long = 'x'.repeat(64);
    const longer = 'x'.repeat(65);
    for (const name of [long, longer, long, `${longer}y`]) expect(nameOf(name)).toBe(name);
  });

  it('gives as many different names as there are, more than it holds', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `x-${index.toString(36)}-name`);
    expect(many.map(nameOf)).toEqual(many);
    expect(many.map(nameOf)).toEqual(many);
  });

  it('tells the marks of the names since they were cleared, whether or not it knew them', () => {
    const long = 'z'.repeat(65);
    for (let round = 0; round < 2; round += 1) {
      names.marks = 0;
      nameOf('abcd');
      expect(names.marks).toBe(8);
      nameOf('x');
      expect(names.marks).toBe(9);
      nameOf(long);
      expect(names.marks).toBe(9 | 130);
    }
  });

  it.each<[string, (index: number) => string]>([
    ['the text that a name came in', (index) => `x-name-of-some-length-${index}`],
    ['a name that is too long', (index) => `x${index}`.padEnd(size, '-')],
  ])('does not hold on to %s', (_, name) => {
    const before = octetsUsed();
    for (let index = 0; index < 10; index += 1) {
      const text = Buffer.from(`${name(index)}: ${' '.repeat(size)}`).toString('latin1');
      expect(names.take(text, 0, name(index).length).length).toBe(name(index).length);
    }
    // The last text and its name may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(6 * size);
  });
});
