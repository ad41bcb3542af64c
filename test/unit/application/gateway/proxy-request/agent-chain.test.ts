import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { Exchange, runStages } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { inspectionLimits } from '../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import { askAgents } from '../../../../../src/application/gateway/proxy-request/stages/ask-agents.js';
import {
  DeclaredHeaderNames,
  IdentityHeaderFilter,
} from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import type { AgentCallListener } from '../../../../../src/application/ports/gateway/agent-client.js';
import { type AgentEvent, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { FakeAgentClient } from '../../../../support/gateway/fake-agent-client.js';
import { testLimits } from '../../../../support/gateway/in-process-gateway.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { unheardAudit } from '../../../../support/gateway/unheard-audit.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const allowed = ok(allowAnswer);

/** Answers when the test says so. Keeps its listener even if the call fails. */
class HeldAgent extends FakeAgentClient {
  readonly listeners: AgentCallListener[] = [];
  readonly cancels: string[] = [];
  fault: Error | null = null;

  override askFor(_event: AgentEvent, listener: AgentCallListener): null {
    this.listeners.push(listener);
    if (this.fault !== null) throw this.fault;
    return null;
  }

  override cancel(): void {
    this.cancels.push(this.name);
  }
}

/** A request that asks two agents. The first call begins at once. */
const begun = (fault: Error | null = null, declared = new DeclaredHeaderNames()) => {
  const [first, second] = [new HeldAgent('first'), new HeldAgent('second')];
  second.fault = fault;
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const identity = new IdentityHeaderFilter([], declared);
  const stage = askAgents([routeAgent(first), routeAgent(second)], {
    clock,
    logger,
    problems: new ProblemAnswerer(logger),
    metrics: new PrometheusGatewayMetrics('test'),
    audit: unheardAudit,
    inspection: { inflater: nodeZlibInflater, clock, limits: inspectionLimits(testLimits) },
    maxBodySize: { name: 'max-body-size-bytes', octets: 1_000 },
    identity,
  });
  const seen = { sent: 0, failures: [] as unknown[] };
  const { request, response, client } = newExchange();
  const owner = { isClosing: false, failed: (_: Exchange, error: unknown): void => void seen.failures.push(error) };
  const exchange = new Exchange(request, response, 'id', 'id', client, 0, owner);
  const send = (): 'ended' => {
    seen.sent += 1;
    return 'ended';
  };
  exchange.forwarded.headers = ['X-Tenant', 'mallory', 'X-Cert', 'proved', 'Accept', '*/*'];
  exchange.forwarded.certificateFields = ['X-Cert', 'proved'];
  exchange.forwarded.identityNames = identity.current();
  void runStages([stage, send], exchange);
  return { first, second, seen, exchange };
};

const setting = (value: string) =>
  ok({ ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X-Tenant', value }] as const });

describe('a request that waits for an agent that connects meanwhile', () => {
  it('loses the headers that the agent declares in its first handshake before the agent sets its own', () => {
    const declared = new DeclaredHeaderNames();
    const { first, second, exchange } = begun(null, declared);
    declared.declare('first', ['x_tenant', 'X-Cert']);
    first.listeners[0]?.answered(allowed);
    expect(exchange.forwarded.headers).toEqual(['X-Cert', 'proved', 'Accept', '*/*']);
    second.listeners[0]?.answered(setting('acme'));
    expect(exchange.forwarded.headers).toEqual(['X-Cert', 'proved', 'Accept', '*/*', 'X-Tenant', 'acme']);
  });

  it('keeps the headers that an agent sets under names that it declared before', () => {
    const declared = new DeclaredHeaderNames();
    declared.declare('first', ['X-Tenant']);
    const { first, second, exchange } = begun(null, declared);
    first.listeners[0]?.answered(setting('acme'));
    declared.declare('second', ['X-Team']);
    second.listeners[0]?.answered(allowed);
    expect(exchange.forwarded.headers).toContain('acme');
  });
});

describe('a request that asks several agents', () => {
  it('continues as soon as the last answer is read', () => {
    const { first, second, seen } = begun();
    first.listeners[0]?.answered(allowed);
    expect([second.listeners.length, seen.sent]).toEqual([1, 0]);
    second.listeners[0]?.answered(allowed);
    expect(seen).toEqual({ sent: 1, failures: [] });
  });

  it('ignores a second answer of the same agent', () => {
    const { first, second, seen } = begun();
    first.listeners[0]?.answered(allowed);
    first.listeners[0]?.answered(allowed);
    expect([second.listeners.length, seen.sent]).toEqual([1, 0]);
    for (let time = 0; time < 2; time += 1) second.listeners[0]?.answered(allowed);
    expect(seen).toEqual({ sent: 1, failures: [] });
  });

  it('does not continue after a failure, even if the failed call gets an answer', () => {
    const fault = new Error('a fault');
    const { first, second, seen } = begun(fault);
    first.listeners[0]?.answered(allowed);
    expect(seen).toEqual({ sent: 0, failures: [fault] });
    second.listeners[0]?.answered(allowed);
    expect(seen).toEqual({ sent: 0, failures: [fault] });
  });

  it('does not continue after the client disconnects, and cancels the call to the agent', () => {
    const { first, second, seen, exchange } = begun();
    exchange.abandon();
    expect(first.cancels).toEqual(['first']);
    first.listeners[0]?.answered(allowed);
    expect([second.listeners.length, seen]).toEqual([0, { sent: 0, failures: [] }]);
  });
});
