import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptedCoding,
  type CompressionCoding,
  compressionCodings,
} from '../../../../../src/domain/gateway/route-transforms/accepted-coding.js';

const members = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('br', 'gzip', 'zstd', 'identity', '*', 'deflate', 'compress'),
    thousandths: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: null }),
    spaces: fc.constantFrom('', ' ', '\t'),
  }),
  { selector: ({ name }) => name },
);
const offered = fc.shuffledSubarray([...compressionCodings], { minLength: 1 });

type Member = { readonly name: string; readonly thousandths: number | null; readonly spaces: string };

const textOf = (list: readonly Member[]): string =>
  list
    .map(({ name, thousandths, spaces }) =>
      thousandths === null ? name : `${name}${spaces};${spaces}q=${(thousandths / 1_000).toFixed(3)}`,
    )
    .join(',');

/** RFC 9110, section 12.5.3, word by word. Null: not listed, and not by `*` either. */
const weightIn = (list: readonly Member[], coding: string): number | null => {
  const member = list.find(({ name }) => name === coding) ?? list.find(({ name }) => name === '*');
  return member === undefined ? null : (member.thousandths ?? 1_000);
};

describe('the accepted coding', () => {
  it('is acceptable to the client, none is heavier, and none of that weight stands before it', () => {
    fc.assert(
      fc.property(members, offered, (list, codings) => {
        const chosen = acceptedCoding(['accept-encoding', textOf(list)], codings);
        const weights = codings.map((coding) => weightIn(list, coding) ?? 0);
        const identity = weightIn(list, 'identity') ?? 0;
        const heaviest = Math.max(...weights);
        if (chosen === null) expect(heaviest === 0 || heaviest < identity).toBe(true);
        else {
          expect(heaviest).toBeGreaterThanOrEqual(Math.max(1, identity));
          expect(chosen).toBe(codings[weights.indexOf(heaviest)]);
        }
      }),
    );
  });

  it('is never one that the client excludes, in any order and in any number of fields', () => {
    fc.assert(
      fc.property(members, offered, fc.constantFrom<CompressionCoding>(...compressionCodings), (list, codings, out) => {
        const fields = [...list, { name: out, thousandths: 0, spaces: '' }].flatMap((member) => [
          'Accept-Encoding',
          textOf([member]),
        ]);
        expect(acceptedCoding(fields, codings)).not.toBe(out);
      }),
    );
  });

  it('is one that was offered, or none, for any text', () => {
    fc.assert(
      fc.property(fc.string(), offered, (text, codings) => {
        const chosen = acceptedCoding(['Accept-Encoding', text], codings);
        if (chosen !== null) {
          expect(codings).toContain(chosen);
          expect(/\*|br|gzip|zstd/i.test(text)).toBe(true);
        }
      }),
    );
  });
});
