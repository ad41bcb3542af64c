import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDistinguishedName,
  maximumDistinguishedNameLength,
  nameKey,
  parseDistinguishedName,
} from '../../../../../src/domain/agent/client-certificates/distinguished-name.js';
import type { DistinguishedName, NameAttribute } from '../../../../../src/domain/shared/certificate.js';

const sameName = (left: DistinguishedName, right: DistinguishedName): boolean => nameKey(left) === nameKey(right);

const types = ['2.5.4.3', '2.5.4.10', '2.5.4.11', '0.9.2342.19200300.100.1.25', '1.2.840.113549.1.9.1', '1.2.3.4'];
const names: Readonly<Record<string, readonly string[]>> = {
  '2.5.4.3': ['CN', 'commonName', '2.5.4.3', 'OID.2.5.4.3'],
  '2.5.4.10': ['O', 'organizationName', '2.5.4.10'],
  '2.5.4.11': ['OU', '2.5.4.11'],
  '0.9.2342.19200300.100.1.25': ['DC', 'domainComponent'],
  '1.2.840.113549.1.9.1': ['emailAddress', 'E', 'email'],
  '1.2.3.4': ['1.2.3.4', 'oid.1.2.3.4'],
};

const awkward = fc.constantFrom(
  ...(' ,;+"\\<>=#/*\0\t\n\x7faAzZ09éßſıİΣςσﬁＡ\u00a0\u200b\u0301\u{1f600}'.match(/./gsu) ?? []),
);
const value = fc.oneof(
  fc.string({ unit: awkward, maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', ' ', '#', '#0401ff', '0401ff', 'api', 'CN=admin', 'API'),
);
const attribute: fc.Arbitrary<NameAttribute> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom(...types), isText: fc.constant(true), value }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom(...types),
      isText: fc.constant(false),
      value: fc.constantFrom('0401ff', '0500', '30030c0161', '0403aabbcc', '1401e9'),
    }),
  },
);
const name: fc.Arbitrary<DistinguishedName> = fc.array(fc.array(attribute, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
});

const parsed = (text: string): DistinguishedName => {
  const result = parseDistinguishedName(text);
  if (!result.ok) throw new Error(`${text}: ${result.error}`);
  return result.value;
};

const hex = (character: string): string =>
  [...Buffer.from(character)].map((octet) => `\\${octet.toString(16).padStart(2, '0')}`).join('');

const sometimes = (text: string, bit: number): string => (bit % 2 === 0 ? text.toUpperCase() : text.toLowerCase());

/** One of the many ways in which an attribute may be written; `dice` choose it. */
const spelt = ({ type, isText, value: meant }: NameAttribute, dice: readonly number[]): string => {
  const roll = (index: number): number => dice[index % dice.length] ?? 0;
  const choices = names[type] ?? [type];
  const written = sometimes(choices[roll(0) % choices.length] ?? type, roll(1));
  const pad = ' '.repeat(roll(2) % 3);
  if (!isText) return `${pad}${written}${pad}=${pad}#${sometimes(meant, roll(3))}${pad}`;
  if (roll(3) % 5 === 0) {
    const octets = Buffer.from(meant).toString('hex');
    const length = octets.length / 2;
    if (length < 128) return `${written}=${pad}#0c${length.toString(16).padStart(2, '0')}${octets}${pad}`;
  }
  const characters = [...meant];
  const isQuoted = roll(3) % 5 === 1;
  const text = characters
    .map((character, index) => {
      if (character < ' ' || character === '\x7f' || roll(index + 4) % 4 === 0) return hex(character);
      if ('"\\'.includes(character)) return `\\${character}`;
      if (isQuoted) return character;
      const isEdge = index === 0 || index === characters.length - 1;
      if (',;+<>'.includes(character) || (isEdge && ' #'.includes(character))) return `\\${character}`;
      return character === '=' && roll(index) % 2 === 0 ? '\\=' : character;
    })
    .join('');
  const quote = isQuoted ? '"' : '';
  return `${pad}${written}${pad}=${pad}${quote}${text}${quote}${pad}`;
};

const spelling = (meant: DistinguishedName, dice: readonly number[]): string =>
  meant
    .map((attributes, part) =>
      attributes
        .map((one, index) => spelt(one, [...dice.slice((part + index) % dice.length), ...dice]))
        .join(' + '.slice((dice[0] ?? 0) % 2, 3 - ((dice[0] ?? 0) % 2))),
    )
    .reverse()
    .join((dice[1] ?? 0) % 3 === 0 ? ';' : ',');

const dice = fc.array(fc.nat(60), { minLength: 12, maxLength: 12 });

describe('distinguished names', () => {
  it('parse to exactly what was written', () => {
    fc.assert(
      fc.property(name, (meant) => {
        expect(parsed(formatDistinguishedName(meant))).toEqual(meant);
      }),
      { numRuns: 2000 },
    );
  });

  it('parse equally in every spelling', () => {
    fc.assert(
      fc.property(name, dice, (meant, chosen) => {
        expect(parsed(spelling(meant, chosen))).toEqual(meant);
      }),
      { numRuns: 2000 },
    );
  });

  it('are equal regardless of the order inside a part, case and spaces', () => {
    const respaced = (one: NameAttribute): NameAttribute =>
      one.type === '1.2.3.4' || !one.isText
        ? one
        : { ...one, value: `  ${one.value.replaceAll(' ', '   ')} `.normalize('NFD') };
    const recased = (one: NameAttribute): NameAttribute =>
      one.type === '1.2.3.4' || !one.isText
        ? one
        : { ...one, value: one.value.replace(/[a-zα-ωа-я]/g, (letter) => letter.toUpperCase()) };
    fc.assert(
      fc.property(name, (meant) => {
        const reversed = meant.map((attributes) => attributes.toReversed());
        expect(sameName(meant, reversed)).toBe(true);
        expect(
          sameName(
            meant,
            reversed.map((attributes) => attributes.map(recased)),
          ),
        ).toBe(true);
        expect(
          sameName(
            meant,
            meant.map((attributes) => attributes.map(respaced)),
          ),
        ).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('compare as an equivalence relation', () => {
    const few = fc.array(
      fc.array(
        fc.record({
          type: fc.constantFrom('2.5.4.3', '1.2.3.4'),
          isText: fc.boolean(),
          value: fc.constantFrom('0401ff', 'a', 'A', 'a ', 'ß', 'ss', 'SS', 'ı', 'i', ''),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      { minLength: 1, maxLength: 2 },
    );
    fc.assert(
      fc.property(few, few, few, (left, middle, right) => {
        expect(sameName(left, left)).toBe(true);
        expect(sameName(left, middle)).toBe(sameName(middle, left));
        if (sameName(left, middle) && sameName(middle, right)) expect(sameName(left, right)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('are equal only if a naive comparison of ASCII names agrees', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', '\0'), maxLength: 4 });
    const ascii = fc.array(
      fc.array(fc.record({ type: fc.constantFrom('2.5.4.3', '2.5.4.10'), isText: fc.constant(true), value: letters }), {
        minLength: 1,
        maxLength: 2,
      }),
      { minLength: 1, maxLength: 2 },
    );
    const naive = (one: DistinguishedName): string =>
      JSON.stringify(
        one.map((attributes) =>
          attributes
            .map(({ type, value: text }) => `${type}=${text.toLowerCase().replace(/ +/g, ' ').replace(/^ | $/g, '')}`)
            .sort(),
        ),
      );
    fc.assert(
      fc.property(ascii, ascii, (left, right) => {
        expect(sameName(left, right)).toBe(naive(left) === naive(right));
      }),
      { numRuns: 3000 },
    );
  });

  it('accept or refuse any text, and round-trip accepted texts', () => {
    const soup = fc.string({
      unit: fc.oneof(awkward, fc.constantFrom('CN=', 'O = ', '2.5.4.3=', '\\2C', '\\C3\\A9', '#0c0161', '#04', ',')),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
        const result = parseDistinguishedName(text);
        if (!result.ok) expect(result.error).not.toBe('');
        else expect(parsed(formatDistinguishedName(result.value))).toEqual(result.value);
      }),
      { numRuns: 3000 },
    );
  });

  it('refuse texts above the maximum length', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', '\\ ', ' ', '\\C3\\A9', '"', ',CN=', '+'), (piece) => {
        const text = `CN=${piece.repeat(maximumDistinguishedNameLength)}`;
        expect(parseDistinguishedName(text).ok).toBe(false);
      }),
    );
  });
});
