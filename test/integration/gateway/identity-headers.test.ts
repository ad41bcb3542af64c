import { beforeEach, describe, expect } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { ShapedAgentService } from '../../support/shared/agent-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

let gateway: InProcessGateway;
let service: ShapedAgentService;

const matching = (prefix: string) => ({ ...testRoute().matches, pathPrefixes: [prefix] });

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  service = new ShapedAgentService();
  service.said = { ownedHeaders: ['X-Declared', 'Corp-*'] };
  const plain = testConfiguration([testUpstream(upstream.port)], {
    agents: [{ ...testAgent('auth'), config: { 'user-id-header': 'X-Who' } }],
    routes: [
      testRoute({ id: 'open', matches: matching('/open') }),
      testRoute({ id: 'judged', matches: matching('/judged'), agents: ['auth'] }),
      testRoute({ id: 'built-in', matches: matching('/built-in'), upstream: null, builtinHandler: 'health' }),
      testRoute({
        id: 'forwarding',
        matches: matching('/forwarding'),
        policies: { ...plainPolicies, forwardsIdentityHeaders: true },
      }),
    ],
  });
  const listeners = plain.listeners.map((listener) => ({ ...listener, http2: true }));
  gateway = await startInProcess(
    { ...plain, listeners },
    {
      createAgent: ({ name, timeoutMs, config }) =>
        new AgentEmbeddedClient(
          { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
          service,
          new SystemClock(),
          new NodeScheduler(),
          new RecordingLogger(),
        ),
    },
  );
  cleanUp.add(() => gateway.stop());
});
beforeEach(() => void service.events.splice(0));

/** Every name in four spellings; an upstream that follows CGI reads them as one. */
const hostile = [
  'X-Client-Cert',
  'Client-Cert',
  'Client-Cert-Chain',
  'X-Forwarded-Client-Cert',
  'X-Client-Cert-CN',
  'X-Client-Cert-DN',
  'X-User-Id',
  'X-Auth-Method',
  'X-Auth-Claim-Role',
  'X-Who',
  'X-Declared',
  'Corp-Role',
].flatMap((name) => [
  name,
  name.toUpperCase().replaceAll('-', '_'),
  name.replaceAll('-', '.'),
  name.replace('-', '_').toLowerCase(),
]);

const overHttp1 = async (_cleanUp: CleanUp, path: string): Promise<Echo> => {
  const fields = [...hostile.map((name) => `${name}: mallory`), 'X-Other: kept'];
  const nominated = `Connection: ${hostile.slice(0, 4).join(', ')}, close`;
  const head = [`GET ${path} HTTP/1.1`, 'Host: a.example', nominated, ...fields, '', ''].join('\r\n');
  return JSON.parse((await rawExchange(gateway.address, head)).body) as Echo;
};

const overHttp2 = async (cleanUp: CleanUp, path: string): Promise<Echo> => {
  const fields = Object.fromEntries(hostile.map((name) => [name.toLowerCase(), 'mallory']));
  const session = http2Session(cleanUp, gateway.url);
  const { body } = await http2Call(session, { ':path': path, ...fields, 'x-other': 'kept' });
  return JSON.parse(body.toString()) as Echo;
};

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('identity and certificate headers of a client over %s', (_, send) => {
  it.for(['/open', '/judged'])('do not reach the upstream of %s in any spelling', async (path, { cleanUp }) => {
    const { rawHeaders } = await send(cleanUp, path);
    expect(rawHeaders).not.toContain('mallory');
    expect(rawHeaders).toContain('kept');
  });

  it('do not reach an agent', async ({ cleanUp }) => {
    await send(cleanUp, '/judged');
    expect(service.events).toHaveLength(1);
    expect(JSON.stringify(service.events)).not.toContain('mallory');
  });

  it('reach the upstream of a route that forwards them', async ({ cleanUp }) => {
    const { rawHeaders } = await send(cleanUp, '/forwarding');
    const forwarded = rawHeaders.filter((_name, index) => rawHeaders[index + 1] === 'mallory');
    expect(forwarded.map((name) => name.toLowerCase())).toContain('x_user_id');
    expect(forwarded.length).toBeGreaterThan(30);
  });

  it('do not change responses of the gateway', async ({ cleanUp }) => {
    expect(await send(cleanUp, '/built-in')).toEqual({ status: 'healthy' });
  });
});
