import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  type Context,
  type Span as OtelApiSpan,
  type Tracer as OtelApiTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import {
  ATTR_ERROR_TYPE,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { SpanAttributes, TracedProgram, Tracer, TraceSpan } from '../../../application/ports/gateway/tracer.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { Random } from '../../../application/ports/shared/random.js';
import type { TracingConfiguration } from '../../../domain/gateway/configuration/tracing-schema.js';
import type { TraceContext } from '../../../domain/http/trace-context.js';
import { LostSpans } from './lost-spans.js';
import { Outbox } from './outbox.js';

/** Maximum connections to the collector. Batches are sent one at a time, except at the end. */
const maxSockets = 4;
/** Maximum concurrent batches: the whole queue, when everything is sent at the end. */
const maxConcurrentBatches = 16;

/** `ExportResultCode.SUCCESS` of OpenTelemetry. */
const success = 0;

/** A short reason for a failed export, without the collector's text. */
const reasonOf = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (typeof code === 'number') return `status ${code}`;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : 'no answer';
};

/** An exporter to the configured collector. */
const collectorExporter = (
  { endpoint, headers }: TracingConfiguration,
  version: string,
  timeoutMs: number,
  outbox: Outbox,
): SpanExporter & { closeConnections(): void } => {
  const { protocol } = new URL(endpoint);
  const agent =
    protocol === 'https:'
      ? new HttpsAgent({ keepAlive: true, maxSockets })
      : new HttpAgent({ keepAlive: true, maxSockets });
  let isOver = false;
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: async () => {
      // Otherwise retries would keep the process alive.
      if (isOver) throw new Error('the tracer has stopped');
      return Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()]));
    },
    timeoutMillis: timeoutMs,
    concurrencyLimit: maxConcurrentBatches,
    userAgent: `portcullis/${version}`,
    httpAgentOptions: () => agent,
  });
  return {
    export(spans, resultCallback): void {
      outbox.sent(spans.length);
      exporter.export(spans, (result) => {
        if (result.code !== success) outbox.failed(spans.length, reasonOf(result.error));
        resultCallback(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    /** Closes the connections, including those in use. */
    closeConnections(): void {
      isOver = true;
      agent.destroy();
    },
  };
};

/** Maximum drift between the clocks before the offset is updated, in milliseconds. */
const maxDriftMs = 20;

/**
 * Timestamps for spans. The wall clock gives the date and the monotonic clock the elapsed time;
 * whole milliseconds of the wall clock could order a child span after its parent.
 */
export class SpanClock {
  readonly #clock: Clock;
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.wallMs() - clock.monotonicMs();
  }

  /**
   * Offset of a new span from the monotonic clock, for its whole life. Constant unless the wall
   * clock is set.
   */
  offsetMs(): number {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs();
    if (Math.abs(offsetMs - this.#offsetMs) > maxDriftMs) this.#offsetMs = offsetMs;
    return this.#offsetMs;
  }

  /** Milliseconds since the Unix epoch, with fractions. */
  nowMs(offsetMs: number): number {
    return offsetMs + this.#clock.monotonicMs();
  }
}

/**
 * Calls a function with all `OTEL_*` variables removed. OpenTelemetry merges them, header fields
 * above all, into its options, and has no option against it. Synchronous, so no other code sees the
 * changed environment.
 */
const withoutOtelVariables = <Made>(make: () => Made): Made => {
  const hidden = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
};

/** Maximum queued spans; further spans are lost and counted. */
const maxQueuedSpans = 4_096;
/** Maximum spans per message: few enough that encoding blocks no request. */
const maxBatch = 256;
/** Time to collect spans for a batch, in milliseconds. */
const batchDelayMs = 1_000;
/** Timeout of a batch including retries, in milliseconds. */
const exportTimeoutMs = 5_000;
/** Maximum characters of an attribute. */
const maxAttributeLength = 1_024;
/** Exceeds the attributes of every span. */
const maxAttributes = 32;

/** The ports of a tracer. The logger reports lost spans, at most once a minute. */
export interface OtelTracerPorts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/**
 * Records spans with the OpenTelemetry SDK and sends them by OTLP over HTTP. Sets no global state
 * and reads no environment variable: only the configuration applies.
 */
export class OtelTracer implements Tracer {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: OtelApiTracer;
  readonly #outbox: Outbox;
  readonly #clock: SpanClock;
  readonly #exporter: ReturnType<typeof collectorExporter>;
  #isStopped = false;

  /** Sends nothing before the first span has ended. */
  constructor(
    configuration: TracingConfiguration,
    { instance, version }: TracedProgram,
    { logger, clock, random }: OtelTracerPorts,
  ) {
    this.#clock = new SpanClock(clock);
    const lost = new LostSpans(new URL(configuration.endpoint).host, logger, clock);
    this.#outbox = new Outbox(maxQueuedSpans, lost);
    const { exporter, provider } = withoutOtelVariables(() => {
      const exporter = collectorExporter(configuration, version, exportTimeoutMs, this.#outbox);
      const provider = new BasicTracerProvider({
        resource: resourceFromAttributes({
          [ATTR_SERVICE_NAME]: configuration.serviceName,
          [ATTR_SERVICE_INSTANCE_ID]: instance,
          [ATTR_SERVICE_VERSION]: version,
        }),
        // The caller has made the sampling decision.
        sampler: new AlwaysOnSampler(),
        idGenerator: { generateTraceId: () => random.hex(16), generateSpanId: () => random.hex(8) },
        spanLimits: { attributeValueLengthLimit: maxAttributeLength, attributeCountLimit: maxAttributes },
        spanProcessors: [
          new BatchSpanProcessor(exporter, {
            maxQueueSize: maxQueuedSpans,
            maxExportBatchSize: maxBatch,
            scheduledDelayMillis: batchDelayMs,
            exportTimeoutMillis: 2 * exportTimeoutMs,
          }),
        ],
      });
      return { exporter, provider };
    });
    this.#exporter = exporter;
    this.#provider = provider;
    this.#tracer = provider.getTracer('portcullis', version);
  }

  start(name: string, kind: 'server' | 'client', parent: TraceContext | null, attributes: SpanAttributes): TraceSpan {
    const context = parent === null ? ROOT_CONTEXT : contextOf(parent, kind === 'server');
    const offsetMs = this.#clock.offsetMs();
    const startTime = this.#clock.nowMs(offsetMs);
    const span = this.#tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, context);
    const end = (): void => {
      if (span.isRecording() && this.#outbox.enter()) span.end(this.#clock.nowMs(offsetMs));
    };
    return new OtelSpan(span, parent?.hasRandomId ?? true, end);
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#outbox.close();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    // The outbox has reported the failures.
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, grace]);
    clearTimeout(timer);
    this.#exporter.closeConnections();
  }
}

/** The parent of a server span is remote. */
const contextOf = ({ traceId, spanId, isSampled }: TraceContext, isRemote: boolean): Context => {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote });
};

class OtelSpan implements TraceSpan {
  readonly context: TraceContext;
  readonly #span: OtelApiSpan;
  readonly #end: () => void;

  constructor(span: OtelApiSpan, hasRandomId: boolean, end: () => void) {
    const { traceId, spanId } = span.spanContext();
    this.context = { traceId, spanId, isSampled: true, hasRandomId };
    this.#span = span;
    this.#end = end;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  failed(errorType: string): void {
    this.#span.setAttribute(ATTR_ERROR_TYPE, errorType);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#end();
  }
}
