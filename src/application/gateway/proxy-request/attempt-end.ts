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

/** Why a response cannot be relayed to the client. */
export type ResponseFault =
  /** It broke off, or is invalid. */
  | { readonly kind: 'upstream'; readonly failure: UpstreamFailure }
  /** It is larger than what agents inspect. */
  | { readonly kind: 'too_large'; readonly violation: LimitViolation }
  /** It is valid, but agents cannot inspect it or cannot change it in this way. */
  | { readonly kind: 'uninspectable'; readonly detail: string };

const codeOf = {
  aborted: 'unreachable',
  malformed: 'invalid_response',
  timed_out: 'timed_out',
} as const satisfies Record<BodyReadError['code'], UpstreamFailure['code']>;

/** A body that ended early, for this reason. */
export const brokenResponse = (reason: BodyReadError['code'], detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: codeOf[reason], detail: `the response ended early: ${detail}` },
});

/** Content that does not match its head. */
export const unreadableContent = (detail: string): ResponseFault => ({
  kind: 'upstream',
  failure: { code: 'invalid_response', detail },
});

/** `detail` is for the log. */
export const uninspectable = (detail: string): ResponseFault => ({ kind: 'uninspectable', detail });

/** The fault of an error that ended the reading of a body. */
export const responseFaultOf = (error: unknown): ResponseFault => {
  if (error instanceof BodyLimitError) return { kind: 'too_large', violation: error.violation };
  if (error instanceof InflationError) return unreadableContent(error.message);
  if (error instanceof BodyReadError) return brokenResponse(error.code, error.message);
  return brokenResponse('aborted', error instanceof Error ? error.message : String(error));
};

/** How an attempt ended: from sending a request to a target to the last octet. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  /** The failure, in one word; null: none. */
  readonly errorType: string | null;
  /** The failure in a sentence, for operators. */
  readonly detail: string | undefined;
}

const success: AttemptEnd = { outcome: 'success', errorType: null, detail: undefined };

/** The end of a complete response. Its status may be a failure. */
export const endOfStatus = (status: number): AttemptEnd => {
  const outcome = outcomeOfStatus(status);
  return outcome === 'success' ? success : { outcome, errorType: null, detail: `status ${status}` };
};

/** The end without a response, or with one that broke off. */
export const endOfFailure = (failure: AttemptFailure, detail: string): AttemptEnd => ({
  outcome: outcomeOfFailure(failure),
  errorType: failure,
  detail,
});

/** The end of a response. `fault`: why the client did not get all of it; null: it has all of it, or is gone. */
export const endOfAnswer = (
  exchange: ExchangeView<'abandoned' | 'body'>,
  status: number,
  fault: ResponseFault | null,
): AttemptEnd => {
  const said = endOfStatus(status);
  // A failing status is a failure, however much of the body comes.
  if (said.outcome === 'failure') return said;
  if (exchange.abandoned) return endOfFailure('cancelled', 'the client is gone');
  if (fault?.kind !== 'upstream') return said;
  const { code, detail } = blamed(exchange, fault.failure);
  return endOfFailure(code, detail);
};

/** The failure to report: a request body that did not come is not the upstream's fault. */
export const blamed = (exchange: ExchangeView<'body'>, failure: UpstreamFailure): UpstreamFailure => {
  if (failure.code === 'cancelled' || (exchange.body?.failure ?? null) === null) return failure;
  return { ...failure, code: 'request_body' };
};
