/**
 * A 64-bit signed integer. INVARIANT: a number where it is a safe integer, a bigint where it is not, so that equal
 * longs are equal by `===`.
 */
export type Long = number | bigint;

/** The name of an entity. INVARIANT: `type` is a valid Cedar name, such as `Photos::Album`; `id` is any text. */
export interface EntityUid {
  readonly kind: 'entity';
  readonly type: string;
  readonly id: string;
}

/** INVARIANT: no two elements are equal; `members` holds the key (see value-key) of each element. */
export interface SetValue {
  readonly kind: 'set';
  readonly elements: readonly Value[];
  readonly members: ReadonlySet<ValueKey>;
}

export interface RecordValue {
  readonly kind: 'record';
  readonly attributes: ReadonlyMap<string, Value>;
}

/** A decimal with four digits after the point. */
export interface DecimalValue {
  readonly kind: 'decimal';
  /** Ten-thousandths. */
  readonly units: Long;
}

/** An address with a prefix length: a host where the length is that of the whole address. */
export interface IpValue {
  readonly kind: 'ip';
  readonly version: 4 | 6;
  /** The address as a number, host bits included. */
  readonly address: bigint;
  readonly prefixLength: number;
}

export interface DatetimeValue {
  readonly kind: 'datetime';
  /** Milliseconds since the Unix epoch. */
  readonly ms: Long;
}

export interface DurationValue {
  readonly kind: 'duration';
  /** Milliseconds. */
  readonly ms: Long;
}

export type ExtensionValue = DecimalValue | IpValue | DatetimeValue | DurationValue;

/** What an expression of Cedar can come to. */
export type Value = boolean | Long | string | EntityUid | SetValue | RecordValue | ExtensionValue;

/** Stands for a value among the members of a set: equal values, and no others, have equal keys. */
export type ValueKey = string | Long | boolean;
