import type { TracingConfiguration } from '../../domain/configuration/tracing-configuration.js';
import type { TraceContext } from '../../domain/tracing/trace-context.js';

/** Names are those of OpenTelemetry's semantic conventions; no value is a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Something that takes time. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** It went wrong; `errorType` is one of a few words. */
  failed(errorType: string): void;
  /** Called once, at the end. */
  end(): void;
}

/** Where spans are begun. None of its functions throws, and none waits. */
export interface Tracer {
  /** `server`: a request of a client; `client`: one that the gateway makes itself. */
  start(name: string, kind: 'server' | 'client', parent: TraceContext | null, attributes: SpanAttributes): Span;
  /** Sends what has not been sent yet, for as long as the grace lasts. */
  stop(graceMs: number): Promise<void>;
}

/** `instance`: what this gateway is called; `version`: of the program. */
export type TracerFactory = (
  configuration: TracingConfiguration,
  resource: { readonly instance: string; readonly version: string },
) => Tracer;
