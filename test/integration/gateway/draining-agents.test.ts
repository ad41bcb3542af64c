import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentUnixSocketServer } from '../../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { GuardedAgentClient } from '../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { PooledAgentClient } from '../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { Deferred, FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { socketClient, socketServer } from '../../support/shared/agent-transports.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const graceMs = 20_000;
let cleanUp: CleanUp;
let service: FakeAgentService;
let server: AgentUnixSocketServer;
let client: PooledAgentClient;
let path: string;
let url: string;
/** The upstream answers once this is settled. */
let release: Deferred<void>;
let reached: Deferred<void>;

beforeEach(async () => {
  cleanUp = new CleanUp();
  release = new Deferred();
  reached = new Deferred();
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  path = folder.file('agent.sock');
  service = new FakeAgentService();
  service.supportedEvents = agentSubscriptions;
  service.answer = ({ kind }) =>
    kind === 'response_headers'
      ? { ...allowAnswer, responseHeaders: [{ kind: 'set', name: 'X-Filtered', value: 'yes' }] }
      : allowAnswer;
  // None is kept that has nothing to do.
  server = socketServer(path, service, { drainLingerMs: 0 });
  await server.listen();
  cleanUp.add(() => server.drain(0));
  const upstream = await startHttpUpstream((_request, response) => {
    reached.resolve();
    void release.promise.then(() => response.end('late'));
  });
  cleanUp.add(() => upstream.close());
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    agents: [
      { ...testAgent('judge'), transport: { kind: 'unix_socket', path, owner: null }, events: agentSubscriptions },
    ],
    routes: [testRoute({ agents: ['judge'] })],
  });
  client = socketClient(path, { timeoutMs: 5_000 });
  const gateway = await startInProcess(configuration, {
    createAgent: ({ events }) =>
      new GuardedAgentClient(
        client,
        { breaker: null, maxResponseBytes: 10_240, events },
        { clock: new SystemClock(), logger: new RecordingLogger() },
      ),
  });
  cleanUp.add(() => gateway.stop());
  url = gateway.url;
  await eventually(() => client.status().connections === 4);
});

afterEach(() => cleanUp.run());

const seen = (kind: string): number => service.events.filter((event) => event.kind === kind).length;

it('an agent that drains during a slow response still filters it and gets its completion', async () => {
  const asked = fetch(url);
  await reached.promise;
  const drained = server.drain(graceMs);
  await eventually(() => client.status().state === 'draining' && client.status().connections === 1);
  release.resolve();
  const response = await asked;
  expect([response.status, response.headers.get('x-filtered'), await response.text()]).toEqual([200, 'yes', 'late']);
  await eventually(() => seen('request_complete') === 1);
  // Not by the end of its grace: the gateway has let go of it.
  await drained;
});

it('a draining agent without requests in flight is disconnected at once', async () => {
  release.resolve();
  for (let count = 0; count < 5; count += 1) expect((await fetch(url)).status).toBe(200);
  await eventually(() => seen('request_complete') === 5);
  await server.drain(graceMs);
});

it('requests move from a draining agent to its successor', async () => {
  const asked = fetch(url);
  await reached.promise;
  const drained = server.drain(graceMs);
  const successor = new FakeAgentService();
  successor.supportedEvents = agentSubscriptions;
  const next = socketServer(path, successor);
  await next.listen();
  cleanUp.add(() => next.drain(0));
  // The old one that is kept, and four to the successor.
  await eventually(() => client.status().connections === 5 && client.status().state === 'healthy');
  release.resolve();
  expect((await asked).status).toBe(200);
  await eventually(() => successor.events.some(({ kind }) => kind === 'request_complete'));
  expect(successor.events.map(({ kind }) => kind)).toEqual(['response_headers', 'request_complete']);
  await drained;
});
