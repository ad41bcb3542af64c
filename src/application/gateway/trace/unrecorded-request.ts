import { withTraceFields } from '../../../domain/gateway/tracing/trace-fields.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { TraceContext } from '../../../domain/http/trace-context.js';
import { formatTraceparent } from '../../../domain/http/traceparent.js';
import type { PartTrace, RequestTrace } from '../proxy-request/request-trace.js';

/** A request that is not sampled: whoever comes next learns so, and nothing is kept of it. */
export class UnrecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #state: string | null;
  #attempt: PartTrace | null = null;

  /** `state` is the tracestate that is passed on. */
  constructor(context: TraceContext, state: string | null) {
    this.traceId = context.traceId;
    this.traceparent = formatTraceparent(context);
    this.#state = state;
  }

  agentCall(): null {
    return null;
  }

  upstreamAttempt(): PartTrace {
    this.#attempt ??= new UnrecordedAttempt(this.traceparent, this.#state);
    return this.#attempt;
  }

  end(): void {}
}

class UnrecordedAttempt implements PartTrace {
  readonly #traceparent: string;
  readonly #state: string | null;

  constructor(traceparent: string, state: string | null) {
    this.#traceparent = traceparent;
    this.#state = state;
  }

  propagate(headers: HeaderList): HeaderList {
    return withTraceFields(headers, this.#traceparent, this.#state);
  }

  end(): void {}
}
