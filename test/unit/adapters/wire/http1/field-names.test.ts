import { describe, expect, it } from 'vitest';
import { FieldNames } from '../../../../../src/adapters/wire/http1/message-head.js';

const names = new FieldNames((name) => (name.startsWith('x') ? 1 : name.length << 1));

const nameOf = (name: string): string => names.take(`xx${name}: value`, 2, 2 + name.length);

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
});
