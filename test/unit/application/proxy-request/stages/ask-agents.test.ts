import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../src/application/proxy-request/answer-problem.js';
import { inspectionLimits } from '../../../../../src/application/proxy-request/inspection-limits.js';
import type { RouteAgent } from '../../../../../src/application/proxy-request/route-agent.js';
import { askAgents } from '../../../../../src/application/proxy-request/stages/ask-agents.js';
import { allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import type { AgentSubscription } from '../../../../../src/domain/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { newExchange } from '../../../../support/exchanges.js';
import { testLimits } from '../../../../support/in-process-gateway.js';
import { ManualClock } from '../../../../support/manual-clock.js';
import { RecordingLogger } from '../../../../support/recording-logger.js';
import { routeAgent } from '../../../../support/route-agents.js';
import { ScriptedAgent } from '../../../../support/scripted-agent.js';

const agent = (name: string, ...events: AgentSubscription[]) => routeAgent(new ScriptedAgent(name), events);

const ask = async (agents: readonly RouteAgent[]) => {
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const stage = askAgents(agents, {
    clock,
    logger,
    problems: new ProblemAnswerer(logger),
    metrics: new PrometheusGatewayMetrics('test'),
    inspection: { inflater: nodeZlibInflater, clock, limits: inspectionLimits(testLimits) },
    maxBodyOctets: 1_000,
  });
  const exchange = newExchange();
  const outcome = await stage(exchange);
  return { exchange, outcome, asked: exchange.asked.map(({ client }) => client.name) };
};

describe('the agents that hear of the rest of a request', () => {
  it('are all of the route, in its order, once every one has allowed', async () => {
    const agents = [agent('a', 'request_complete'), agent('b', 'request_headers'), agent('c', 'response_headers')];
    expect(await ask(agents)).toMatchObject({ outcome: 'continue', asked: ['a', 'b', 'c'] });
    expect(agents.map(({ client }) => client.events.length)).toEqual([0, 1, 0]);
  });

  it('are those that were asked, and those that do not ask to be, where one has refused or failed', async () => {
    for (const refusal of [
      ok({ ...allowAnswer, decision: { kind: 'block', status: 403, body: null, headers: [] } } as const),
      err({ code: 'timed_out', detail: '' } as const),
    ]) {
      const agents = [
        agent('a', 'request_headers'),
        agent('b', 'request_headers'),
        agent('c', 'request_headers'),
        agent('d', 'request_complete'),
      ];
      (agents[1] as (typeof agents)[0]).client.answer = () => refusal;
      expect(await ask(agents)).toMatchObject({ outcome: 'ended', asked: ['a', 'b', 'd'] });
      expect(agents.map(({ client }) => client.events.length)).toEqual([1, 1, 0, 0]);
    }
  });
});
