/** A limit that a request is over; its code is that of the answer. */
export interface LimitViolation {
  readonly code: 'header_too_large' | 'target_too_long' | 'body_too_large';
  /** The key of the configuration, or the name of the constant. */
  readonly name: string;
  readonly limit: number;
  /** What the request has, or declares. */
  readonly actual: number;
}
