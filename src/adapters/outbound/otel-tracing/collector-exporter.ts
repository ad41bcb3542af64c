import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { TracingConfiguration } from '../../../domain/gateway/configuration/tracing-configuration.js';
import type { Outbox } from './outbox.js';

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
export const collectorExporter = (
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
