import type { RequestTracing, TracedRequest } from '../../src/application/gateway/trace/request-tracing.js';
import type { TracedProgram, Tracer } from '../../src/application/ports/gateway/tracer.js';
import type { Clock } from '../../src/application/ports/shared/clock.js';
import type { Logger } from '../../src/application/ports/shared/logger.js';
import type { Random } from '../../src/application/ports/shared/random.js';
import type { TracingConfiguration } from '../../src/domain/gateway/configuration/tracing-schema.js';
import { built } from '../built.js';
import type { Check, PreparedComparisons } from '../checks/comparison.js';
import { CountingCollector } from './counting-collector.js';

interface OtelTracerPorts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}
type NewTracer = new (configuration: TracingConfiguration, program: TracedProgram, parts: OtelTracerPorts) => Tracer;
type NewTracing = new (tracer: Tracer, ratio: number, random: Random) => RequestTracing;

const headers = Array.from({ length: 12 }, (_, index) => [`X-Header-${index}`, `value ${index}`]).flat();

const traced: TracedRequest = {
  request: {
    method: 'GET',
    headers,
    httpVersion: '1.1',
    connection: {
      listener: 'main',
      peerAddress: '192.0.2.7',
      peerPort: 1,
      isUnnamed: false,
      scheme: 'http',
      tls: null,
      direct: {
        ip: null,
        client: {
          address: '192.0.2.7',
          port: 1,
          peerTrusted: false,
          source: 'connection',
          scheme: null,
          host: null,
        },
      },
    },
  },
  client: { address: '192.0.2.7', peerTrusted: false },
  target: { host: 'shop.example', path: '/cart' },
};

const trace = (tracing: RequestTracing): void => {
  const request = tracing.begin(traced);
  request.agentCall('auth', 'request_headers')?.end(null, null);
  const attempt = request.upstreamAttempt('shop', '192.0.2.1:80', 1);
  if (attempt.propagate(headers).length !== headers.length + 2) throw new Error('the context is not propagated');
  attempt.end(200, null);
  request.end('GET', 'cart', 200, null);
};

const spansPerRequest = 3;

const recorded =
  (tracing: RequestTracing, collector: CountingCollector): Check['run'] =>
  () => {
    trace(tracing);
    collector.sent += spansPerRequest;
    return collector.isBehind ? collector.catchUp() : undefined;
  };

export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const outbound = 'adapters/outbound';
  const { SystemClock } = await built<{ readonly SystemClock: new () => Clock }>(
    `${outbound}/node-clock/system-clock.js`,
  );
  const { CryptoRandom } = await built<{ readonly CryptoRandom: new () => Random }>(
    `${outbound}/node-random/crypto-random.js`,
  );
  const { OtelTracer } = await built<{ readonly OtelTracer: NewTracer }>(`${outbound}/otel-tracing/otel-tracer.js`);
  const { RequestTracing: BuiltTracing } = await built<{ readonly RequestTracing: NewTracing }>(
    'application/gateway/trace/request-tracing.js',
  );
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const logger = { error: fail, warn: fail, info: fail, debug: fail, trace: fail };
  const collector = await CountingCollector.start();
  const random = new CryptoRandom();
  const tracer = new OtelTracer(
    { endpoint: collector.endpoint, sampleRatio: 1, serviceName: 'bench', headers: [] },
    { instance: 'bench', version: '0' },
    { logger, clock: new SystemClock(), random },
  );
  const unrecorded = new BuiltTracing(tracer, 0, random);
  return {
    comparisons: [
      {
        name: 'request',
        describes: 'the trace of a request with one agent and one attempt',
        rows: [
          { name: 'not sampled', describes: 'ids only', check: { run: () => trace(unrecorded) } },
          {
            name: 'sampled',
            describes: 'recorded and sent',
            check: { run: recorded(new BuiltTracing(tracer, 1, random), collector) },
          },
        ],
      },
    ],
    stop: async () => {
      await tracer.stop(5_000);
      await collector.stop();
    },
  };
};
