import type { Identity } from '../../identity/identity.js';
import type { RequestAttributes } from '../gateway-model/gateway-request.js';

/** A request as described by a test case or on the command line: the agent's input to a decision. */
export interface RequestSketch {
  /** Null for the anonymous principal. */
  readonly identity: Identity | null;
  readonly attributes: RequestAttributes;
}

export interface SketchedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly query: string;
  /** The Host header as the client sends it. */
  readonly host: string | null;
  /** Null if unknown; the context then has no `client_ip`. */
  readonly clientIp: string | null;
  readonly correlationId: string | null;
}

/** The correlation id of a request without one. */
export const sketchedCorrelationId = 'policy-test';

/** The request as the gateway reports it to an agent. */
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
