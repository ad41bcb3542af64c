import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { parseDatetime } from '../../../../../../src/domain/agent/policy/extensions/datetime.js';
import { parseCedarDuration } from '../../../../../../src/domain/agent/policy/extensions/duration.js';
import { extensionFunction } from '../../../../../../src/domain/agent/policy/extensions/extension-functions.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { cedarConditions, cedarString } from '../../../../../support/agent/cedar-conditions.js';
import { many, nearMisses } from '../../../../../support/shared/near-misses.js';

const number = (digits: number, max: number): fc.Arbitrary<string> =>
  fc.nat({ max }).map((value) => String(value).padStart(digits, '0'));
const date = fc
  .tuple(fc.oneof(number(4, 9999), fc.constantFrom('0000', '1900', '2000', '2024')), number(2, 13), number(2, 32))
  .map((parts) => parts.join('-'));
const clock = fc.tuple(number(2, 24), number(2, 60), number(2, 60)).map((parts) => `T${parts.join(':')}`);
const fraction = fc.oneof(
  fc.constant(''),
  number(3, 999).map((digits) => `.${digits}`),
);
const zone = fc.oneof(
  fc.constant('Z'),
  fc.tuple(fc.constantFrom('+', '-'), number(2, 24), number(2, 60)).map((parts) => parts.join('')),
);
const datetimeText = fc.oneof(
  date,
  fc.tuple(date, clock, fraction, zone).map((parts) => parts.join('')),
);

const count = fc.oneof(
  fc.nat({ max: 100 }).map(String),
  fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '9223372036854775809', '00000000000000000000001'),
);
const part = (unit: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(''),
    count.map((digits) => digits + unit),
  );
const durationText = fc
  .tuple(fc.constantFrom('', '-'), part('d'), part('h'), part('m'), part('s'), part('ms'))
  .map((parts) => parts.join(''));

/** A time that many milliseconds from the epoch, however far. */
const timeAt = (ms: bigint): string => `datetime("1970-01-01").offset(duration("${ms}ms"))`;

const day = 86_400_000n;
const anyMs = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -3n * day, max: 3n * day }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -day, day, -1n, 999n, -999n, -60_000n),
  fc.bigInt({ min: -10n, max: 10n }).map((days) => days * day),
);

const call = (name: string, ...args: Outcome[]): Outcome => {
  const called = extensionFunction(name);
  if (called === undefined) throw new Error(`there is no function ${name}`);
  return called(args as Value[]);
};
const epoch = call('datetime', '1970-01-01');
const made = (ms: bigint): { readonly time: Outcome; readonly duration: Outcome } => {
  const duration = call('duration', `${ms}ms`);
  return { duration, time: call('offset', epoch, duration) };
};

/** Milliseconds or a number; `error` where there are none. */
const shown = (outcome: Outcome): string => {
  if (typeof outcome !== 'object') return String(outcome);
  return outcome.kind === 'datetime' || outcome.kind === 'duration' ? String(outcome.ms) : outcome.kind;
};

describe('datetimes and durations compared with the official implementation', () => {
  it('parse the same datetimes to the same values', () => {
    fc.assert(
      fc.property(many(nearMisses(datetimeText, '0123456789-:.TZ+ tz')), (texts) => {
        const parsed = texts.map(parseDatetime);
        const conditions = texts.map(
          (given, index) => `datetime(${cedarString(given)}) == ${timeAt(BigInt(parsed[index]?.ms ?? 0))}`,
        );
        expect(parsed.map((value) => (value === null ? 'error' : 'true'))).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 15 },
    );
  });

  it('parse the same durations to the same values', () => {
    fc.assert(
      fc.property(many(nearMisses(durationText, '0123456789dhms-+. ')), (texts) => {
        const parsed = texts.map(parseCedarDuration);
        const conditions = texts.map(
          (given, index) => `duration(${cedarString(given)}).toMilliseconds() == ${parsed[index]?.ms ?? 0}`,
        );
        expect(parsed.map((value) => (value === null ? 'error' : 'true'))).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 15 },
    );
  });

  it('compute the same results up to the limits of 64 bits', () => {
    const method = fc.constantFrom(
      'offset',
      'durationSince',
      'toDate',
      'toTime',
      'toMilliseconds',
      'toSeconds',
      'toMinutes',
      'toHours',
      'toDays',
    );
    fc.assert(
      fc.property(many(fc.tuple(method, anyMs, anyMs)), (questions) => {
        const results = questions.map(([name, a, b]) => {
          if (name === 'offset') return shown(call(name, made(a).time, made(b).duration));
          if (name === 'durationSince') return shown(call(name, made(a).time, made(b).time));
          return shown(call(name, name === 'toDate' || name === 'toTime' ? made(a).time : made(a).duration));
        });
        const conditions = questions.map(([name, a, b], index) => {
          const result = results[index] === 'error' ? '0' : (results[index] as string);
          if (name === 'offset') return `${timeAt(a)}.offset(duration("${b}ms")) == ${timeAt(BigInt(result))}`;
          if (name === 'durationSince') return `${timeAt(a)}.durationSince(${timeAt(b)}) == duration("${result}ms")`;
          if (name === 'toDate') return `${timeAt(a)}.toDate() == ${timeAt(BigInt(result))}`;
          if (name === 'toTime') return `${timeAt(a)}.toTime() == duration("${result}ms")`;
          return `duration("${a}ms").${name}() == ${result}`;
        });
        expect(results.map((result) => (result === 'error' ? 'error' : 'true'))).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 12 },
    );
  });
});
