/** The call style of an extension function: `decimal("1.0")` or `a.lessThan(b)`. */
export interface ExtensionSignature {
  readonly style: 'function' | 'method';
  /** Number of arguments, without the receiver of a method. */
  readonly parameters: number;
}

const entries = (
  style: ExtensionSignature['style'],
  parameters: number,
  names: readonly string[],
): readonly (readonly [string, ExtensionSignature])[] => names.map((name) => [name, { style, parameters }]);

/**
 * Cedar's placeholder function for partial evaluation. This evaluator has no partial evaluation, so a call of it is
 * always an error. It produces no value, so it is not among the signatures.
 */
export const partialEvaluationFunction = 'unknown';

/** Every extension function of Cedar that produces a value, by name. */
export const extensionSignatures: ReadonlyMap<string, ExtensionSignature> = new Map([
  ...entries('function', 1, ['decimal', 'ip', 'datetime', 'duration']),
  ...entries('method', 1, ['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual']),
  ...entries('method', 0, ['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast']),
  ...entries('method', 1, ['isInRange', 'offset', 'durationSince']),
  ...entries('method', 0, ['toDate', 'toTime', 'toMilliseconds', 'toSeconds', 'toMinutes', 'toHours', 'toDays']),
]);
