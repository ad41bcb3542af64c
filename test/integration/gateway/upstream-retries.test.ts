import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { UpstreamCounters } from '../../../src/adapters/outbound/prometheus-metrics/upstream-counters.js';
import { targetClients } from '../../../src/adapters/outbound/upstream-clients/upstream-clients.js';
import { TargetLedgers } from '../../../src/application/gateway/choose-upstream/target-ledgers.js';
import { UpstreamTargets } from '../../../src/application/gateway/choose-upstream/upstream-targets.js';
import type { BodySource } from '../../../src/application/ports/gateway/body-source.js';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeHostResolver } from '../../support/gateway/fake-host-resolver.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { ScriptedBody } from '../../support/gateway/scripted-body.js';
import { recordedExchange, sendingStage } from '../../support/gateway/sending-stage.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { upstreamOf } from '../../support/gateway/upstream-targets.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { ManualClock } from '../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

/** The stage before real targets on these ports. */
const stageBefore = (
  cleanUp: CleanUp,
  ports: readonly number[],
  upstream: Partial<UpstreamConfiguration> = {},
  changes: Parameters<typeof sendingStage>[1] = {},
) => {
  const clock = new ManualClock();
  const configuration = upstreamOf(
    ports.map((port) => `127.0.0.1:${port}`),
    upstream,
  );
  const targets = new UpstreamTargets(configuration, 100, null, {
    ledgers: new TargetLedgers(clock),
    createClient: targetClients(testSocketLayers),
    metrics: { upstream: () => new UpstreamCounters() },
    resolver: new FakeHostResolver(),
    prober: { probe: () => Promise.reject(new Error('nothing is checked')) },
    clock,
    random: { uuid: () => '', token: () => '', fraction: () => 0, hex: () => '' },
    scheduler: new ManualScheduler(clock),
    logger: new RecordingLogger(),
  });
  cleanUp.add(() => targets.close(0));
  const { stage } = sendingStage(targets, { clock, ...changes });
  const send = async (method: string, body: BodySource | null = null) => {
    const { exchange, response } = recordedExchange({ method }, body);
    await stage(exchange);
    return response;
  };
  return { targets, stage, send };
};

const startEcho = async (cleanUp: CleanUp) => {
  /** The methods of the requests that came. */
  const received: (string | undefined)[] = [];
  const upstream = await startHttpUpstream((request, response) => {
    received.push(request.method);
    echo(request, response);
  });
  cleanUp.add(() => upstream.close());
  return { port: upstream.port, received };
};

/** One that ends every connection when it has the head of a request. */
const startResetting = async (cleanUp: CleanUp) => {
  const upstream = await startRawUpstream((socket) => void socket.resetAndDestroy());
  cleanUp.add(() => upstream.close());
  return upstream;
};

describe('with one of two targets', () => {
  it('that is down, the other answers every request, POSTs with a body included', async ({ cleanUp }) => {
    const good = await startEcho(cleanUp);
    const { send } = stageBefore(cleanUp, [await freePort(), good.port]);
    for (let turn = 0; turn < 6; turn += 1) {
      const response = await send('POST', new ScriptedBody(['one ', `two ${turn}`]));
      expect(response.status).toBe(200);
      expect((JSON.parse(response.text) as Echo).body).toBe(`one two ${turn}`);
    }
    expect(good.received).toHaveLength(6);
  });

  it('that resets, the other answers retryable requests; a POST fails and is sent once', async ({ cleanUp }) => {
    const good = await startEcho(cleanUp);
    const bad = await startResetting(cleanUp);
    const { send } = stageBefore(cleanUp, [bad.port, good.port]);
    const answers = await Promise.all(['GET', 'PUT', 'DELETE', 'HEAD'].map((method) => send(method)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const posts = [await send('POST'), await send('POST')];
    expect(posts.map(({ status }) => status).toSorted()).toEqual([200, 502]);
    const sent = [...bad.heads.map((head) => head.split(' ')[0]), ...good.received];
    expect(sent.filter((method) => method === 'POST')).toHaveLength(2);
  });

  it('that resets, it is ejected after the failure threshold', async ({ cleanUp }) => {
    const good = await startEcho(cleanUp);
    const bad = await startResetting(cleanUp);
    const targetBreaker = { failureThreshold: 2, openMs: 60_000, probes: 1 };
    const { send, targets } = stageBefore(cleanUp, [bad.port, good.port], { targetBreaker });
    for (let turn = 0; turn < 8; turn += 1) expect((await send('GET')).status).toBe(200);
    expect(bad.heads).toHaveLength(2);
    expect(targets.statuses()).toMatchObject([
      { healthy: false, failedRequests: 2, activeConnections: 0 },
      { healthy: true, totalRequests: 8, failedRequests: 0 },
    ]);
  });
});

describe('a PUT with a reset during its upload', () => {
  const pieces = (count: number) => Array.from({ length: count }, (_, index) => Buffer.alloc(20_000, 97 + index));

  it('is sent completely to the other if little was read', async ({ cleanUp }) => {
    const good = await startEcho(cleanUp);
    const bad = await startResetting(cleanUp);
    const { send } = stageBefore(cleanUp, [bad.port, good.port]);
    const body = pieces(3);
    const response = await send('PUT', new ScriptedBody(body));
    expect((JSON.parse(response.text) as Echo).body).toBe(Buffer.concat(body).toString());
  });

  it('fails once more was read than the replay buffer holds', async ({ cleanUp }) => {
    const good = await startEcho(cleanUp);
    let isReset = false;
    const bad = await startRawUpstream((socket: Socket) => {
      socket.on('data', () => undefined);
    });
    cleanUp.add(() => bad.close());
    const source = new ScriptedBody(pieces(4));
    // The fifth piece comes only when the connection has gone.
    const body: BodySource = {
      declaredLength: null,
      read: async () => {
        const piece = await source.read();
        if (piece !== null || isReset) return piece;
        isReset = true;
        await bad.close();
        return Buffer.from('late');
      },
      trailers: () => [],
      cancel: () => undefined,
    };
    const { send } = stageBefore(cleanUp, [bad.port, good.port]);
    expect((await send('PUT', body)).status).toBe(502);
    expect(good.received).toHaveLength(0);
  });
});

it('a fully buffered response frees its connection, even with a slow client', async ({ cleanUp }) => {
  const upstream = await startHttpUpstream((_, response) => response.end('x'.repeat(50_000)));
  cleanUp.add(() => upstream.close());
  const { stage, send } = stageBefore(
    cleanUp,
    [upstream.port],
    { maxConnections: 1 },
    { maxBufferedResponseOctets: 100_000 },
  );
  const slow = recordedExchange();
  let take: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const { response } = slow;
  const write = response.write.bind(response);
  Object.assign(response, {
    write: (chunk: Uint8Array) => {
      write(chunk);
      return taken;
    },
  });
  const first = stage(slow.exchange);
  await expect.poll(() => response.text.length).toBeGreaterThan(0);
  expect(response.state).toBe('open');
  expect((await send('GET')).text.length).toBe(50_000);
  take();
  await first;
  expect([response.text.length, response.state]).toEqual([50_000, 'ended']);
});
