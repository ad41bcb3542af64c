import {
  type AttemptFailure,
  type AttemptOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
} from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { InflationError } from '../../ports/gateway/body-inflater.js';
import { BodyReadError } from '../../ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../ports/gateway/upstream-client.js';
import type { ExchangeView } from './exchange.js';
import { BodyLimitError } from './inflated-body.js';

/** Why a response cannot be relayed to the client. */
export type ResponseFault =
  /** It ended early, or is invalid. */
  | { readonly kind: 'upstream'; readonly failure: UpstreamFailure }
  /** It is larger than agents may inspect. */
  | { readonly kind: 'too_large'; readonly violation: LimitViolation }
  /** It is valid, but agents cannot inspect it or must not change it. */
  | { readonly kind: 'uninspectable'; readonly detail: string };

const codeOf = {
  aborted: 'unreachable',
  malformed: 'invalid_response',
  timed_out: 'timed_out',
} as const satisfies Record<BodyReadError['code'], UpstreamFailure['code']>;

/** The fault of a body that ended early. */
export const brokenResponse = (reason: BodyReadError['code'], detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: codeOf[reason], detail: `the response ended early: ${detail}` },
});

/** The fault of content that does not match its Content-Encoding. */
export const unreadableContent = (detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: 'invalid_response', detail },
});

/** The fault of a response that agents cannot inspect. `detail` goes to the log. */
export const uninspectable = (detail: string): ResponseFault => ({ kind: 'uninspectable', detail });

/** The fault for an error from reading a body. */
export const responseFaultOf = (error: unknown): ResponseFault => {
  if (error instanceof BodyLimitError) return { kind: 'too_large', violation: error.violation };
  if (error instanceof InflationError) return unreadableContent(error.message);
  if (error instanceof BodyReadError) return brokenResponse(error.code, error.message);
  return brokenResponse('aborted', error instanceof Error ? error.message : String(error));
};

/** The result of an attempt, which begins when the request is sent and ends with the last octet. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  /** A code for the failure; null: none. */
  readonly errorType: string | null;
  /** A description of the failure, for operators. */
  readonly detail: string | undefined;
}

const success: AttemptEnd = { outcome: 'success', errorType: null, detail: undefined };

/** The end of a complete response. Some statuses count as a failure. */
export const endOfStatus = (status: number): AttemptEnd => {
  const outcome = outcomeOfStatus(status);
  return outcome === 'success' ? success : { outcome, errorType: null, detail: `status ${status}` };
};

/** The end of an attempt without a response, or with a response that ended early. */
export const endOfFailure = (failure: AttemptFailure, detail: string): AttemptEnd => ({
  outcome: outcomeOfFailure(failure),
  errorType: failure,
  detail,
});

/**
 * The end of an attempt that got a response. `fault`: the reason why the relay ended early; null: the client has the
 * whole response, or is gone.
 */
export const endOfAnswer = (
  exchange: ExchangeView<'abandoned' | 'body'>,
  status: number,
  fault: ResponseFault | null,
): AttemptEnd => {
  const byStatus = endOfStatus(status);
  // A failing status is a failure, no matter how much of the body arrives.
  if (byStatus.outcome === 'failure') return byStatus;
  if (exchange.abandoned) return endOfFailure('cancelled', 'the client is gone');
  if (fault?.kind !== 'upstream') return byStatus;
  const { code, detail } = blamed(exchange, fault.failure);
  return endOfFailure(code, detail);
};

/** The failure to report. An incomplete request body is the client's fault, not the upstream's. */
export const blamed = (exchange: ExchangeView<'body'>, failure: UpstreamFailure): UpstreamFailure => {
  if (failure.code === 'cancelled' || (exchange.body?.failure ?? null) === null) return failure;
  return { ...failure, code: 'request_body' };
};
