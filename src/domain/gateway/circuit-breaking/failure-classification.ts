/** What an attempt came to, for the breaker of whoever was asked: `neither` says nothing about it. */
export type AttemptOutcome = 'success' | 'failure' | 'neither';

/** Why an attempt has ended before its end. */
export type AttemptFailure =
  | 'unreachable'
  | 'refused_request'
  | 'invalid_response'
  | 'timed_out'
  | 'overloaded'
  | 'request_body'
  | 'cancelled';

/** The rest is the doing of the client or of the gateway itself, as its own queue is. */
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
 * Answers that say that whoever gives them does not work (RFC 9110, section 15.6). The other statuses of the class
 * are about what was asked: 501 of the method, 505 of the version.
 */
const failingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** What an attempt without an answer, or with one that broke off, came to. */
export const outcomeOfFailure = (failure: AttemptFailure): AttemptOutcome =>
  isUpstreamsFault[failure] ? 'failure' : 'neither';

/** What an answer with this status says, if it comes to its end. */
export const outcomeOfStatus = (status: number): 'success' | 'failure' =>
  failingStatuses.has(status) ? 'failure' : 'success';
