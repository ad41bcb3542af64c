import { describe, expect, it } from 'vitest';
import { PrometheusGatewayMetrics } from '../../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { RequestAdmissions } from '../../../../../../src/application/gateway/admit/request-admissions.js';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { Exchange } from '../../../../../../src/application/gateway/proxy-request/exchange.js';
import { admitRequest } from '../../../../../../src/application/gateway/proxy-request/stages/admit-request.js';
import { LocalPermitBook } from '../../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { ClientBody } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import type { LimitsConfiguration } from '../../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { ClientAddress } from '../../../../../../src/domain/http/client-address.js';
import { newExchange, strictOwner } from '../../../../../support/gateway/exchanges.js';
import { plainLimits } from '../../../../../support/gateway/plain-configurations.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const setUp = (changes: Partial<LimitsConfiguration>) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const logger = new RecordingLogger();
  const metrics = new PrometheusGatewayMetrics('test');
  const admissions = new RequestAdmissions(scheduler, new LocalPermitBook());
  admissions.limit({ ...plainLimits, ...changes });
  const places = admissions.route('all');
  const problems = new ProblemAnswerer(logger);
  const stage = admitRequest({ admissions, slots: places, timeoutMs: 1_000, clock, problems, metrics });
  return { clock, scheduler, logger, metrics, admissions, stage };
};

/** An exchange of this client that records its response. */
const exchangeOf = (client: Partial<ClientAddress> = {}, body: ClientBody | null = null) => {
  const sent: { status: number; headers: readonly string[]; body: string | null }[] = [];
  const { request, response, client: plain } = newExchange({ body });
  const recording = {
    ...response,
    send: (status: number, headers: readonly string[], text: string | null) =>
      void sent.push({ status, headers, body: text }),
  };
  const exchange = new Exchange(request, recording, 'own', 'theirs', { ...plain, ...client }, 0, strictOwner);
  return { exchange, sent };
};

const proxied = (address: string): Partial<ClientAddress> => ({
  address,
  peerTrusted: true,
  source: 'x_forwarded_for',
});

describe('a request', () => {
  it('is admitted at once if a slot is free, and frees the slot when it ends', () => {
    const { stage, admissions } = setUp({ maxInFlightRequests: 1 });
    const { exchange } = exchangeOf();
    expect(stage(exchange)).toBe('continue');
    expect(admissions.inFlight).toBe(1);
    exchange.admission?.release();
    expect(admissions.inFlight).toBe(0);
  });

  it('queues for a slot, and records the time in the queue', async () => {
    const { stage, scheduler, admissions } = setUp({ maxInFlightRequests: 1 });
    const first = exchangeOf().exchange;
    expect(stage(first)).toBe('continue');
    const { exchange, sent } = exchangeOf();
    const outcome = stage(exchange);
    await scheduler.advance(300);
    expect([exchange.admission, admissions.queued]).toEqual([null, 1]);
    first.admission?.release();
    expect(await outcome).toBe('continue');
    expect([exchange.queuedMs, admissions.queued, admissions.inFlight, sent.length]).toEqual([300, 0, 1, 0]);
    expect(exchange.admission).not.toBeNull();
  });

  it('is refused after its time in the queue, with the status, log and metric of a limit', async () => {
    const { stage, scheduler, logger, metrics } = setUp({ maxInFlightRequests: 1 });
    expect(stage(exchangeOf().exchange)).toBe('continue');
    const { exchange, sent } = exchangeOf({ address: '192.0.2.9' });
    const outcome = stage(exchange);
    await scheduler.advance(1_000);
    expect(await outcome).toBe('ended');
    expect(exchange.admission).toBeNull();
    expect(sent.map(({ status }) => status)).toEqual([503]);
    expect(sent[0]?.headers.join('|')).toContain('Retry-After|1');
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ code: 'request_limit_reached', correlation_id: 'theirs' });
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        message: 'Too many concurrent requests',
        fields: {
          limit: 1,
          limit_name: 'max-in-flight-requests',
          actual: 2,
          client_ip: '192.0.2.9',
          trace_id: 'own',
        },
      },
    ]);
    expect(await metrics.render()).toMatch(
      /^gateway_request_limit_reached_total\{[^}]*limit="max-in-flight-requests"[^}]*\} 1$/m,
    );
  });

  it('leaves the queue when its client disconnects, and takes no slot', async () => {
    const { stage, admissions, scheduler } = setUp({ maxInFlightRequests: 1 });
    const first = exchangeOf().exchange;
    expect(stage(first)).toBe('continue');
    const { exchange, sent } = exchangeOf();
    const outcome = stage(exchange);
    exchange.abandon();
    expect(await outcome).toBe('ended');
    first.admission?.release();
    expect([admissions.queued, admissions.inFlight, sent.length, scheduler.waiting]).toEqual([0, 0, 0, 0]);
    expect(exchange.admission).toBeNull();
  });

  it('gives its slot back if the client disconnects at the moment of admission', async () => {
    const { stage, admissions } = setUp({ maxInFlightRequests: 1 });
    const first = exchangeOf().exchange;
    expect(stage(first)).toBe('continue');
    const { exchange } = exchangeOf();
    const outcome = stage(exchange);
    first.admission?.release();
    // The end of an exchange, before code that awaits the stage runs.
    exchange.abandon();
    exchange.admission?.release();
    await outcome;
    expect(admissions.inFlight).toBe(0);
  });

  it('takes no slot if its client is gone already', () => {
    const { stage, admissions } = setUp({});
    const { exchange } = exchangeOf();
    exchange.abandon();
    expect(stage(exchange)).toBe('ended');
    expect(admissions.inFlight).toBe(0);
  });

  it('reads ahead while it queues, to notice that the client disconnects', async () => {
    const { stage } = setUp({ maxInFlightRequests: 1 });
    const first = exchangeOf().exchange;
    expect(stage(first)).toBe('continue');
    const looks: boolean[] = [];
    const body = { lookAhead: (isWanted: boolean) => void looks.push(isWanted) } as unknown as ClientBody;
    const outcome = stage(exchangeOf({}, body).exchange);
    expect(looks).toEqual([true]);
    first.admission?.release();
    await outcome;
    expect(looks).toEqual([true, false]);
  });
});

describe('the requests of one client', () => {
  it('are counted behind a trusted proxy that names the client', async () => {
    const { stage, metrics } = setUp({ maxConnectionsPerClient: 1 });
    expect(stage(exchangeOf(proxied('192.0.2.1')).exchange)).toBe('continue');
    expect(stage(exchangeOf(proxied('192.0.2.2')).exchange)).toBe('continue');
    const { exchange, sent } = exchangeOf(proxied('192.0.2.1'));
    expect(stage(exchange)).toBe('ended');
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ status: 503, code: 'connection_limit_reached' });
    expect(await metrics.render()).toMatch(
      /^gateway_connection_limit_reached_total\{[^}]*limit="max-connections-per-client"[^}]*\} 1$/m,
    );
  });

  it('are not counted if the client connects directly, or the proxy names none', () => {
    const { stage } = setUp({ maxConnectionsPerClient: 1 });
    for (let count = 0; count < 3; count += 1) {
      expect(stage(exchangeOf({ address: '192.0.2.1' }).exchange)).toBe('continue');
      expect(stage(exchangeOf({ address: '192.0.2.1', peerTrusted: true }).exchange)).toBe('continue');
    }
  });
});
