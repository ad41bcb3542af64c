import type { EvaluationError, EvaluationErrorCode, Outcome } from '../evaluate/evaluation-error.js';
import { compareLongs, divideLong } from '../values/long.js';
import { typeName } from '../values/type-name.js';
import type { ExtensionValue, Value } from '../values/value.js';
import { dateOf, durationSince, offsetDatetime, parseDatetime, timeOf } from './datetime.js';
import { parseCedarDecimal } from './decimal.js';
import { durationUnitMs, parseCedarDuration } from './duration.js';
import { isInRange, isLoopbackRange, isMulticast, parseIp } from './ip-address.js';

/** The value before the dot is the first argument. Errors have no span: the caller knows the place. */
export type ExtensionFunction = (args: readonly Value[]) => Outcome;

type Kind = ExtensionValue['kind'] | 'string';
type OfKind<K extends Kind> = K extends 'string' ? string : Extract<ExtensionValue, { readonly kind: K }>;
/** As it is called in policies. */
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
  failure('type_error', `${name} works on ${expected}, not on ${args.length}`);

/** Of one value. */
const ofOne =
  <K extends Kind>(kind: K, apply: (value: OfKind<K>) => Outcome): Named =>
  (name) =>
  (args) => {
    const [value] = args;
    if (value === undefined || args.length !== 1) return wrongCount(name, 'one value', args);
    return isKind(value, kind) ? apply(value) : wrongType(name, kind, value);
  };

/** Of two values. */
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
  decimal: failure('extension_error', 'not a decimal: it is digits, a point and one to four digits, within 64 bits'),
  ip: failure('extension_error', 'not an IPv4 or IPv6 address, with a prefix length or without'),
  datetime: failure(
    'extension_error',
    'not a datetime: it is YYYY-MM-DD, or that with Thh:mm:ss, perhaps .SSS, and Z or +hhmm',
  ),
  duration: failure('extension_error', 'not a duration: it is as -1d2h3m4s5ms, within 64 bits of milliseconds'),
} as const;

const beyond = failure('extension_error', 'the time or duration that results is beyond 64 bits of milliseconds');

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

/** The function of this name in Cedar's extensions; undefined: there is none. */
export const extensionFunction = (name: string): ExtensionFunction | undefined => byName.get(name);
