/** How a function of an extension is written: `decimal("1.0")`, or `a.lessThan(b)`. */
export interface ExtensionSignature {
  readonly style: 'function' | 'method';
  /** Arguments, the value before the dot not counted. */
  readonly parameters: number;
}

const entries = (
  style: ExtensionSignature['style'],
  parameters: number,
  names: readonly string[],
): readonly (readonly [string, ExtensionSignature])[] => names.map((name) => [name, { style, parameters }]);

/**
 * The function of Cedar that stands for what only partial evaluation may leave open. There is none of that here: a
 * call of it never has a value. Not among the signatures, for it makes nothing.
 */
export const partialEvaluationFunction = 'unknown';

/** Every function of Cedar's extensions that makes a value, by its name. */
export const extensionSignatures: ReadonlyMap<string, ExtensionSignature> = new Map([
  ...entries('function', 1, ['decimal', 'ip', 'datetime', 'duration']),
  ...entries('method', 1, ['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual']),
  ...entries('method', 0, ['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast']),
  ...entries('method', 1, ['isInRange', 'offset', 'durationSince']),
  ...entries('method', 0, ['toDate', 'toTime', 'toMilliseconds', 'toSeconds', 'toMinutes', 'toHours', 'toDays']),
]);
