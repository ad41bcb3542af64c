/**
 * A 64-bit signed integer. INVARIANT: a safe integer is a number, any other a bigint, so `===` compares longs.
 */
export type Long = number | bigint;

/** An entity's type and id. INVARIANT: `type` is a valid Cedar name, such as `Photos::Album`. `id` is any text. */
export interface EntityUid {
  readonly kind: 'entity';
  readonly type: string;
  readonly id: string;
}

/** INVARIANT: no two elements are equal. `members` holds the key (`valueKey`) of each element. */
export interface SetValue {
  readonly kind: 'set';
  readonly elements: readonly Value[];
  readonly members: ReadonlySet<ValueKey>;
}

export interface RecordValue {
  readonly kind: 'record';
  readonly attributes: ReadonlyMap<string, Value>;
}

/** A decimal with four fractional digits. */
export interface DecimalValue {
  readonly kind: 'decimal';
  /** Ten-thousandths. */
  readonly units: Long;
}

/** An address with a prefix length. The full length (32 or 128) denotes a single host. */
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

/** A value of a Cedar expression. */
export type Value = boolean | Long | string | EntityUid | SetValue | RecordValue | ExtensionValue;

/** Identifies a value in a set: two keys are equal if and only if the values are. */
export type ValueKey = string | Long | boolean;
