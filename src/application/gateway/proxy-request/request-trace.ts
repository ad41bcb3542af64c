import type { HeaderList } from '../../../domain/http/header-list.js';

/** A part of a traced request. */
export interface PartTrace {
  /** The headers with the context of this part in them, for whoever is called. */
  propagate(headers: HeaderList): HeaderList;
  /** It is over. `status` is what HTTP gave, `errorType` the code of what failed; each null where there is none. */
  end(status: number | null, errorType: string | null): void;
}

/** The trace of a request; there is none while tracing is off. */
export interface RequestTrace {
  readonly traceId: string;
  /** What agents are told as `traceparent`. */
  readonly traceparent: string;
  /** Null where there is nothing to record: the request is not sampled, or has had very many calls. */
  agentCall(agent: string, event: string): PartTrace | null;
  /** A context has to be propagated also where nothing is recorded. */
  upstreamAttempt(upstream: string, target: string, attempt: number): PartTrace;
  /** The request is over. */
  end(method: string, route: string | null, status: number, errorType: string | null): void;
}
