import { withTraceFields } from '../../../domain/gateway/tracing/trace-fields.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { formatTraceparent } from '../../../domain/http/traceparent.js';
import type { TraceSpan } from '../../ports/gateway/tracer.js';
import type { PartTrace } from '../proxy-request/request-trace.js';
import { firstServerError, statusAttribute } from './span-words.js';

/** A call of an agent, or an attempt to have an upstream answer, as a span of its own. */
export class RecordedPart implements PartTrace {
  readonly #span: TraceSpan;
  readonly #state: string | null;

  /** `state` is the tracestate that is passed on. */
  constructor(span: TraceSpan, state: string | null) {
    this.#span = span;
    this.#state = state;
  }

  propagate(headers: HeaderList): HeaderList {
    return withTraceFields(headers, formatTraceparent(this.#span.context), this.#state);
  }

  /** A status of 4xx is what the client asked for: no failure of whoever gave it. */
  end(status: number | null, errorType: string | null): void {
    if (status !== null) this.#span.set({ [statusAttribute]: status });
    if (errorType !== null) this.#span.failed(errorType);
    else if (status !== null && status >= firstServerError) this.#span.failed(`${status}`);
    this.#span.end();
  }
}
