import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { AgentAnswers } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import {
  type InspectedResponse,
  ResponseInspector,
} from '../../../../../src/application/gateway/proxy-request/inspect-response.js';
import { inspectionLimits } from '../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import { notifyCompletion } from '../../../../../src/application/gateway/proxy-request/notify-completion.js';
import { RequestTracing } from '../../../../../src/application/gateway/trace/request-tracing.js';
import type { BodyInflater } from '../../../../../src/application/ports/gateway/body-inflater.js';
import type { UpstreamResponse } from '../../../../../src/application/ports/gateway/upstream-client.js';
import { type AgentEvent, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import type { AgentSubscription } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { SetRandom } from '../../../../support/agent/test-key-sets.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { FakeAgentClient } from '../../../../support/gateway/fake-agent-client.js';
import { testLimits } from '../../../../support/gateway/in-process-gateway.js';
import { RecordingTracer } from '../../../../support/gateway/recording-tracer.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { unheardAudit } from '../../../../support/gateway/unheard-audit.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const logger = new RecordingLogger();
const dependencies = {
  logger,
  problems: new ProblemAnswerer(logger),
  metrics: new PrometheusGatewayMetrics('test'),
  audit: unheardAudit,
  inspection: { inflater: nodeZlibInflater, clock: new ManualClock(), limits: inspectionLimits(testLimits) },
};

const judgeFor = (...subscriptions: (readonly AgentSubscription[])[]): ResponseInspector | null =>
  ResponseInspector.of(
    subscriptions.map((events, index) => routeAgent(new FakeAgentClient(`agent-${index}`), events)),
    dependencies,
  );

describe('the response judge of a route', () => {
  it('is absent if no agent subscribes to responses', () => {
    expect(judgeFor()).toBeNull();
    expect(judgeFor(['request_headers', 'request_body_chunk', 'request_complete'])).toBeNull();
  });

  it('exists if an agent subscribes', () => {
    expect(judgeFor(['request_headers'], ['response_headers'])).not.toBeNull();
  });
});

describe('the decoder of a response body', () => {
  /** Number of decoding layers that were made, and of those that were cancelled. */
  const counted = { made: 0, released: 0 };
  const inflater: BodyInflater = {
    inflate: (body, coding) => {
      const layer = nodeZlibInflater.inflate(body, coding);
      counted.made += 1;
      let isReleased = false;
      return {
        declaredLength: null,
        read: () => layer.read(),
        trailers: () => layer.trailers(),
        cancel: () => {
          if (!isReleased) counted.released += 1;
          isReleased = true;
          layer.cancel();
        },
      };
    },
  };

  /** Changes the beginning of the body and does not ask for the rest. */
  const changesBeginning = (event: AgentEvent) => {
    if (event.kind === 'response_headers') return ok({ ...allowAnswer, needsMore: true });
    const responseBodyMutation = { chunkIndex: 0, data: Buffer.from('<') };
    return ok({ ...allowAnswer, responseBodyMutation });
  };
  const block = { kind: 'block', status: 403, body: null, headers: [] } as const;

  const judged = async (
    second: ScriptedAgent,
    exchange = newExchange(),
  ): Promise<{ outcome: InspectedResponse; source: ScriptedBody }> => {
    Object.assign(counted, { made: 0, released: 0 });
    const first = new ScriptedAgent('first');
    first.answer = changesBeginning;
    const inspection = { ...dependencies.inspection, inflater };
    const judge = ResponseInspector.of([routeAgent(first), routeAgent(second)], { ...dependencies, inspection });
    const octets = gzipSync(Buffer.alloc(300_000, 'text'));
    const source = new ScriptedBody([octets.subarray(0, 400), octets.subarray(400)], octets.length);
    const headers = ['Content-Encoding', 'gzip', 'Content-Length', `${octets.length}`];
    const response: UpstreamResponse = {
      status: 200,
      headers,
      received: null,
      body: source,
      isBodyLate: false,
      tunnel: null,
    };
    const outcome = (await judge?.inspect(exchange, response, () => source.cancel())) as InspectedResponse;
    expect(counted.made).toBe(1);
    return { outcome, source };
  };

  it('stays open while its octets are still to be relayed', async () => {
    const { outcome } = await judged(new ScriptedAgent('second'));
    expect(outcome.kind).toBe('relay');
    expect(counted.released).toBe(0);
    if (outcome.kind === 'relay') outcome.response.body?.cancel();
    expect(counted.released).toBe(1);
  });

  it.each([
    ['a later agent blocks', () => ok({ ...allowAnswer, decision: block })],
    ['a later agent fails', () => err({ code: 'timed_out', detail: '' } as const)],
  ])('is released if %s', async (_, answer) => {
    const second = new ScriptedAgent('second');
    second.answer = answer;
    expect((await judged(second)).outcome).toEqual({ kind: 'ended', fault: null });
    expect(counted.released).toBe(1);
  });

  it('is released if a later agent blocks after it saw a part of the decoded body', async () => {
    const second = new ScriptedAgent('second');
    second.answer = (event) =>
      ok(event.kind === 'response_headers' ? { ...allowAnswer, needsMore: true } : { ...allowAnswer, decision: block });
    expect((await judged(second)).outcome).toEqual({ kind: 'ended', fault: null });
    expect(counted.released).toBe(1);
  });

  it('is released if the client disconnects while a later agent is asked', async () => {
    const exchange = newExchange();
    const second = new ScriptedAgent('second');
    second.answer = () => {
      exchange.abandon();
      return ok(allowAnswer);
    };
    const { outcome, source } = await judged(second, exchange);
    expect(outcome).toEqual({ kind: 'ended', fault: null });
    expect(counted.released).toBe(1);
    expect(source.isCancelled).toBe(true);
  });
});

describe('the duration of an agent call', () => {
  it('is recorded per event, without the time that the upstream needs for the body', async () => {
    const clock = new ManualClock();
    const client = new ScriptedAgent();
    client.answer = (event) => {
      clock.advance(event.kind === 'response_headers' ? 10 : 20);
      return ok({ ...allowAnswer, needsMore: !('isLast' in event && event.isLast) });
    };
    const slow = new ScriptedBody(['ab', 'cd'], 4);
    const read = slow.read.bind(slow);
    slow.read = () => {
      clock.advance(60_000);
      return read();
    };
    const agent = routeAgent(client);
    const judge = ResponseInspector.of([agent], { ...dependencies, inspection: { ...dependencies.inspection, clock } });
    const response: UpstreamResponse = {
      status: 200,
      headers: [],
      received: null,
      body: slow,
      isBodyLate: false,
      tunnel: null,
    };
    expect(await judge?.inspect(newExchange(), response, () => undefined)).toMatchObject({ kind: 'relay' });
    expect(agent.metrics.latencies).toEqual([0.01, 0.02, 0.02]);
  });
});

describe('the trace of a request', () => {
  it('has a span for each response event and for the completion event', async () => {
    const tracer = new RecordingTracer();
    const exchange = newExchange();
    exchange.trace = new RequestTracing(tracer, 1, new SetRandom()).begin(exchange);
    const client = new ScriptedAgent('a');
    client.answer = ({ kind }) => ok({ ...allowAnswer, needsMore: kind === 'response_headers' });
    const agents = [routeAgent(client)];
    const response: UpstreamResponse = {
      status: 200,
      headers: [],
      received: null,
      body: null,
      isBodyLate: false,
      tunnel: null,
    };
    await ResponseInspector.of(agents, dependencies)?.inspect(exchange, response, () => undefined);
    exchange.agents = new AgentAnswers(agents);
    notifyCompletion(exchange, { status: 200, durationMs: 1 }, { ...dependencies, clock: new ManualClock() });
    expect(tracer.spans.slice(1).map(({ name }) => name)).toEqual([
      'agent a response_headers',
      'agent a response_body_chunk',
      'agent a request_complete',
    ]);
    expect(tracer.spans.slice(1, 3).map(({ ends }) => ends)).toEqual([1, 1]);
  });
});
