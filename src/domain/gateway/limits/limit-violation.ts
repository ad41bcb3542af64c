/** A limit that something is over. */
export interface ReachedLimit {
  /** The key of the configuration, or the name of the constant. */
  readonly name: string;
  readonly limit: number;
  /** What the request has, or declares; what there would be with this one. */
  readonly actual: number;
}

/** A limit that a request or a connection is over; its code is that of the answer. */
export interface LimitViolation extends ReachedLimit {
  readonly code:
    | 'header_too_large'
    | 'target_too_long'
    | 'body_too_large'
    | 'connection_limit_reached'
    | 'request_limit_reached'
    | 'memory_limit_reached';
}
