import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { InflationError } from '../../ports/gateway/body-inflater.js';
import { BodyReadError } from '../../ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../ports/gateway/upstream-client.js';
import { BodyLimitError } from './body-limit-error.js';

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
