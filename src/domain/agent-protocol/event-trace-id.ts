import { parseTraceparent } from '../http/trace-context.js';

/** What an agent is told of the request that an event is about. */
interface TracedEvent {
  readonly correlationId: string;
  readonly metadata: { readonly traceparent: string | null };
}

/**
 * What log lines of an agent call the request: the id of its trace, or the gateway's own id of it where there is
 * none.
 */
export const eventTraceId = ({ correlationId, metadata: { traceparent } }: TracedEvent): string =>
  (traceparent === null ? null : parseTraceparent(traceparent)?.traceId) ?? correlationId;
