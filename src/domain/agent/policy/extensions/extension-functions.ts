import type { EvaluationError, EvaluationErrorCode, Outcome } from '../evaluate/evaluation-error.js';
import { compareLongs, divideLong } from '../values/long.js';
import { typeName } from '../values/type-name.js';
import type { ExtensionValue, Value } from '../values/value.js';
import { dateOf, durationSince, offsetDatetime, parseDatetime, timeOf } from './datetime.js';
import { parseCedarDecimal } from './decimal.js';
import { durationUnitMs, parseCedarDuration } from './duration.js';
import { isInRange, isLoopbackRange, isMulticast, parseIp } from './ip-address.js';

/** The receiver of a method is the first argument. Errors have no span; the caller adds it. */
export type ExtensionFunction = (args: readonly Value[]) => Outcome;

type Kind = ExtensionValue['kind'] | 'string';
type OfKind<K extends Kind> = K extends 'string' ? string : Extract<ExtensionValue, { readonly kind: K }>;
/** Creates the function from its name in policies, which its error messages use. */
type Named = (name: string) => ExtensionFunction;

const failure = (code: EvaluationErrorCode, message: string): EvaluationError => ({
  kind: 'error',
  code,
  message,
  span: null,
});

const isKind = <K extends Kind>(value: Value, kind: K): value is OfKind<K> & Value =>
  typeof value === 'object' ? value.kind === kind : kind === 'string' && typeof value === 'string';

const wrongType = (name: string, expected: Kind, value: Value): EvaluationError =>
  failure(
    'type_error',
    `${name} needs a value of type ${expected === 'ip' ? 'ipaddr' : expected}, not ${typeName(value)}`,
  );

const wrongCount = (name: string, expected: string, args: readonly Value[]): EvaluationError =>
  failure('type_error', `${name} takes ${expected}, not ${args.length}`);

/** A function of one value. */
const ofOne =
  <K extends Kind>(kind: K, apply: (value: OfKind<K>) => Outcome): Named =>
  (name) =>
  (args) => {
    const [value] = args;
    if (value === undefined || args.length !== 1) return wrongCount(name, 'one value', args);
    return isKind(value, kind) ? apply(value) : wrongType(name, kind, value);
  };

/** A function of two values. */
const ofTwo =
  <A extends Kind, B extends Kind>(first: A, second: B, apply: (a: OfKind<A>, b: OfKind<B>) => Outcome): Named =>
  (name) =>
  (args) => {
    const [a, b] = args;
    if (a === undefined || b === undefined || args.length !== 2) return wrongCount(name, 'two values', args);
    if (!isKind(a, first)) return wrongType(name, first, a);
    return isKind(b, second) ? apply(a, b) : wrongType(name, second, b);
  };

const unreadable = {
  decimal: failure('extension_error', 'not a decimal: expected digits, a point and one to four digits, within 64 bits'),
  ip: failure('extension_error', 'not an IPv4 or IPv6 address with an optional prefix length'),
  datetime: failure(
    'extension_error',
    'not a datetime: expected YYYY-MM-DD, optionally with Thh:mm:ss[.SSS] and Z or +hhmm',
  ),
  duration: failure(
    'extension_error',
    'not a duration: expected a text such as -1d2h3m4s5ms, within 64 bits of milliseconds',
  ),
} as const;

const beyond = failure('extension_error', 'the result exceeds 64 bits of milliseconds');

const decimalOrder = (holds: (order: number) => boolean): Named =>
  ofTwo('decimal', 'decimal', (a, b) => holds(compareLongs(a.units, b.units)));

const inUnitsOf = (ms: number): Named => ofOne('duration', (duration) => divideLong(duration.ms, ms));

const functions: Readonly<Record<string, Named>> = {
  decimal: ofOne('string', (text) => parseCedarDecimal(text) ?? unreadable.decimal),
  lessThan: decimalOrder((order) => order < 0),
  lessThanOrEqual: decimalOrder((order) => order <= 0),
  greaterThan: decimalOrder((order) => order > 0),
  greaterThanOrEqual: decimalOrder((order) => order >= 0),

  ip: ofOne('string', (text) => parseIp(text) ?? unreadable.ip),
  isIpv4: ofOne('ip', (ip) => ip.version === 4),
  isIpv6: ofOne('ip', (ip) => ip.version === 6),
  isLoopback: ofOne('ip', isLoopbackRange),
  isMulticast: ofOne('ip', isMulticast),
  isInRange: ofTwo('ip', 'ip', isInRange),

  datetime: ofOne('string', (text) => parseDatetime(text) ?? unreadable.datetime),
  offset: ofTwo('datetime', 'duration', (time, duration) => offsetDatetime(time, duration) ?? beyond),
  durationSince: ofTwo('datetime', 'datetime', (end, start) => durationSince(end, start) ?? beyond),
  toDate: ofOne('datetime', (time) => dateOf(time) ?? beyond),
  toTime: ofOne('datetime', timeOf),

  duration: ofOne('string', (text) => parseCedarDuration(text) ?? unreadable.duration),
  toMilliseconds: inUnitsOf(durationUnitMs.ms),
  toSeconds: inUnitsOf(durationUnitMs.s),
  toMinutes: inUnitsOf(durationUnitMs.m),
  toHours: inUnitsOf(durationUnitMs.h),
  toDays: inUnitsOf(durationUnitMs.d),
};

const byName: ReadonlyMap<string, ExtensionFunction> = new Map(
  Object.entries(functions).map(([name, named]) => [name, named(name)]),
);

/** The extension function of this name; undefined if there is none. */
export const extensionFunction = (name: string): ExtensionFunction | undefined => byName.get(name);
