import type { Identity } from '../../identity/identity.js';
import type { RequestAttributes } from '../gateway-model/gateway-request.js';

/** A request as a test, or a question on the command line, describes it: what the agent would know when it decides. */
export interface RequestSketch {
  /** Null: the anonymous principal. */
  readonly identity: Identity | null;
  readonly attributes: RequestAttributes;
}

export interface SketchedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty: none. */
  readonly query: string;
  /** As the client would send it. */
  readonly host: string | null;
  /** Null: not known, so that the context has no `client_ip`. */
  readonly clientIp: string | null;
  readonly correlationId: string | null;
}

/** The correlation id of a request that is given none. */
export const sketchedCorrelationId = 'policy-test';

/** The request as an agent would be told of it. */
export const sketchedAttributes = ({
  method,
  path,
  query,
  host,
  clientIp,
  correlationId,
}: SketchedRequest): RequestAttributes => ({
  method,
  uri: query === '' ? path : `${path}?${query}`,
  host,
  clientIp: clientIp ?? '',
  correlationId: correlationId ?? sketchedCorrelationId,
});
