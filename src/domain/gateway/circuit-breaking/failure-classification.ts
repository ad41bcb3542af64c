/** The outcome of an attempt for the breaker. `neither` does not count. */
export type AttemptOutcome = 'success' | 'failure' | 'neither';

/** Why an attempt failed. */
export type AttemptFailure =
  | 'unreachable'
  | 'refused_request'
  | 'invalid_response'
  | 'timed_out'
  | 'overloaded'
  | 'request_body'
  | 'cancelled';

/** The other failures are caused by the client or the gateway, such as its own queue. */
const isUpstreamsFault: Readonly<Record<AttemptFailure, boolean>> = {
  unreachable: true,
  invalid_response: true,
  timed_out: true,
  refused_request: false,
  overloaded: false,
  request_body: false,
  cancelled: false,
};

/**
 * Statuses of a failing upstream (RFC 9110, section 15.6). The other 5xx statuses concern the request: 501 the method,
 * 505 the version.
 */
const failingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** The outcome of an attempt without a complete response. */
export const outcomeOfFailure = (failure: AttemptFailure): AttemptOutcome =>
  isUpstreamsFault[failure] ? 'failure' : 'neither';

/** The outcome of a complete response with this status. */
export const outcomeOfStatus = (status: number): 'success' | 'failure' =>
  failingStatuses.has(status) ? 'failure' : 'success';
