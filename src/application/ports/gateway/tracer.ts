import type { TracingConfiguration } from '../../../domain/gateway/configuration/tracing-schema.js';
import type { TraceContext } from '../../../domain/http/trace-context.js';

/** Names are those of OpenTelemetry's semantic conventions, or begin with `portcullis.`; no value is a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Something that takes time. */
export interface TraceSpan {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** What it is called now that more is known of it. */
  rename(name: string): void;
  /** It went wrong; `errorType` is one of a few words. */
  failed(errorType: string): void;
  /** Called once, at the end. */
  end(): void;
}

/** Where spans are begun. None of its functions throws, and none waits. */
export interface Tracer {
  /** `server`: a request of a client; `client`: one that the gateway makes itself. */
  start(name: string, kind: 'server' | 'client', parent: TraceContext | null, attributes: SpanAttributes): TraceSpan;
  /** Sends what has not been sent yet, for as long as the grace lasts. */
  stop(graceMs: number): Promise<void>;
}

/** Who the spans are of: `instance` is what this gateway is called, `version` that of the program. */
export interface TracedProgram {
  readonly instance: string;
  readonly version: string;
}

/** What a tracer needs is loaded when the first one is made: a program that does not trace starts without it. */
export type TracerFactory = (configuration: TracingConfiguration, program: TracedProgram) => Promise<Tracer>;
