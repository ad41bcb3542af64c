import { type ModelType, plain, unknownType } from '../model-types.js';

/** The parameter and result types of a method. `element` is the element type of the receiver. */
export interface MethodSignature {
  /** The accepted kinds of the receiver. */
  readonly of: readonly string[];
  readonly takes: readonly ('element' | 'set' | 'string' | 'decimal' | 'ipaddr' | 'datetime' | 'duration')[];
  readonly gives: ModelType;
}

const bool = plain('bool');
const long = plain('long');

const same = (names: readonly string[], signature: MethodSignature): readonly (readonly [string, MethodSignature])[] =>
  names.map((name) => [name, signature]);

/** Every method, by name. */
export const methodSignatures: ReadonlyMap<string, MethodSignature> = new Map([
  ...same(['contains'], { of: ['set', 'string'], takes: ['element'], gives: bool }),
  ...same(['containsAll', 'containsAny'], { of: ['set'], takes: ['set'], gives: bool }),
  ...same(['isEmpty'], { of: ['set'], takes: [], gives: bool }),
  ...same(['startsWith', 'endsWith'], { of: ['string'], takes: ['string'], gives: bool }),
  ...same(['hasTag'], { of: ['entity'], takes: ['string'], gives: bool }),
  ...same(['getTag'], { of: ['entity'], takes: ['string'], gives: unknownType }),
  ...same(['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'], {
    of: ['decimal'],
    takes: ['decimal'],
    gives: bool,
  }),
  ...same(['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast'], { of: ['ipaddr'], takes: [], gives: bool }),
  ...same(['isInRange'], { of: ['ipaddr'], takes: ['ipaddr'], gives: bool }),
  ...same(['offset'], { of: ['datetime'], takes: ['duration'], gives: plain('datetime') }),
  ...same(['durationSince'], { of: ['datetime'], takes: ['datetime'], gives: plain('duration') }),
  ...same(['toDate'], { of: ['datetime'], takes: [], gives: plain('datetime') }),
  ...same(['toTime'], { of: ['datetime'], takes: [], gives: plain('duration') }),
  ...same(['toMilliseconds', 'toSeconds', 'toMinutes', 'toHours', 'toDays'], {
    of: ['duration'],
    takes: [],
    gives: long,
  }),
]);
