import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptTracestate,
  readTraceFields,
  withTraceFields,
} from '../../../../src/domain/gateway/tracing/trace-fields.js';
import { formatTraceparent, parseTraceparent } from '../../../../src/domain/http/trace-context.js';

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const id = (length: number): fc.Arbitrary<string> => hex(length).filter((text) => /[^0]/.test(text));
const contexts = fc.record({ traceId: id(32), spanId: id(16), isSampled: fc.boolean(), hasRandomId: fc.boolean() });

/** The grammar of the specification, as expressions. */
const grammar = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;
const isWellFormed = (text: string): boolean => grammar.test(text) && (!text.startsWith('00') || text.length === 55);

/** Fields that are nearly right: one character of a good one is another. */
const nearMisses = fc
  .tuple(contexts, hex(2), hex(2), fc.nat(58), fc.constantFrom('', '0', '-', 'f', 'F', 'g', ' ', '-x', '\u00e9'))
  .map(([context, version, flags, at, change]) => {
    const text = `${version}${formatTraceparent(context).slice(2, 53)}${flags}`;
    return text.slice(0, at) + change + text.slice(at + 1);
  });

describe('traceparent', () => {
  it('says to the next program what it said', () => {
    fc.assert(
      fc.property(contexts, (context) => {
        expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
      }),
      { numRuns: 500 },
    );
  });

  it('is read where the grammar has it so, and nowhere else', () => {
    fc.assert(
      fc.property(fc.oneof(nearMisses, fc.string({ maxLength: 70 })), (text) => {
        expect([text, parseTraceparent(text) !== null]).toEqual([text, isWellFormed(text)]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('tracestate', () => {
  const member = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
  const pieces = fc.constantFrom('a', 'b', 'k1', '=', ',', ' ', 'x@y', '\t', 'A', '=1', 'a=1', ',b=2', 'v'.repeat(120));
  const lines = fc.array(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    { maxLength: 4 },
  );

  it('is passed on whole or not at all, within its bounds', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const wanted = given
          .join(',')
          .split(',')
          .map((text) => text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, ''))
          .filter((text) => text !== '');
        const keys = wanted.map((text) => text.split('=')[0]);
        const isGood =
          wanted.length > 0 &&
          wanted.length <= 32 &&
          given.join(',').length <= 512 &&
          wanted.every((text) => member.test(text)) &&
          new Set(keys).size === keys.length;
        expect(acceptTracestate(given)).toBe(isGood ? wanted.join(',') : null);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('trace fields', () => {
  it('are those that were written, once, and all else stays', () => {
    const names = fc.constantFrom(
      'Host',
      'traceparent',
      'Traceparent',
      'TRACESTATE',
      'tracestate',
      'x-trace',
      'baggage',
    );
    const headers = fc.array(fc.tuple(names, fc.string({ maxLength: 8 })), { maxLength: 8 }).map((all) => all.flat());
    fc.assert(
      fc.property(headers, contexts, fc.constantFrom(null, 'a=1'), (given, context, state) => {
        const written = withTraceFields(given, formatTraceparent(context), state);
        expect(readTraceFields(written)).toEqual({ parent: context, state });
        const others = (list: readonly string[]): string[] =>
          list.filter((_, index) => !/^trace(?:parent|state)$/i.test(list[index - (index % 2)] as string));
        expect(others(written)).toEqual(others(given));
      }),
      { numRuns: 500 },
    );
  });
});
