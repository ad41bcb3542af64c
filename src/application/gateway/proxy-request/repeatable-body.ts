import type { BodySource } from '../../ports/gateway/body-source.js';

/** The body of a request that may be sent more than once. */
export interface RepeatableBody {
  /** Whether another attempt can have it: all that was read is kept. */
  readonly isWhole: boolean;
  /** The body from its first octet, while it is whole. From now on attempts before can read nothing. */
  begin(): BodySource;
  /** No other attempt will be made: what has been given is held no longer. */
  forget(): void;
}
