import {
  type AttemptFailure,
  type AttemptOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
} from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { InflationError } from '../../ports/gateway/body-inflater.js';
import { BodyReadError } from '../../ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../ports/gateway/upstream-client.js';
import type { ExchangeView } from './exchange.js';
import { BodyLimitError } from './inflated-body.js';

/** Why the response of an upstream cannot go on to the client. */
export type ResponseFault =
  /** It broke, or is none. */
  | { readonly kind: 'upstream'; readonly failure: UpstreamFailure }
  /** It is more than agents are shown. */
  | { readonly kind: 'too_large'; readonly violation: LimitViolation }
  /** There is nothing wrong with it, but agents cannot be shown it, or cannot do to it what they have. */
  | { readonly kind: 'uninspectable'; readonly detail: string };

const codeOf = {
  aborted: 'unreachable',
  malformed: 'invalid_response',
  timed_out: 'timed_out',
} as const satisfies Record<BodyReadError['code'], UpstreamFailure['code']>;

/** A body that ended before its end, for this reason. */
export const brokenResponse = (reason: BodyReadError['code'], detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: codeOf[reason], detail: `the response ended early: ${detail}` },
});

/** Content that is not what the head says of it. */
export const unreadableContent = (detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: 'invalid_response', detail },
});

/** `detail` is for the log. */
export const uninspectable = (detail: string): ResponseFault => ({ kind: 'uninspectable', detail });

/** What the error that ended the reading of a body means. */
export const responseFaultOf = (error: unknown): ResponseFault => {
  if (error instanceof BodyLimitError) return { kind: 'too_large', violation: error.violation };
  if (error instanceof InflationError) return unreadableContent(error.message);
  if (error instanceof BodyReadError) return brokenResponse(error.code, error.message);
  return brokenResponse('aborted', error instanceof Error ? error.message : String(error));
};

/** How an attempt ended: one sending of a request to a target, until nothing more goes to or comes from it. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  /** What went wrong, in one word; null: nothing. */
  readonly errorType: string | null;
  /** The same at length, for whoever looks after the target. */
  readonly detail: string | undefined;
}

const success: AttemptEnd = { outcome: 'success', errorType: null, detail: undefined };

/** One that nothing went wrong with; but the answer may be a failure itself. */
export const endOfStatus = (status: number): AttemptEnd => {
  const outcome = outcomeOfStatus(status);
  return outcome === 'success' ? success : { outcome, errorType: null, detail: `status ${status}` };
};

/** One without an answer, or with one that broke off. */
export const endOfFailure = (failure: AttemptFailure, detail: string): AttemptEnd => ({
  outcome: outcomeOfFailure(failure),
  errorType: failure,
  detail,
});

/** One whose answer has come as far as it will. `fault` is why the client did not get all of it; null: it is gone, or has it. */
export const endOfAnswer = (
  exchange: ExchangeView<'abandoned' | 'body'>,
  status: number,
  fault: ResponseFault | null,
): AttemptEnd => {
  const said = endOfStatus(status);
  // A status that is a failure is one, however much of its body comes.
  if (said.outcome === 'failure') return said;
  if (exchange.abandoned) return endOfFailure('cancelled', 'the client is gone');
  if (fault?.kind !== 'upstream') return said;
  const { code, detail } = blamed(exchange, fault.failure);
  return endOfFailure(code, detail);
};

/** A failure as it has to be told: no upstream is to blame for a request body that did not come. */
export const blamed = (exchange: ExchangeView<'body'>, failure: UpstreamFailure): UpstreamFailure => {
  if (failure.code === 'cancelled' || (exchange.body?.failure ?? null) === null) return failure;
  return { ...failure, code: 'request_body' };
};
