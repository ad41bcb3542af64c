import { describe, expect } from 'vitest';
import { SocketAgentConnector } from '../../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { PooledAgentClient } from '../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import { agentContainer, startAgent } from '../../../src/bootstrap/agent/start-agent.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testAgent,
  testConfiguration,
  testLimits,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const startAll = async (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const path = folder.file('agent.sock');
  const started = await startAgent(agentContainer(new RecordingLogger()), { overrides: { socket: path }, block: {} });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  cleanUp.add(() => started.value.stop());
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const wanted = (key: string, timeoutMs: number, maxAgentQueueDepth: number): GatewayConfiguration =>
    testConfiguration([testUpstream(upstream.port)], {
      agents: [
        {
          ...testAgent('auth'),
          transport: { kind: 'unix_socket', path, owner: null },
          timeoutMs,
          config: { 'api-keys': [`${key}:alice`, 'steady:bob'] },
        },
      ],
      routes: [testRoute({ agents: ['auth'] })],
      limits: { ...testLimits, maxAgentQueueDepth },
    });
  const gateway = await startInProcess(wanted('first', 5_000, 100), {
    createAgent: ({ name, timeoutMs, config }) => {
      const parts = {
        clock: new SystemClock(),
        scheduler: new NodeScheduler(),
        random: new CryptoRandom(),
        logger: new RecordingLogger(),
        layers: testSocketLayers,
      };
      const connector = new SocketAgentConnector({ path, owner: null, proxyId: 'test', proxyVersion: '0' }, parts);
      return new PooledAgentClient({ name, timeoutMs, maxQueueDepth: 100, config, connections: 4 }, connector, parts);
    },
  });
  cleanUp.add(() => gateway.stop(1_000));
  const statusWith = async (key: string): Promise<number> => {
    const response = await fetch(gateway.url, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    return response.status;
  };
  await eventually(() => gateway.state.agents()[0]?.connections === 4);
  return { gateway, wanted, statusWith };
};

describe('reloads under a steady load', () => {
  it('lose no request if only call settings of the agent change', async ({ cleanUp }) => {
    const { gateway, wanted, statusWith } = await startAll(cleanUp);
    const load = new SteadyLoad('load', 8, () => statusWith('steady'));
    for (let round = 1; round <= 6; round += 1) {
      const before = load.all().length;
      expect(await gateway.reload(wanted('first', 5_000 + round, 100))).toMatchObject({ ok: true });
      // A few turns later, another one: it replaces a client that has calls and hardly begun to connect.
      for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(await gateway.reload(wanted('first', 5_000 + round, 100 + round))).toMatchObject({ ok: true });
      await eventually(() => load.all().length > before + 20);
    }
    await load.stop();
    expect(new Set(load.all())).toEqual(new Set([200]));
  });

  it('revoke a key repeatedly, whatever else changes', async ({ cleanUp }) => {
    const { gateway, wanted, statusWith } = await startAll(cleanUp);
    const load = new SteadyLoad('load', 4, () => statusWith('steady'));
    const keys = ['first', 'second'] as const;
    for (let round = 1; round <= 6; round += 1) {
      const [key, revoked] = round % 2 === 1 ? [keys[1], keys[0]] : [keys[0], keys[1]];
      expect(await gateway.reload(wanted(key, 5_000 + (round > 2 ? round : 0), 100))).toMatchObject({ ok: true });
      await expect.poll(() => statusWith(key)).toBe(200);
      expect(await statusWith(revoked)).toBe(401);
    }
    await load.stop();
    expect(new Set(load.all())).toEqual(new Set([200]));
  });
});
