import { Agent } from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { rememberAnswer } from '../../../src/domain/agent-protocol/lasting-answers.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  emptyAudit,
  type HeaderOperation,
} from '../../../src/domain/agent-protocol/messages.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

const set = (name: string, value: string): HeaderOperation => ({ kind: 'set', name, value });

/** What an agent answers to a user: the first four last, and are given again as the same object. */
const answersOf = (agent: string): Readonly<Record<string, AgentAnswer>> => {
  const allowing = (user: string, ...more: readonly HeaderOperation[]): AgentAnswer => ({
    ...allowAnswer,
    requestHeaders: [set(agent === 'prompt' ? 'X-User-Id' : 'X-Auth-Claim-Late', `${agent}-${user}`), ...more],
    audit: { ...emptyAudit, custom: { subject: `${agent}-${user}` } },
  });
  return {
    ann: rememberAnswer(allowing('ann')),
    bob: rememberAnswer(allowing('bob', { kind: 'remove', name: 'Cookie' }, set('accept', 'text/plain'))),
    eve: rememberAnswer(allowing('eve', set('Host', 'other.example'), { kind: 'add', name: 'X-B', value: 'c' })),
    nobody: rememberAnswer({ ...allowAnswer }),
    once: allowing('once'),
    refused: { ...allowAnswer, decision: { kind: 'block', status: 403, body: 'no', headers: [] } },
  };
};

const answers = new Map(['prompt', 'late'].map((agent) => [agent, answersOf(agent)]));

/** Requests are for `/route/user of prompt/user of late`. */
const answerOf = (agent: string, event: AgentEvent): AgentAnswer => {
  const [, , first = '', second = ''] = event.kind === 'request_headers' ? event.uri.split('/') : [];
  const answer = answers.get(agent)?.[agent === 'prompt' ? first : second];
  if (answer === undefined) throw new Error(`${agent} has no answer to ${event.kind}`);
  return answer;
};

const serviceOf = (agent: string): FakeAgentService => {
  const service = new FakeAgentService();
  service.isPrompt = agent === 'prompt';
  service.answer = (event) => answerOf(agent, event);
  return service;
};

/** Routes, and the agents that each of them asks. */
const routes = {
  prompt: ['prompt'],
  late: ['late'],
  both: ['prompt', 'late'],
  turned: ['late', 'prompt'],
  none: [],
} as const;

const routesWithAgents = Object.entries(routes).flatMap(([id, { length }]) => (length > 0 ? [id] : []));

/** What clients send, most of whom would like to be somebody else. */
const kinds = [
  ['Host', 'shop.example', 'Accept', '*/*', 'Cookie', 'a=b', 'Connection', 'keep-alive'],
  ['Host', 'shop.example', 'X-User-Id', 'mallory', 'x_user_id', 'mallory', 'Accept', 'a', 'accept', 'b'],
  ['Host', 'shop.example', 'Connection', 'keep-alive, X-User-Id', 'x-auth-claim-late', 'mallory', 'X-B', 'b'],
  ['Host', 'b.example:81', 'X-Forwarded-For', '192.0.2.1', 'X-User-ID', 'mallory', 'Cookie', 'c=d', 'X-B', ''],
];

const lasting = ['ann', 'bob', 'eve'];
/** Most are lasting ones. */
const users = [...Object.keys(answersOf('prompt')), ...lasting, ...lasting, ...lasting];
const runs = fc.record({
  first: fc.constantFrom(...users),
  second: fc.constantFrom(...users),
  times: fc.integer({ min: 1, max: 5 }),
});

interface Asked {
  readonly route: string;
  readonly path: string;
  readonly headers: readonly string[];
}

/**
 * The same fields for a while, with them the same route for a while, and there the same request a few times in a row.
 */
const requests = kinds.flatMap((headers, kind) =>
  Object.keys(routes).flatMap((route, place) =>
    [{ first: 'ann', second: 'ann', times: 5 }, ...fc.sample(runs, { seed: 10 * kind + place, numRuns: 4 })].flatMap(
      ({ first, second, times }) =>
        Array.from({ length: times }, (): Asked => ({ route, path: `/${route}/${first}/${second}`, headers })),
    ),
  ),
);

const start = async (cleanUp: CleanUp) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const services = new Map(['prompt', 'late'].map((name) => [name, serviceOf(name)]));
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    agents: [...services.keys()].map(testAgent),
    routes: Object.entries(routes).map(([id, agents]) =>
      testRoute({ id, agents, matches: { ...testRoute().matches, pathPrefixes: [`/${id}/`] } }),
    ),
    audit: { output: { kind: 'stdout' } },
  });
  const gateway = await startInProcess(configuration, {
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        services.get(name) as FakeAgentService,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  cleanUp.add(() => gateway.stop());
  return { gateway, services: [...services.values()] };
};

const keptAlive = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

it('repeated requests of a connection are handled like requests on separate connections', async ({ cleanUp }) => {
  const { gateway, services } = await start(cleanUp);
  const ids = new Set<string>();

  /** All that becomes of a request, with one word for its id. */
  const outcomeOf = async ({ path, headers }: Asked, agent: Agent): Promise<unknown> => {
    const lines = gateway.auditLog.lines.length;
    const events = services.map((service) => service.events.length);
    const answer = await call(gateway.address.port, { path, headers, agent });
    const id = String(answer.headers['x-correlation-id']);
    ids.add(id);
    const outcome = {
      status: answer.status,
      body: answer.body,
      events: services.map((service, at) =>
        service.events.slice(events[at]).map((event) => ('headers' in event ? event.headers : [])),
      ),
      records: gateway.auditLog.records.slice(lines).map((record) => ({ ...record, time: null })),
    };
    return JSON.parse(JSON.stringify(outcome).replaceAll(id, 'its id'));
  };

  const one = keptAlive();
  cleanUp.add(() => one.destroy());
  const sockets = new Set<unknown>();
  one.on('free', (socket) => sockets.add(socket));
  const together: unknown[] = [];
  for (const request of requests) together.push(await outcomeOf(request, one));
  expect(sockets.size).toBe(1);
  for (const [at, request] of requests.entries()) {
    const own = keptAlive();
    const alone = await outcomeOf(request, own);
    own.destroy();
    expect(together[at], `${request.path} with ${request.headers}`).toEqual(alone);
    if (routesWithAgents.includes(request.route)) expect(JSON.stringify(alone)).not.toContain('mallory');
  }
  expect(ids.size).toBe(2 * requests.length);
});
