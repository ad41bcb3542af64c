/** An exceeded limit. */
export interface ReachedLimit {
  /** The configuration key, or the name of the constant. */
  readonly name: string;
  readonly limit: number;
  /** The actual or declared value, or the count including this one. */
  readonly actual: number;
}

/** An exceeded limit with the code of the response. */
export interface LimitViolation extends ReachedLimit {
  readonly code:
    | 'header_too_large'
    | 'target_too_long'
    | 'body_too_large'
    | 'connection_limit_reached'
    | 'request_limit_reached'
    | 'memory_limit_reached';
}
