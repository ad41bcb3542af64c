import type { TracingConfiguration } from '../../../domain/gateway/configuration/tracing-schema.js';
import type { TraceContext } from '../../../domain/http/trace-context.js';

/**
 * Names of OpenTelemetry's semantic conventions, or with the prefix `portcullis.`; never secret
 * values.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span of a trace. */
export interface TraceSpan {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Sets a better name once more is known. */
  rename(name: string): void;
  /** Marks the span as failed; `errorType` has few values. */
  failed(errorType: string): void;
  /** Called once, at the end. */
  end(): void;
}

/** Starts spans. No function throws or waits. */
export interface Tracer {
  /** `server`: a client's request; `client`: a request that the gateway makes. */
  start(name: string, kind: 'server' | 'client', parent: TraceContext | null, attributes: SpanAttributes): TraceSpan;
  /** Flushes unsent spans within the grace period. */
  stop(graceMs: number): Promise<void>;
}

/** The program that the spans describe: `instance` names this gateway, `version` the program. */
export interface TracedProgram {
  readonly instance: string;
  readonly version: string;
}

/**
 * Loads the tracing libraries with the first tracer; a program without tracing never loads them.
 */
export type TracerFactory = (configuration: TracingConfiguration, program: TracedProgram) => Promise<Tracer>;
