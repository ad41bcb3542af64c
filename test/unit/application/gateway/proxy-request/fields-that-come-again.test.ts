import { describe, expect, it, vi } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { DeclaredHeaderNames } from '../../../../../src/application/gateway/ask-agents/declared-header-names.js';
import type { RequestAudit } from '../../../../../src/application/gateway/audit/audit-trail.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { IdentityHeaderFilter } from '../../../../../src/application/gateway/proxy-request/identity-header-filter.js';
import { inspectionLimits } from '../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import { runStages } from '../../../../../src/application/gateway/proxy-request/stage.js';
import { askAgents } from '../../../../../src/application/gateway/proxy-request/stages/ask-agents.js';
import { prepareHeaders } from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import type { UpstreamRequest } from '../../../../../src/application/ports/gateway/upstream-client.js';
import { rememberAnswer } from '../../../../../src/domain/agent-protocol/lasting-answers.js';
import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type RequestHeadersEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../../src/domain/http/connection-header-cache.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { newExchange, strictOwner } from '../../../../support/gateway/exchanges.js';
import { testLimits } from '../../../../support/gateway/in-process-gateway.js';
import { knownFields } from '../../../../support/gateway/known-fields.js';
import { RecordedResponse } from '../../../../support/gateway/recorded-response.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { answered, ScriptedTargets } from '../../../../support/gateway/scripted-targets.js';
import { sendingStage } from '../../../../support/gateway/sending-stage.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const fields: HeaderList = ['Host', 'shop.example', 'x-user-id', 'mallory', 'Cookie', 'a=b'];

/** What becomes of them for agents and the upstream, with the id of one request. */
const goingOn = (id: string): HeaderList => [
  ...['Host', 'shop.example', 'Cookie', 'a=b'],
  ...['X-Forwarded-For', '192.0.2.7', 'X-Forwarded-Proto', 'http', 'X-Forwarded-Host', 'shop.example'],
  ...['Forwarded', 'for=192.0.2.7;proto=http;host=shop.example', 'X-Correlation-Id', id],
];

const inLowerCase = (headers: HeaderList): HeaderList =>
  headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));

/** An answer that sets a field, and tells who has asked. */
const setting = (name: string, value: string): AgentAnswer => ({
  ...allowAnswer,
  requestHeaders: [{ kind: 'set', name, value }],
  audit: { ...emptyAudit, custom: { subject: value } },
});
const ann = rememberAnswer(setting('X-User-Id', 'ann'));
const bob = rememberAnswer(setting('X-User-Id', 'bob'));
const tenant = rememberAnswer(setting('X-Auth-Claim-Tenant', 't-1'));

/** A connection whose requests have the same fields, to a route with one agent for each answer that is given first. */
const connection = (first: readonly AgentAnswer[], isPrompt = true) => {
  const known = new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, noCidrs);
  const { client } = known;
  const found = knownFields(fields);
  if (client === null || found === null) throw new Error('nothing is known');
  const received = { ...found, comesAgain: true };
  const lowered = vi.spyOn(known, 'lowerNames');
  const targets = new ScriptedTargets({ a: () => answered(200, ['fine']) });
  const audited: unknown[] = [];
  const audit: RequestAudit = {
    judged: ({ id }, agent, { kind }, { custom }) => void audited.push([id, agent, kind, custom['subject']]),
    undecided: ({ id }, agent, reason) => void audited.push([id, agent, reason]),
  };
  const agents = first.map((answer, at) => {
    const agent = Object.assign(new ScriptedAgent(`agent-${at}`), { isPrompt });
    agent.answer = () => ok(answer);
    return agent;
  });
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const identity = new IdentityHeaderFilter([], new DeclaredHeaderNames());
  const stages = [
    prepareHeaders(identity),
    askAgents(
      agents.map((agent) => routeAgent(agent)),
      {
        clock,
        logger,
        problems: new ProblemAnswerer(logger),
        metrics: new PrometheusGatewayMetrics('test'),
        audit,
        inspection: { inflater: nodeZlibInflater, clock, limits: inspectionLimits(testLimits) },
        maxBodySize: { name: 'max-body-size-bytes', octets: 1_000 },
        identity,
      },
    ),
    sendingStage(targets).stage,
  ];
  const send = async (id: string): Promise<UpstreamRequest> => {
    const { request } = newExchange({ headers: fields, received });
    request.connection.known = known;
    const response = new RecordedResponse();
    const exchange = new Exchange(request, response, id, id, client, 0, strictOwner);
    exchange.target = { ...exchange.target, authority: 'shop.example' };
    await runStages(stages, exchange);
    await eventually(() => response.state === 'ended');
    return targets.requests.at(-1) as UpstreamRequest;
  };
  const events = (at: number) => (agents[at]?.events ?? []) as readonly RequestHeadersEvent[];
  return { agents, audited, events, lowered, send };
};

const ids = ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6'];

/** Sends a request with each id, one behind the other. */
const sendAll = async ({ send }: Pick<ReturnType<typeof connection>, 'send'>): Promise<readonly UpstreamRequest[]> => {
  const sent: UpstreamRequest[] = [];
  for (const id of ids) sent.push(await send(id));
  return sent;
};

/** Whether the upstream is told what is known of the very fields that it is to send. */
const isTold = ({ alike, headers }: UpstreamRequest): boolean => alike?.fields === headers;

describe.each([
  ['at once', true],
  ['later', false],
])('fields that come again, for agents that answer %s', (_, isPrompt) => {
  it('reach the upstream with what is known of them, from the third request that is answered alike', async () => {
    const sent = await sendAll(connection([ann], isPrompt));
    expect(sent.map(({ headers }) => headers)).toEqual(ids.map((id) => [...goingOn(id), 'X-User-Id', 'ann']));
    expect(sent.map(isTold)).toEqual([false, false, true, true, true, true]);
    for (const { alike, headers } of sent.slice(2)) {
      expect(alike?.kept).toBe(sent[1]?.headers);
      expect(headers[(alike?.at ?? 0) - 1]).toBe('X-Correlation-Id');
    }
  });

  it('reach it so one request later for each further agent of the route', async () => {
    const sent = await sendAll(connection([ann, tenant], isPrompt));
    const added = ['X-User-Id', 'ann', 'X-Auth-Claim-Tenant', 't-1'];
    expect(sent.map(({ headers }) => headers)).toEqual(ids.map((id) => [...goingOn(id), ...added]));
    expect(sent.map(isTold)).toEqual([false, false, false, true, true, true]);
  });

  it('are told to each agent in lower case, with what the one before has set and the id of the request', async () => {
    const route = connection([ann, tenant], isPrompt);
    await sendAll(route);
    const told = [0, 1].map((at) => route.events(at).map(({ headers }) => headers));
    expect(told[0]).toEqual(ids.map((id) => inLowerCase(goingOn(id))));
    expect(told[1]).toEqual(ids.map((id) => [...inLowerCase(goingOn(id)), 'x-user-id', 'ann']));
  });

  it('are not compared for the agent any more once they have come again', async () => {
    const route = connection([ann], isPrompt);
    await sendAll(route);
    const isKnown = route.lowered.mock.calls.map(([headers, alike]) => alike?.fields === headers);
    expect(isKnown).toEqual([false, true, true, true, true, true]);
  });

  it('leave a line in the audit log for each answer', async () => {
    const route = connection([ann, tenant], isPrompt);
    await sendAll(route);
    expect(route.audited).toEqual(
      ids.flatMap((id) => [
        [id, 'agent-0', 'allow', 'ann'],
        [id, 'agent-1', 'allow', 't-1'],
      ]),
    );
  });
});

describe('fields that come again', () => {
  it('go on for each user as the answer of that user has it, whoever came between', async () => {
    const route = connection([ann]);
    const users = [ann, ann, bob, ann, bob, bob, ann];
    const sent: UpstreamRequest[] = [];
    for (const [at, user] of users.entries()) {
      for (const agent of route.agents) agent.answer = () => ok(user);
      sent.push(await route.send(`c-${at}`));
    }
    expect(sent.map(({ headers }) => headers)).toEqual(
      users.map((user, at) => [...goingOn(`c-${at}`), 'X-User-Id', user === ann ? 'ann' : 'bob']),
    );
    expect(sent.map(isTold)).toEqual([false, false, false, true, true, true, true]);
    expect(route.audited).toEqual(
      users.map((user, at) => [`c-${at}`, 'agent-0', 'allow', user.audit.custom['subject']]),
    );
  });

  it('are looked at each time for an answer that is given once', async () => {
    const route = connection([setting('X-User-Id', 'ann')]);
    const sent = await sendAll(route);
    expect(sent.map(({ headers }) => headers)).toEqual(ids.map((id) => [...goingOn(id), 'X-User-Id', 'ann']));
    expect(sent.filter(isTold)).toEqual([]);
    expect(route.audited).toHaveLength(ids.length);
  });

  it('reach the upstream with what is known of them from the second request, where the answer changes nothing', async () => {
    const sent = await sendAll(connection([rememberAnswer({ ...allowAnswer })]));
    expect(sent.map(({ headers }) => headers)).toEqual(ids.map(goingOn));
    expect(sent.map(isTold)).toEqual([false, true, true, true, true, true]);
  });
});
