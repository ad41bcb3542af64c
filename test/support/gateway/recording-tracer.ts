import type { SpanAttributes, Tracer, TraceSpan } from '../../../src/application/ports/gateway/tracer.js';
import type { TraceContext } from '../../../src/domain/http/trace-context.js';

/** A span as it was told. */
export interface RecordedSpan {
  name: string;
  readonly kind: 'server' | 'client';
  readonly parent: TraceContext | null;
  readonly context: TraceContext;
  attributes: SpanAttributes;
  errors: string[];
  ends: number;
}

/** A tracer that keeps what it is told. Ids count up. */
export class RecordingTracer implements Tracer {
  readonly spans: RecordedSpan[] = [];
  /** The graces that it was stopped with. */
  readonly stops: number[] = [];

  start(name: string, kind: 'server' | 'client', parent: TraceContext | null, attributes: SpanAttributes): TraceSpan {
    const number = `${this.spans.length + 1}`;
    const context = {
      traceId: parent?.traceId ?? number.padStart(32, 'f'),
      spanId: number.padStart(16, 'e'),
      isSampled: true,
      hasRandomId: parent?.hasRandomId ?? true,
    };
    const recorded: RecordedSpan = { name, kind, parent, context, attributes, errors: [], ends: 0 };
    this.spans.push(recorded);
    return {
      context,
      set: (more) => {
        recorded.attributes = { ...recorded.attributes, ...more };
      },
      rename: (now) => {
        recorded.name = now;
      },
      failed: (errorType) => recorded.errors.push(errorType),
      end: () => {
        recorded.ends += 1;
      },
    };
  }

  async stop(graceMs: number): Promise<void> {
    this.stops.push(graceMs);
  }
}
