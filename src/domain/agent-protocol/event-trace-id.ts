import { parseTraceparent } from '../http/trace-context.js';

/** The part of an event that identifies its request. */
interface TracedEvent {
  readonly correlationId: string;
  readonly metadata: { readonly traceparent: string | null };
}

/** The request id in log lines of an agent: the trace id, or the correlation id if there is no trace. */
export const eventTraceId = ({ correlationId, metadata: { traceparent } }: TracedEvent): string =>
  (traceparent === null ? null : parseTraceparent(traceparent)?.traceId) ?? correlationId;
