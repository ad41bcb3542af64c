import { Agent } from 'node:http';
import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, type StackPlan, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { untilListening } from '../../support/shared/processes.js';
import { runGateway } from '../../support/shared/running-gateway.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const newRoute =
  'route "new" { priority "high"; matches { path "/new" }; service-type "builtin"; builtin-handler "version" }';

const reloads = async (stack: GatewayStack): Promise<unknown> => (await stack.report('/status'))['config_reload_count'];

const reload = async (stack: GatewayStack, changes: StackPlan): Promise<void> => {
  const before = await reloads(stack);
  stack.rewrite(changes);
  stack.gateway.signal('SIGHUP');
  await untilTrue('the new configuration is in force', async () => (await reloads(stack)) !== before);
};

/** SIGHUP; resolves with all that the gateway writes from then on, once that says that nothing was reloaded. */
const refusedReload = async (stack: GatewayStack): Promise<string> => {
  const before = stack.gateway.output().length;
  const written = () => stack.gateway.output().slice(before);
  stack.gateway.signal('SIGHUP');
  await untilTrue('the reload is refused', () => /not reloaded/.test(written()));
  return written();
};

const metric = async (stack: GatewayStack, series: string): Promise<number> => {
  const { body } = await call(stack.adminPort, { path: '/metrics' });
  const line = body
    .split('\n')
    .find((candidate) => candidate.startsWith('gateway_config') && candidate.includes(series));
  if (line === undefined) throw new Error(`/metrics has no series of gateway_config with ${series}`);
  return Number(line.split(' ').at(-1));
};

describe('SIGHUP', () => {
  let stack: GatewayStack;
  let sayOk: GatewayStack['upstream']['answer'];

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    stack = await startStack(cleanUp);
    sayOk = stack.upstream.answer;
  });

  it('adds a route, counts the reload, and keeps connections of unchanged listeners', async ({ cleanUp }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanUp.add(() => agent.destroy());
    const sockets = new Set<number | undefined>();
    agent.on('free', (socket: { readonly localPort?: number }) => sockets.add(socket.localPort));

    const first = await stack.report('/status');
    expect(first).toMatchObject({ config_reload_count: 0 });
    expect((await stack.ask({ path: '/new', agent })).body).toBe('ok');
    await reload(stack, { routes: newRoute });
    const answer = await stack.ask({ path: '/new', agent });
    expect(JSON.parse(answer.body)).toMatchObject({ name: 'portcullis' });
    expect(sockets.size).toBe(1);

    const second = await stack.report('/status');
    expect(second).toMatchObject({ config_reload_count: 1, start_time: first['start_time'] });
    expect(Date.parse(String(second['last_config_reload']))).toBeGreaterThan(
      Date.parse(String(first['last_config_reload'])),
    );
    expect(await metric(stack, 'result="success"')).toBe(1);
    expect(JSON.stringify(await stack.report('/admin/routes'))).toContain('"id":"new"');
  });

  describe('to a gateway that was reloaded before', () => {
    beforeEach(async () => {
      stack.upstream.answer = sayOk;
      await reload(stack, {});
    });

    it('changes nothing if the file is invalid, and reports every error', async () => {
      const before = await reloads(stack);
      const [failures, successes] = [await metric(stack, 'result="failure"'), await metric(stack, 'result="success"')];
      stack.rewrite({ routes: `${newRoute}\n route "bad" { upstream "nowhere" }`, blocks: 'lmits { }' });
      const output = await refusedReload(stack);
      expect(output).toMatch(/gateway\.kdl:\d+:\d+: error: .*upstream \\"nowhere\\"/);
      expect(output).toMatch(/gateway\.kdl:\d+:\d+: error: unknown .*\\"lmits\\"/);
      expect((await stack.ask({ path: '/new' })).body).toBe('ok');
      expect(await reloads(stack)).toBe(before);
      expect(await metric(stack, 'result="failure"')).toBe(failures + 1);
      expect(await metric(stack, 'result="success"')).toBe(successes);
      await reload(stack, { routes: newRoute });
      expect((await stack.ask({ path: '/new' })).body).toContain('portcullis');
    });

    it('changes nothing if a new address is in use', async () => {
      const taken = Number(new URL(`http://${stack.upstreamAddress}`).port);
      const free = await freePort();
      stack.rewrite({
        routes: newRoute,
        blocks: `listeners { listener "free" { address "127.0.0.1:${free}" }; listener "taken" { address "127.0.0.1:${taken}" } }`,
      });
      expect(await refusedReload(stack)).toContain(`cannot listen on 127.0.0.1:${taken}`);
      expect((await stack.ask({ path: '/new' })).body).toBe('ok');
      await expect(call(free)).rejects.toThrow('ECONNREFUSED');
    });

    it('finishes a request on the configuration that it began with', async () => {
      const held: (() => void)[] = [];
      stack.upstream.answer = (request, response) => {
        request.resume();
        held.push(() => response.end('from before'));
      };
      const inFlight = stack.ask();
      await untilTrue('the request is at the upstream', () => held.length === 1);
      await reload(stack, { upstreamMembers: 'timeouts { read-secs 7 }', routes: newRoute });
      expect((await stack.ask({ path: '/new' })).status).toBe(200);
      held[0]?.();
      expect(await inFlight).toMatchObject({ status: 200, body: 'from before' });
      await untilTrue(
        'nothing is in flight',
        async () => (await stack.report('/admin/stats'))['requests_in_flight'] === 0,
      );
    });
  });

  it('does not end a gateway that has just begun to listen', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const port = await freePort();
    const route = 'route "a" { matches { path "/health" }; service-type "builtin"; builtin-handler "health" }';
    const listener = `listeners { listener "main" { address "127.0.0.1:${port}" } }`;
    const gateway = runGateway(['--config', folder.write('gateway.kdl', `${listener}\nroutes { ${route} }`)]);
    cleanUp.add(() => gateway.stop());
    await untilListening(gateway, port);
    gateway.signal('SIGHUP');
    await gateway.wrote(/the configuration was reloaded/);
    expect((await call(port, { path: '/health' })).status).toBe(200);
  });
});

describe.each(['embedded', 'socket'] as const)('SIGHUP to a gateway with an agent (%s)', (transport) => {
  let stack: GatewayStack;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    stack = await startStack(cleanUp, { transport, agentConfig: 'api-keys "old-key:alice"' });
  });

  const asWith = async (key: string) => (await stack.ask({ headers: { 'X-API-Key': key } })).status;

  const ofTheAgent = [
    'the config of the agent',
    (turn: number) => ({ agentConfig: `api-keys "old-key:alice" "key-${turn}:bob"` }),
  ] as const;
  const ofTheGateway = [
    ['how the agent is asked', (turn: number) => ({ agentMembers: `timeout-ms ${1000 + turn}` })],
    ['the upstream', (turn: number) => ({ upstreamMembers: `timeouts { read-secs ${10 + turn} }` })],
  ] as const;

  it.for(transport === 'socket' ? [ofTheAgent, ...ofTheGateway] : [ofTheAgent])(
    'loses no request while %s changes repeatedly',
    async ([_name, changes], { cleanUp }) => {
      const agent = new Agent({ keepAlive: true });
      const load = new SteadyLoad('reloads', 8, async () => {
        const { status } = await stack.ask({ headers: { 'X-API-Key': 'old-key' }, agent });
        return status;
      });
      cleanUp.add(async () => {
        await load.stop();
        agent.destroy();
      });
      for (let turn = 1; turn <= 5; turn += 1) {
        const before = load.all().length;
        await reload(stack, changes(turn));
        await untilTrue('requests go on', () => load.all().length > before + 20);
      }
      await load.stop();
      expect(new Set(load.all())).toEqual(new Set([200]));
    },
  );

  it('sends a changed config to the agent', async () => {
    await reload(stack, {});
    await untilTrue('the old key is taken', async () => (await asWith('old-key')) === 200);
    expect([await asWith('old-key'), await asWith('new-key')]).toEqual([200, 401]);
    await reload(stack, { agentConfig: 'api-keys "new-key:bob"' });
    await untilTrue('the new key is taken', async () => (await asWith('new-key')) === 200);
    expect(await asWith('old-key')).toBe(401);

    // Bad options for the agent: the old ones stay in force.
    stack.rewrite({
      agentConfig: 'api-keys "third-key:carol"; jwt-algorithm "RS256"; jwt-public-key "/no/such/key.pem"',
    });
    stack.gateway.signal('SIGHUP');
    await stack.gateway.wrote(/the agent (\\"auth\\" )?refuse[sd] its configuration/);
    expect([await asWith('new-key'), await asWith('third-key')]).toEqual([200, 401]);
    expect(stack.gateway.output()).not.toMatch(/old-key|new-key|third-key/);
  });
});

describe.each([
  ['embedded', 1],
  ['socket', 1],
  ['socket', 2],
  ['grpc', 1],
] as const)('SIGHUP with an unchanged file (%s agent, workers: %i)', (transport, workers) => {
  const permit = (user: string) => `permit (principal == User::"${user}", action, resource);`;

  it('makes the agent reload its policies, and logs the outcome', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const policies = folder.write('policies.cedar', permit('alice'));
    const address = `127.0.0.1:${await freePort()}`;
    const stack = await startStack(cleanUp, {
      transport: transport === 'embedded' ? 'embedded' : 'socket',
      ...(transport === 'grpc'
        ? { reachedBy: `transport { grpc "${address}" }`, agentArguments: ['--grpc-address', address] }
        : {}),
      blocks: `system { worker-threads ${workers} }`,
      env: { GATEWAY_WORKER_THREADS: '' },
      // A busy machine is no outage.
      agentMembers: 'timeout-ms 10000',
      agentConfig: `api-keys "key-1:alice" "key-2:bob"; authz { enabled #true; policy-file "${policies}" }`,
    });
    const asWith = async (key: string) => (await stack.ask({ headers: { 'X-API-Key': key } })).status;
    await untilTrue('the agent serves', async () => (await asWith('key-1')) === 200);
    expect(await asWith('key-2')).toBe(403);

    folder.write('policies.cedar', permit('bob'));
    stack.gateway.signal('SIGHUP');
    await untilTrue('the new policy decides', async () => (await asWith('key-2')) === 200);
    expect(await asWith('key-1')).toBe(403);
    await stack.gateway.wrote(transport === 'grpc' ? /the agent was sent its config/ : /the agent took its config/);

    folder.write('policies.cedar', 'permit (principal');
    stack.gateway.signal('SIGHUP');
    await stack.gateway.wrote(/gent (\\"auth\\" )?refuse[sd] its configuration/);
    expect([await asWith('key-1'), await asWith('key-2')]).toEqual([403, 200]);
  });
});
