import { PrometheusGatewayMetrics } from '../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { RequestAdmissions } from '../../../src/application/gateway/admit/request-admissions.js';
import type { TargetChooser } from '../../../src/application/gateway/choose-upstream/chosen-target.js';
import type { CircuitBreakerHolder } from '../../../src/application/gateway/circuit-breakers/circuit-breaker-holder.js';
import { RouteBreakers } from '../../../src/application/gateway/circuit-breakers/route-breakers.js';
import { ProblemAnswerer } from '../../../src/application/gateway/proxy-request/answer-problem.js';
import { Exchange, type ExchangeOwner, type Stage } from '../../../src/application/gateway/proxy-request/exchange.js';
import { RetryAllowance } from '../../../src/application/gateway/proxy-request/forwarding-rules.js';
import { MeteredBody } from '../../../src/application/gateway/proxy-request/metered-body.js';
import {
  type ForwardingOptions,
  sendToUpstream,
} from '../../../src/application/gateway/proxy-request/upstream-forwarder.js';
import { LocalPermitBook } from '../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { BodySource } from '../../../src/application/ports/gateway/body-source.js';
import type { ClientRequest } from '../../../src/application/ports/gateway/http-exchange.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler, settled } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { newExchange } from './exchanges.js';
import { RecordedResponse } from './recorded-response.js';

/** The owner of one exchange, that remembers what it failed for. */
class RecordingOwner implements ExchangeOwner {
  readonly isClosing = false;
  readonly faults: unknown[] = [];

  failed(_: Exchange, error: unknown): void {
    this.faults.push(error);
  }
}

/** By exchange, of those that `recordedExchange` has made. */
const owners = new WeakMap<Exchange, RecordingOwner>();

const isOver = (exchange: Exchange): boolean => {
  const { response } = exchange;
  if (exchange.abandoned || (owners.get(exchange)?.faults.length ?? 0) > 0) return true;
  return response instanceof RecordedResponse && (response.state !== 'open' || response.tunnel !== null);
};

/**
 * Runs a stage that sends a request on. Resolves when the exchange is over, and with it what its target hears of
 * that; rejects with the fault that has ended it.
 */
const untilOver =
  (stage: Stage): Stage =>
  async (exchange) => {
    const outcome = await stage(exchange);
    do await settled();
    while (!isOver(exchange));
    const fault = owners.get(exchange)?.faults[0];
    if (fault !== undefined) throw fault;
    return outcome;
  };

/** The stage that sends requests on, and what it works with. */
export const sendingStage = (chooser: TargetChooser, changes: Partial<ForwardingOptions> = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const metrics = new PrometheusGatewayMetrics('test');
  const dependencies: ForwardingOptions = {
    chooser,
    clock,
    metrics,
    timeoutMs: 5_000,
    readTimeoutMs: null,
    streams: new RequestAdmissions(new ManualScheduler(clock), new LocalPermitBook()).streams,
    descriptors: { noteExhausted: () => undefined },
    retries: { maxAttempts: 3, budgetPercent: 20 },
    allowance: new RetryAllowance(20),
    scheduler: new ManualScheduler(clock),
    problems: new ProblemAnswerer(logger),
    maxBodySize: { name: 'max-body-size-bytes', octets: 1_000_000 },
    routeBreaker: null,
    maxBufferedResponseOctets: null,
    responseCompressor: null,
    responseInspector: null,
    mirror: null,
    turnBack: null,
    ...changes,
  };
  return { clock, logger, metrics, stage: untilOver(sendToUpstream('api', dependencies)) };
};

export const breakerOfRoute = (clock: ManualClock, logger = new RecordingLogger()): CircuitBreakerHolder =>
  new RouteBreakers(clock, logger).of('r', { failureThreshold: 2, openMs: 10_000, probes: 1 });

/** An exchange whose response is kept; `body` is what is forwarded, counted as that of the client. */
export const recordedExchange = (changes: Partial<ClientRequest> = {}, body: BodySource | null = null) => {
  const { request, client } = newExchange(changes);
  const response = new RecordedResponse();
  const owner = new RecordingOwner();
  const exchange = new Exchange(request, response, 'own', 'theirs', client, 0, owner);
  owners.set(exchange, owner);
  exchange.target = { ...exchange.target, path: '/path' };
  if (body !== null) {
    exchange.body = new MeteredBody(body, 1_000_000);
    exchange.forwarded.body = exchange.body;
  }
  return { exchange, response };
};

/** The value of a counter of the upstream `api`. */
export const upstreamCount = async (metrics: PrometheusGatewayMetrics, name: string): Promise<number> => {
  const line = (await metrics.render())
    .split('\n')
    .find((each) => each.startsWith(`${name}{`) && each.includes('"api"'));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
};
