import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import {
  type Exchange,
  runStages,
  type Stage,
  type StageOutcome,
} from '../../../../../../src/application/gateway/proxy-request/exchange.js';
import { inspectionLimits } from '../../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import type { RouteAgent } from '../../../../../../src/application/gateway/proxy-request/route-agent.js';
import { askAgents } from '../../../../../../src/application/gateway/proxy-request/stages/ask-agents.js';
import {
  DeclaredHeaderNames,
  IdentityHeaderFilter,
} from '../../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import { RequestTracing } from '../../../../../../src/application/gateway/trace/request-tracing.js';
import { allowAnswer } from '../../../../../../src/domain/agent-protocol/messages.js';
import type { AgentSubscription } from '../../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../../src/domain/shared/result.js';
import { SetRandom } from '../../../../../support/agent/test-key-sets.js';
import { newExchange } from '../../../../../support/gateway/exchanges.js';
import { testLimits } from '../../../../../support/gateway/in-process-gateway.js';
import { RecordingTracer } from '../../../../../support/gateway/recording-tracer.js';
import { routeAgent } from '../../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../../support/gateway/scripted-agent.js';
import { unheardAudit } from '../../../../../support/gateway/unheard-audit.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

/** The final outcome: whether later stages run, or the exchange has its answer. */
const outcomeOf = async (stage: Stage, exchange: Exchange): Promise<StageOutcome> => {
  let outcome: StageOutcome | null = null;
  const behind = (): StageOutcome => {
    outcome = 'continue';
    return 'ended';
  };
  await runStages([stage, behind], exchange);
  await eventually(() => outcome !== null || exchange.outcome.status !== 0);
  return outcome ?? 'ended';
};

const agent = (name: string, ...events: AgentSubscription[]) => routeAgent(new ScriptedAgent(name), events);

const ask = async (agents: readonly RouteAgent[], exchange = newExchange()) => {
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const stage = askAgents(agents, {
    clock,
    logger,
    problems: new ProblemAnswerer(logger),
    metrics: new PrometheusGatewayMetrics('test'),
    audit: unheardAudit,
    inspection: { inflater: nodeZlibInflater, clock, limits: inspectionLimits(testLimits) },
    maxBodySize: { name: 'max-body-size-bytes', octets: 1_000 },
    identity: new IdentityHeaderFilter([], new DeclaredHeaderNames()),
  });
  const outcome = await outcomeOf(stage, exchange);
  return { exchange, outcome, asked: exchange.agents.asked.map(({ client }) => client.name) };
};

describe('the agents that get later events of a request', () => {
  it('are all agents of the route, in its order, after every one allowed', async () => {
    const agents = [agent('a', 'request_complete'), agent('b', 'request_headers'), agent('c', 'response_headers')];
    expect(await ask(agents)).toMatchObject({ outcome: 'continue', asked: ['a', 'b', 'c'] });
    expect(agents.map(({ client }) => client.events.length)).toEqual([0, 1, 0]);
  });

  it('are those that were asked and those that do not subscribe to heads, if one refused or failed', async () => {
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

describe('the trace of a request', () => {
  const traced = (ratio: number) => {
    const tracer = new RecordingTracer();
    const exchange = newExchange({ headers: ['traceparent', 'what the client says'] });
    exchange.trace = new RequestTracing(tracer, ratio, new SetRandom()).begin(exchange);
    return { tracer, exchange };
  };

  it('has a span for each event, until the agent answers', async () => {
    const { tracer, exchange } = traced(1);
    const first = agent('a', 'request_headers', 'request_body_chunk');
    first.client.answer = ({ kind }) => ok({ ...allowAnswer, needsMore: kind === 'request_headers' });
    const second = agent('b', 'request_headers');
    second.client.answer = () => {
      expect(tracer.spans.map(({ ends }) => ends)).toEqual([0, 1, 1, 0]);
      return err({ code: 'timed_out', detail: '' });
    };
    await ask([first, second], exchange);
    expect(tracer.spans.slice(1).map(({ name, errors, ends }) => [name, ends, ...errors])).toEqual([
      ['agent a request_headers', 1],
      ['agent a request_body_chunk', 1],
      ['agent b request_headers', 1, 'timed_out'],
    ]);
  });

  it("replaces the client's trace header in events to agents, sampled or not", async () => {
    for (const ratio of [0, 1]) {
      const { exchange } = traced(ratio);
      const asked = agent('a', 'request_headers');
      await ask([asked], exchange);
      const [event] = asked.client.events;
      expect(event).toMatchObject({ metadata: { traceparent: exchange.trace?.traceparent } });
      expect(exchange.trace?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/);
    }
  });

  it("leaves the client's trace header as it is while tracing is off", async () => {
    const asked = agent('a', 'request_headers');
    await ask([asked], newExchange({ headers: ['traceparent', 'what the client says'] }));
    expect(asked.client.events[0]).toMatchObject({ metadata: { traceparent: 'what the client says' } });
  });
});
