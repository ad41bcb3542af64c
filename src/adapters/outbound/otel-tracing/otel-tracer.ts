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

/** Connections to the collector. Batches go one after the other, but for the last ones. */
const maxSockets = 4;
/** Batches that are on their way at one time: all that can wait, when everything is sent at the end. */
const maxBatchesUnderWay = 16;

/** OpenTelemetry's number for it. */
const success = 0;

/** Why spans were not taken, in few words: what the collector answers is no text for a log. */
const reasonOf = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (typeof code === 'number') return `status ${code}`;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : 'no answer';
};

/** Sends spans to the collector of a configuration. */
const collectorExporter = (
  { endpoint, headers }: TracingConfiguration,
  version: string,
  timeoutMs: number,
  outbox: Outbox,
): SpanExporter & { hangUp(): void } => {
  const { protocol } = new URL(endpoint);
  const agent =
    protocol === 'https:'
      ? new HttpsAgent({ keepAlive: true, maxSockets })
      : new HttpAgent({ keepAlive: true, maxSockets });
  let isOver = false;
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: async () => {
      // Else what failed would be sent again, and keep the process.
      if (isOver) throw new Error('the tracer has stopped');
      return Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()]));
    },
    timeoutMillis: timeoutMs,
    concurrencyLimit: maxBatchesUnderWay,
    userAgent: `portcullis/${version}`,
    httpAgentOptions: () => agent,
  });
  return {
    export(spans, resultCallback): void {
      outbox.left(spans.length);
      exporter.export(spans, (result) => {
        if (result.code !== success) outbox.undelivered(spans.length, reasonOf(result.error));
        resultCallback(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    /** Ends the connections, whatever is on its way. */
    hangUp(): void {
      isOver = true;
      agent.destroy();
    },
  };
};

/** How far the two clocks may drift apart before the date is looked at anew, in milliseconds. */
const maxDriftMs = 20;

/**
 * The time of spans. The wall clock counts whole milliseconds, so that a part could seem to end after its request;
 * here it says what day it is, and the monotonic clock what has passed since.
 */
export class SpanClock {
  readonly #clock: Clock;
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.wallMs() - clock.monotonicMs();
  }

  /**
   * What a span that begins now adds to the monotonic clock until its end. It stays the same while the wall clock is
   * not set.
   */
  offsetMs(): number {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs();
    if (Math.abs(offsetMs - this.#offsetMs) > maxDriftMs) this.#offsetMs = offsetMs;
    return this.#offsetMs;
  }

  /** Milliseconds since the Unix epoch, with their fractions. */
  nowMs(offsetMs: number): number {
    return offsetMs + this.#clock.monotonicMs();
  }
}

/**
 * Calls a function while no `OTEL_*` variable is set. OpenTelemetry adds what it finds there, header fields above
 * all, to whatever it is told otherwise, and has no option that keeps it from doing so. Everything happens in one
 * step: nobody else sees the environment meanwhile.
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

/** Spans that may wait to be sent; what ends while there are so many is lost, and counted. */
const maxWaiting = 4_096;
/** Spans of one message to the collector: few enough that writing it holds nobody up. */
const maxBatch = 256;
/** Milliseconds that an ended span waits for others to be sent with. */
const batchDelayMs = 1_000;
/** Milliseconds that sending a batch may take, with everything that is tried again. */
const exportTimeoutMs = 5_000;
/** Characters of a text; a path may be long. */
const maxAttributeLength = 1_024;
/** More than any span has. */
const maxAttributes = 32;

/** What a tracer works with. The logger is told, once a minute at most, of spans that are lost. */
export interface OtelTracerParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/**
 * Records spans with OpenTelemetry's own SDK, and sends them to a collector by OTLP over HTTP. Nothing of it is
 * global, and no environment variable changes it: the configuration says all.
 */
export class OtelTracer implements Tracer {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: OtelApiTracer;
  readonly #outbox: Outbox;
  readonly #clock: SpanClock;
  readonly #exporter: ReturnType<typeof collectorExporter>;
  #isStopped = false;

  /** Nothing is sent before the first span has ended. */
  constructor(
    configuration: TracingConfiguration,
    { instance, version }: TracedProgram,
    { logger, clock, random }: OtelTracerParts,
  ) {
    this.#clock = new SpanClock(clock);
    const lost = new LostSpans(new URL(configuration.endpoint).host, logger, clock);
    this.#outbox = new Outbox(maxWaiting, lost);
    const { exporter, provider } = withoutOtelVariables(() => {
      const exporter = collectorExporter(configuration, version, exportTimeoutMs, this.#outbox);
      const provider = new BasicTracerProvider({
        resource: resourceFromAttributes({
          [ATTR_SERVICE_NAME]: configuration.serviceName,
          [ATTR_SERVICE_INSTANCE_ID]: instance,
          [ATTR_SERVICE_VERSION]: version,
        }),
        // What is begun is recorded: whoever begins it has decided so.
        sampler: new AlwaysOnSampler(),
        idGenerator: { generateTraceId: () => random.hex(16), generateSpanId: () => random.hex(8) },
        spanLimits: { attributeValueLengthLimit: maxAttributeLength, attributeCountLimit: maxAttributes },
        spanProcessors: [
          new BatchSpanProcessor(exporter, {
            maxQueueSize: maxWaiting,
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
    // What could not be sent has been told of already.
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, grace]);
    clearTimeout(timer);
    this.#exporter.hangUp();
  }
}

/** A server span has its parent in another program. */
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
