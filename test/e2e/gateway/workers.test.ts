import { Agent } from 'node:http';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { ClientConnection } from '../../support/gateway/client-connection.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { tlsConnection } from '../../support/gateway/tls-call.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startProcess } from '../../support/shared/processes.js';
import { builtProgram, runGateway } from '../../support/shared/running-gateway.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { untilGone, upgraded } from '../../support/shared/successors.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';
import {
  answersOfEach,
  asAdmin,
  connectionsToEach,
  ofEachWorker,
  processesBelow,
  startWorkerStack,
  statsOf,
  workerOf,
  workersOf,
} from '../../support/shared/worker-stack.js';

// The tests run in their order on one gateway.
let stack: GatewayStack;
let sayOk: GatewayStack['upstream']['answer'];
/** A target that is not in the configuration by itself. */
const further = new RecordingUpstream();
let furtherAddress: string;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  furtherAddress = `127.0.0.1:${await further.listen()}`;
  cleanUp.add(() => further.close());
  stack = await startWorkerStack(cleanUp);
  sayOk = stack.upstream.answer;
});
beforeEach(() => {
  further.received.splice(0);
  stack.upstream.answer = sayOk;
});

const builtin = (id: string, handler: string): string =>
  `route "${id}" { priority "high"; matches { path "/${id}" }; service-type "builtin"; builtin-handler "${handler}" }`;

const bodiesOfEach = async (path: string): Promise<readonly string[]> =>
  (await answersOfEach(stack, { path })).map(({ body }) => body);

const statusesOfEach = async (path: string, headers = {}): Promise<readonly number[]> =>
  (await answersOfEach(stack, { path, headers })).map(({ status }) => status);

const bringIntoForce = async (changes: Parameters<GatewayStack['rewrite']>[0]): Promise<void> => {
  stack.rewrite(changes);
  const { body } = await asAdmin(stack, '/admin/reload', 'POST');
  expect(body).toContain('"reloaded":true');
};

/** Resolves when no client has a connection, so that none of another test counts. */
const untilQuiet = (): Promise<void> =>
  untilTrue('no connection is open', async () => (await statsOf(stack)).connections.total === 0);

/** Has the upstream keep its answers back until they are released. */
const holdAnswers = (): { count(): number; release(): void } => {
  const held: (() => void)[] = [];
  stack.upstream.answer = (request, response) => {
    request.resume();
    held.push(() => response.end('late'));
  };
  return {
    count: () => held.length,
    release: () => {
      stack.upstream.answer = sayOk;
      for (const answer of held.splice(0)) answer();
    },
  };
};

describe('a gateway of two workers', () => {
  it('has a supervisor without connections, and reports all workers from any worker', async ({ cleanUp }) => {
    const stats = await statsOf(stack);
    expect(stats.supervisor.pid).toBe(stack.gateway.pid);
    expect(stats.workers.map(({ id }) => id)).toEqual([1, 2]);
    expect(stats.missing_workers).toBeUndefined();
    expect(processesBelow(stack.gateway.pid)).toEqual(expect.arrayContaining(stats.workers.map(({ pid }) => pid)));
    const agents = await connectionsToEach(cleanUp, stack);
    const workers = await Promise.all(agents.map(async (agent) => workerOf(stack, await stack.ask({ agent }))));
    expect(workers).toEqual([1, 2]);
    for (const agent of await adminConnections(cleanUp)) {
      const { body } = await call(stack.adminPort, { path: '/admin/stats', agent, headers: admin });
      const { workers: told } = JSON.parse(body) as Awaited<ReturnType<typeof statsOf>>;
      expect(told.map(({ connections }) => connections)).toEqual([1, 1]);
    }
  });

  it('keeps its workers when a terminal or service manager signals all processes', async () => {
    const before = await workersOf(stack);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) {
      for (const { pid } of before) process.kill(pid, signal);
    }
    expect(await statusesOfEach('/')).toEqual([200, 200]);
    expect((await workersOf(stack)).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });
});

const admin = { Authorization: 'Bearer let-me-in' };

/** A connection to each worker at the admin address. */
const adminConnections = (cleanUp: CleanUp): Promise<readonly Agent[]> =>
  ofEachWorker(stack, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanUp.add(() => agent.destroy());
    await call(stack.adminPort, { path: '/health', agent, headers: admin });
    return agent;
  });

const gatewayReload = async (): Promise<{ readonly code: number | null; readonly output: string }> => {
  const command = startProcess(process.execPath, [
    builtProgram('main-gateway'),
    'reload',
    '--config',
    stack.configFile,
  ]);
  const { code } = await command.exited;
  return { code, output: command.output() };
};

describe('a reload', () => {
  const ways: readonly (readonly [string, () => Promise<void>])[] = [
    ['SIGHUP', () => stack.reload()],
    [
      'POST /admin/reload',
      async () => {
        const { status, body } = await asAdmin(stack, '/admin/reload', 'POST');
        expect([status, JSON.parse(body)]).toEqual([200, { reloaded: true, config_reload_count: expect.any(Number) }]);
      },
    ],
    [
      'gateway reload',
      async () => expect(await gatewayReload()).toMatchObject({ code: 0, output: expect.stringContaining('reloaded') }),
    ],
  ];

  it.for(ways)(
    'by %s changes routes in both workers, on old and new connections',
    async ([name, reload], { cleanUp }) => {
      const id = name.replaceAll(/[^a-z]/gi, '');
      const agents = await connectionsToEach(cleanUp, stack);
      const before = await stack.report('/status');
      expect(await bodiesOfEach(`/${id}`)).toEqual(['ok', 'ok']);
      stack.rewrite({ routes: builtin(id, 'version') });
      await reload();
      for (const agent of agents) expect((await stack.ask({ path: `/${id}`, agent })).body).toContain('portcullis');
      for (const body of await bodiesOfEach(`/${id}`)) expect(body).toContain('portcullis');
      expect(await stack.report('/status')).toMatchObject({
        config_reload_count: Number(before['config_reload_count']) + 1,
        start_time: before['start_time'],
      });
    },
  );

  it('of an invalid file changes nothing in either worker, and reports the errors without secrets', async () => {
    await bringIntoForce({ routes: builtin('one', 'version') });
    const before = await stack.report('/status');
    stack.rewrite({
      routes: 'route "bad" { matches { path-prefix "/" }; upstream "nowhere" }',
      transport: 'embedded',
      agentConfig: 'jwt-secret "SECRET-of-a-file-that-is-refused"; nonsense 1',
    });
    const { status, body } = await asAdmin(stack, '/admin/reload', 'POST');
    const told = JSON.parse(body) as { readonly code: string; readonly problems: readonly string[] };
    expect([status, told.code]).toEqual([422, 'configuration_refused']);
    expect(told.problems.join('\n')).toMatch(/gateway\.kdl:\d+:\d+: error: .*upstream "nowhere"/);
    const command = await gatewayReload();
    expect(command).toMatchObject({ code: 1, output: expect.stringContaining('upstream "nowhere"') });
    expect(`${body}${command.output}${stack.gateway.output()}`).not.toContain('SECRET');
    for (const answer of await bodiesOfEach('/one')) expect(answer).toContain('portcullis');
    expect(await stack.report('/status')).toMatchObject({ config_reload_count: before['config_reload_count'] });
  });

  it('adds and removes a listener in both workers, or in neither if another cannot be bound', async () => {
    const port = await freePort();
    const listener = `listeners { listener "more" { address "127.0.0.1:${port}" } }`;
    const taken = `listeners { listener "taken" { address "${stack.upstreamAddress}" } }`;
    stack.rewrite({ blocks: `${listener}\n${taken}` });
    const refused = await asAdmin(stack, '/admin/reload', 'POST');
    expect(refused.status).toBe(422);
    expect(refused.body).toContain(`cannot listen on ${stack.upstreamAddress}: another program uses the port`);
    await expect(call(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await bringIntoForce({ blocks: listener });
    expect(await ofEachWorker(stack, async () => (await call(port)).status)).toEqual([200, 200]);
    await bringIntoForce({});
    await expect(call(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('changes agents and upstreams in both workers', async () => {
    const agent = (key: string, members: string) => ({
      transport: 'embedded' as const,
      agentConfig: `api-keys "${key}:alice"; ${members}`,
    });
    const judged = (key: string) => statusesOfEach('/orders', { 'X-API-Key': key });
    await bringIntoForce(agent('first-key', ''));
    expect(await judged('first-key')).toEqual([200, 200]);
    expect(await judged('second-key')).toEqual([401, 401]);
    await bringIntoForce(agent('second-key', ''));
    expect(await judged('first-key')).toEqual([401, 401]);
    expect(await judged('second-key')).toEqual([200, 200]);
    await bringIntoForce({ upstreamMembers: `target "${furtherAddress}"` });
    await ofEachWorker(stack, async ({ id }) => {
      for (let turn = 0; turn < 2; turn += 1) await stack.ask({ path: `/of/${id}` });
    });
    expect(further.received.map(({ url }) => url)).toEqual(['/of/1', '/of/2']);
    await bringIntoForce({});
    await ofEachWorker(stack, () => stack.ask({ path: '/after' }));
    expect(further.received).toHaveLength(2);
  });
});

describeWithPeers(['openssl'], 'a reload of a listener', () => {
  it('over TLS loads new certificates in both workers with an unchanged configuration', async ({ cleanUp }) => {
    const port = await freePort();
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const install = (name: string): void => {
      const { certificate, key } = pki.server(name);
      stack.folder.write('tls.pem', certificate);
      stack.folder.write('tls.key', key);
    };
    const files = `cert-file "${stack.folder.file('tls.pem')}"; key-file "${stack.folder.file('tls.key')}"`;
    const blocks = `listeners { listener "tls" { address "127.0.0.1:${port}"; protocol "https"; tls { ${files} } } }`;
    const nameShown = async (): Promise<string> => {
      const socket = await tlsConnection({ host: '127.0.0.1', port }, { rejectUnauthorized: false });
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return String(subject.CN);
    };
    for (const name of ['first.example', 'second.example']) {
      install(name);
      await bringIntoForce({ blocks });
      expect(await ofEachWorker(stack, nameShown)).toEqual([name, name]);
    }
    await bringIntoForce({});
  });
});

/** How many of these requests are answered in which way. */
const tally = (statuses: readonly number[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('limits', () => {
  const limited = async (limits: string, plan: Parameters<GatewayStack['rewrite']>[0] = {}): Promise<void> => {
    await bringIntoForce({ ...plan, blocks: `limits { ${limits} }` });
    await untilQuiet();
  };
  afterAll(() => bringIntoForce({}));

  it.for(['one after the other', 'at once'])(
    'max-connections-per-client admits exactly its number of connections that arrive %s',
    async (how, { cleanUp }) => {
      await limited('max-connections-per-client 10');
      const answers: Promise<number>[] = [];
      for (let count = 0; count < 20; count += 1) {
        const client = new ClientConnection({ host: '127.0.0.1', port: stack.port });
        cleanUp.add(() => client.destroy());
        const answered = client.ask('GET / HTTP/1.1\r\nHost: a\r\n\r\n').then(({ status }) => status);
        answers.push(answered);
        if (how !== 'at once') await answered;
      }
      expect(tally(await Promise.all(answers))).toEqual({ 200: 10, 503: 10 });
    },
  );

  const places = [
    ['max-in-flight-requests 6; max-queued-requests 0', 6, 0],
    ['max-in-flight-requests 6; max-queued-requests 4', 6, 4],
    ['max-connections-per-route 5', 5, 0],
  ] as const;
  it.for(
    places.flatMap(([limit, underWay, waiting]) =>
      (['both workers', 'one worker'] as const).map((through) => [limit, through, underWay, waiting] as const),
    ),
  )(
    '%s holds for both workers together, with all requests through %s',
    async ([limit, through, underWay, waiting], { cleanUp }) => {
      await limited(limit);
      const [first, second] = await connectionsToEach(cleanUp, stack, 20);
      const held = holdAnswers();
      cleanUp.add(() => held.release());
      const statuses: number[] = [];
      const asked = Array.from({ length: 20 }, async (_, at) => {
        const agent = through === 'one worker' || at % 2 === 0 ? first : second;
        statuses.push((await stack.ask({ agent })).status);
      });
      const refused = 20 - underWay - waiting;
      await untilTrue('the others are refused', () => statuses.length === refused && held.count() === underWay);
      const stats = await statsOf(stack);
      expect([stats.requests_in_flight, stats.requests_queued]).toEqual([underWay + waiting, waiting]);
      expect(tally(statuses)).toEqual({ 503: refused });
      held.release();
      await Promise.all(asked);
      expect(tally(statuses)).toEqual({ 200: underWay + waiting, 503: refused });
    },
  );

  it('a burst holds exactly, and a rate within 5 %, for both workers together', async ({ cleanUp }) => {
    const route = (id: string, rate: number, key: string): string =>
      `route "${id}" { matches { path-prefix "/${id}" }; upstream "back"
        policies { rate-limit { requests-per-second ${rate}; burst 20; key "${key}" } } }`;
    await limited('max-connections-per-client 1000', {
      routes: `${route('burst', 0.1, 'client_ip')}\n${route('rate', 50, 'header:x-key')}`,
    });
    const burst = await Promise.all(
      Array.from({ length: 60 }, async () => (await stack.ask({ path: '/burst' })).status),
    );
    expect(tally(burst)).toEqual({ 200: 20, 429: 40 });

    const agents = await connectionsToEach(cleanUp, stack);
    const begunMs = performance.now();
    let passed = 0;
    let sentMs = begunMs;
    /** How long nobody asked, on a machine that has no time for this test; less than what fills the bucket is none. */
    let silentMs = 0;
    const lane = async (agent: Agent): Promise<void> => {
      while (performance.now() - begunMs < 4_000) {
        const nowMs = performance.now();
        silentMs += Math.max(0, nowMs - sentMs - 200);
        sentMs = nowMs;
        const { status } = await stack.ask({ path: '/rate', agent, headers: { 'X-Key': 'a' } });
        if (status === 200) passed += 1;
        else await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    // So many that they come to the rate on a busy machine too, where each answer takes long.
    for (const agent of agents) agent.maxSockets = 5;
    await Promise.all(Array.from({ length: 5 }, () => agents.map(lane)).flat());
    const due = (endMs: number): number => 20 + (50 * (endMs - begunMs)) / 1000;
    // What could have passed in a silence, and behind the last request, was not asked for.
    expect(passed).toBeGreaterThan(due(sentMs - silentMs) * 0.95);
    expect(passed).toBeLessThanOrEqual(due(performance.now()));
  });
});

/** From now on the upstream has a second target, which no worker may ask. */
const addDrainedTarget = async (): Promise<void> => {
  await bringIntoForce({ upstreamMembers: `target "${furtherAddress}"` });
  expect((await asAdmin(stack, `/admin/upstreams/back/targets/${furtherAddress}/drain`, 'POST')).status).toBe(200);
};

describe('a worker that is killed', () => {
  it('loses only its own requests, is replaced, and keeps counters and drained targets', async ({ cleanUp }) => {
    await addDrainedTarget();
    expect(new Set([...(await statusesOfEach('/')), ...(await statusesOfEach('/'))])).toEqual(new Set([200]));

    const lanes: (readonly [Agent, Agent])[] = [];
    for (let count = 0; count < 3; count += 1) lanes.push(await connectionsToEach(cleanUp, stack));
    const agents = [...lanes.map(([first]) => first), ...lanes.map(([, second]) => second), undefined];
    const loads = agents.map((agent) => {
      const load = new SteadyLoad('all', 1, async () => (await stack.ask(agent === undefined ? {} : { agent })).status);
      cleanUp.add(() => load.stop());
      return load;
    });
    const answered = (): number => loads.reduce((sum, load) => sum + load.all().length, 0);
    const untilMore = (count: number): Promise<void> => {
      const goal = answered() + count;
      return untilTrue('requests go on', () => answered() >= goal);
    };
    await untilMore(50);
    const [killed, other] = await workersOf(stack);
    const counts = [await stack.metric('gateway_requests_total')];
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    await untilTrue('another serves in its place', async () => {
      counts.push(await stack.metric('gateway_requests_total'));
      const { workers, missing_workers: missing } = await statsOf(stack);
      return missing === undefined && workers.length === 2 && workers[0]?.pid !== killed?.pid;
    });
    await untilMore(50);
    counts.push(await stack.metric('gateway_requests_total'));
    for (const load of loads) await load.stop();

    const failed = loads.map((load) => load.all().filter((status) => status !== 200));
    // A lane has one request at a time.
    for (const ofALane of failed) expect(ofALane.length).toBeLessThanOrEqual(1);
    expect(failed.slice(3, 6)).toEqual([[], [], []]);
    // Of answers that the gateway gave, none is an error.
    expect(failed.flat().every((status) => status === 0)).toBe(true);
    expect(counts).toEqual([...counts].sort((left, right) => left - right));
    const [replaced, stayed] = await workersOf(stack);
    expect(replaced).toMatchObject({ id: 1, restarts: 1 });
    expect(stayed).toMatchObject({ id: 2, pid: other?.pid });
    expect(await stack.metric('gateway_worker_restarts_total', 'worker="1"')).toBe(1);
    expect(await stack.metric('gateway_worker_restarts_total', 'worker="2"')).toBe(0);
    expect(await statusesOfEach('/')).toEqual([200, 200]);
    expect(await statusesOfEach('/')).toEqual([200, 200]);
    expect(further.received).toEqual([]);
  });

  it('loses exactly its requests in flight', async ({ cleanUp }) => {
    const agents = await connectionsToEach(cleanUp, stack);
    const held = holdAnswers();
    cleanUp.add(() => held.release());
    const [lost, kept] = agents.map((agent) =>
      stack.ask({ agent }).then(
        ({ body }) => body,
        (error: NodeJS.ErrnoException) => error.code,
      ),
    );
    await untilTrue('both are at the upstream', () => held.count() === 2);
    const [killed] = await workersOf(stack);
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    expect(await lost).toBe('ECONNRESET');
    held.release();
    expect(await kept).toBe('late');
    await untilTrue('another serves in its place', async () => (await workersOf(stack))[0]?.pid !== killed?.pid);
  });
});

describe('SIGUSR2', () => {
  it('replaces all processes twice without a lost request, keeps drained targets, and SIGTERM ends all', async ({
    cleanUp,
  }) => {
    await addDrainedTarget();
    const keptAlive = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanUp.add(() => keptAlive.destroy());
    let asked = 0;
    const load = new SteadyLoad('all', 6, async () => {
      asked += 1;
      return (await stack.ask(asked % 3 === 0 ? {} : { agent: keptAlive })).status;
    });
    cleanUp.add(() => load.stop());
    const processes = [stack.gateway.pid, ...processesBelow(stack.gateway.pid)];
    const second = await upgraded(stack.gateway, stack.gateway.pid);
    processes.push(second, ...processesBelow(second));
    const third = await upgraded(stack.gateway, second);
    const served = load.all().length;
    await untilTrue('the third serves', () => load.all().length > served + 50);
    expect((await workersOf(stack)).map(({ id }) => id)).toEqual([1, 2]);
    expect((await statsOf(stack)).supervisor.pid).toBe(third);
    await load.stop();
    expect(tally(load.all())).toEqual({ 200: load.all().length });
    expect(await statusesOfEach('/')).toEqual([200, 200]);
    expect(further.received).toEqual([]);
    for (const pid of processes) await untilGone(pid);

    const last = [third, ...processesBelow(third)];
    expect(last.length).toBeGreaterThan(2);
    const held = holdAnswers();
    const inFlight = stack.ask();
    await untilTrue('a request is at the upstream', () => held.count() === 1);
    process.kill(third, 'SIGTERM');
    await untilTrue('no new connection is taken', () =>
      stack.ask({ path: '/health' }).then(
        () => false,
        () => true,
      ),
    );
    held.release();
    expect(await inFlight).toMatchObject({ status: 200, body: 'late' });
    for (const pid of last) await untilGone(pid);
    expect(await stack.gateway.exited).toEqual({ code: 0, signal: null });
  });
});

describe('workers that cannot start', () => {
  it('end with their supervisor, which reports the error like a single process', async ({ cleanUp }) => {
    const own = temporaryFolder();
    cleanUp.add(() => own.remove());
    const file = own.write('gateway.kdl', `listeners { listener "main" { address "${stack.upstreamAddress}" } }`);
    const gateway = runGateway(['--config', file], { GATEWAY_WORKER_THREADS: '2' });
    cleanUp.add(() => gateway.stop());
    expect(await gateway.exited).toEqual({ code: 1, signal: null });
    expect(gateway.output()).toContain(
      `error: cannot listen on ${stack.upstreamAddress}: another program uses the port\n`,
    );
  });
});
