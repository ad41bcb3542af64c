import { expect } from 'vitest';
import { LegacyAgentConnector } from '../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { SocketAgentConnector } from '../../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import {
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { pooledClient, socketServer } from '../../support/shared/agent-transports.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import { rawLegacyAgent } from '../../support/shared/raw-legacy-agent.js';

/** Agents that refuse a configuration with a member `refuse`, for the reason that it holds. */
const agents: Readonly<Record<string, (path: string) => Promise<() => unknown>>> = {
  socket: async (path) => {
    const server = socketServer(path, new FakeAgentService());
    await server.listen();
    return () => server.drain(0);
  },
  legacy: async (path) => {
    const agent = await rawLegacyAgent(path, (peer) => {
      void peer.received(1).then((message) => {
        const config = (message?.payload['config'] ?? {}) as { readonly refuse?: string };
        peer.send(config.refuse === undefined ? { success: true } : { success: false, error: config.refuse });
      });
    });
    return () => agent.close();
  },
};

it.for(Object.keys(agents))(
  '/admin/stats reports why an agent refused its first handshake: %s',
  async (kind, { cleanUp, folder }) => {
    const path = folder.file('agent.sock');
    cleanUp.add(await (agents[kind] as (path: string) => Promise<() => unknown>)(path));
    const admin = { host: '127.0.0.1', port: await freePort() };
    const configured = (config: AgentConfiguration['config']) =>
      testConfiguration([testUpstream(1)], {
        agents: [{ ...testAgent('auth'), transport: { kind: 'unix_socket', path, owner: null }, config }],
        routes: [testRoute({ agents: ['auth'] })],
        admin: { address: admin, token: null, readyRequires: [] },
      });
    const parts = { clock: new SystemClock(), scheduler: new NodeScheduler(), layers: testSocketLayers };
    const gateway = await startInProcess(configured({ refuse: 'no such rule' }), {
      createAgent: ({ config }) => {
        const connector =
          kind === 'legacy'
            ? new LegacyAgentConnector({ name: 'auth', path, owner: null, events: ['request_headers'] }, parts)
            : new SocketAgentConnector({ path, owner: null, proxyId: 'test', proxyVersion: '0' }, parts);
        return pooledClient(connector, { config });
      },
    });
    cleanUp.add(() => gateway.stop());
    const shown = async () => JSON.parse((await call(admin.port, { path: '/admin/stats' })).body).agents.auth as object;
    await eventually(() => gateway.state.agents()[0]?.refusal !== null);
    expect(await shown()).toMatchObject({ state: 'unreachable', connections: 0, refusal: 'no such rule' });
    expect((await call(gateway.address.port)).status).toBe(503);
    await gateway.reload(configured({}));
    await eventually(() => gateway.state.agents()[0]?.connections === 4);
    expect(await shown()).not.toHaveProperty('refusal');
  },
);
