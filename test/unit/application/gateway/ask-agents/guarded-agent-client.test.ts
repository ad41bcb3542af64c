import { describe, expect, it } from 'vitest';
import { GuardedAgentClient } from '../../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { AgentEventName } from '../../../../../src/domain/agent-protocol/capabilities.js';
import type { AgentFailureCode } from '../../../../../src/domain/agent-protocol/failure-rules.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  emptyAudit,
} from '../../../../../src/domain/agent-protocol/messages.js';
import type { CircuitBreakerRules } from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import {
  type AgentSubscription,
  agentSubscriptions,
} from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { Deferred, fakeCapabilities } from '../../../../support/agent/fake-agent-service.js';
import { RecordingReportReader } from '../../../../support/gateway/recording-report-reader.js';
import { ScriptedAgentClient } from '../../../../support/gateway/scripted-agent-client.js';
import { chunkEvent, decided, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const failure = (code: AgentFailureCode): AgentOutcome => err({ code, detail: 'as the test says' });
const codeOf = (outcome: AgentOutcome): AgentFailureCode | 'answered' => (outcome.ok ? 'answered' : outcome.error.code);
const threeFailures: CircuitBreakerRules = { failureThreshold: 3, openMs: 1_000, probes: 1 };

const responseHead: AgentEvent = { kind: 'response_headers', correlationId: 'a', status: 200, headers: [] };
const complete: AgentEvent = {
  kind: 'request_complete',
  correlationId: 'a',
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
};

const guarded = (
  rules: { breaker?: CircuitBreakerRules; maxResponseBytes?: number; events?: readonly AgentSubscription[] } = {},
  supportedEvents: readonly AgentEventName[] = agentSubscriptions,
) => {
  const inner = new ScriptedAgentClient();
  inner.said = { ...fakeCapabilities, supportedEvents };
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const { breaker = null, maxResponseBytes = 10_240, events = ['request_headers'] } = rules;
  const client = new GuardedAgentClient(inner, { breaker, maxResponseBytes, events }, { clock, logger });
  let asked = 0;
  const ask = async (outcome: AgentOutcome): Promise<AgentFailureCode | 'answered'> => {
    inner.answer = () => outcome;
    asked += 1;
    return codeOf(await client.ask(headersEvent(`r${asked}`)));
  };
  return { inner, clock, logger, client, ask };
};

const allow = ok(allowAnswer);
const broken = failure('timed_out');

describe('the circuit breaker of an agent', () => {
  it('lets completion events through while it is open, and neither counts them nor uses them as probes', async () => {
    const { ask, inner, client, clock } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(broken);
    inner.answer = () => allow;
    expect(codeOf(await client.ask(complete))).toBe('answered');
    expect(client.status().breaker).toBe('open');
    clock.advance(1_000);
    inner.answer = () => broken;
    expect(codeOf(await client.ask(complete))).toBe('timed_out');
    expect(client.status().breaker).toBe('half_open');
    expect(await ask(allow)).toBe('answered');
    inner.answer = () => broken;
    for (let time = 0; time < 5; time += 1) await client.ask(complete);
    expect(client.status().breaker).toBe('closed');
  });

  it('opens after a number of consecutive failures, and stops calls', async () => {
    const { ask, inner, client, logger } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) expect(await ask(broken)).toBe('timed_out');
    expect(client.status().breaker).toBe('open');
    for (let time = 0; time < 5; time += 1) expect(await ask(allow)).toBe('circuit_open');
    expect(inner.events).toHaveLength(3);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'Agent circuit breaker open',
        fields: { agent: 'auth', last_failure: 'timed_out', open_ms: 1_000 },
      },
    ]);
  });

  it('stays closed if answers arrive between failures', async () => {
    const { ask, client } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 10; time += 1) {
      await ask(broken);
      await ask(broken);
      await ask(ok(decided({ kind: 'block', status: 503, body: null, headers: [] })));
    }
    expect(client.status().breaker).toBe('closed');
  });

  it.each([
    'timed_out',
    'unreachable',
    'disconnected',
    'malformed_answer',
    'refused',
    'unhealthy',
    'response_too_large',
  ] as const)('counts %s', async (code) => {
    const { ask, client } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(failure(code));
    expect(client.status().breaker).toBe('open');
  });

  it.each(['cancelled', 'queue_full', 'unsupported_event'] as const)('ignores %s', async (code) => {
    const { ask, client } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 10; time += 1) await ask(failure(code));
    expect(client.status().breaker).toBe('closed');
    await ask(broken);
    await ask(broken);
    await ask(failure(code));
    await ask(broken);
    expect(client.status().breaker).toBe('open');
  });

  it('admits one probe after its open time, and nothing beside it', async () => {
    const { ask, inner, client, clock, logger } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(broken);
    clock.advance(999);
    expect(await ask(allow)).toBe('circuit_open');
    clock.advance(1);
    expect(client.status().breaker).toBe('half_open');
    const held = new Deferred<AgentOutcome>();
    inner.answer = () => held.promise;
    const probe = client.ask(headersEvent('probe'));
    expect(await ask(allow)).toBe('circuit_open');
    held.resolve(allow);
    expect(codeOf(await probe)).toBe('answered');
    expect(client.status().breaker).toBe('closed');
    expect(await ask(allow)).toBe('answered');
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn Agent circuit breaker open',
      'info Agent circuit breaker half-open',
      'info Agent circuit breaker closed',
    ]);
  });

  it('opens again when the probe fails', async () => {
    const { ask, clock, client } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(broken);
    clock.advance(1_000);
    expect(await ask(broken)).toBe('timed_out');
    expect(client.status().breaker).toBe('open');
    clock.advance(999);
    expect(await ask(allow)).toBe('circuit_open');
  });

  it('gives the place of a cancelled probe to the next call', async () => {
    const { ask, clock } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(broken);
    clock.advance(1_000);
    expect(await ask(failure('cancelled'))).toBe('cancelled');
    expect(await ask(failure('queue_full'))).toBe('queue_full');
    expect(await ask(allow)).toBe('answered');
  });

  it('does not take the outcome of an earlier call for that of its probe', async () => {
    const { ask, inner, client, clock } = guarded({ breaker: threeFailures });
    const early = new Deferred<AgentOutcome>();
    const late = new Deferred<AgentOutcome>();
    inner.answer = ({ correlationId }) => (correlationId === 'early' ? early.promise : late.promise);
    const calls = [client.ask(headersEvent('early')), client.ask(headersEvent('late'))];
    for (let time = 0; time < 3; time += 1) await ask(broken);
    early.resolve(allow);
    await calls[0];
    expect(client.status().breaker).toBe('open');
    clock.advance(1_000);
    const held = new Deferred<AgentOutcome>();
    inner.answer = () => held.promise;
    const probe = client.ask(headersEvent('probe'));
    late.resolve(broken);
    await calls[1];
    expect(client.status().breaker).toBe('half_open');
    expect(await ask(allow)).toBe('circuit_open');
    held.resolve(allow);
    await probe;
    expect(client.status().breaker).toBe('closed');
  });

  it('admits the body chunks that the agent asked for, and counts their failures', async () => {
    const { ask, inner, client, clock } = guarded({ breaker: threeFailures });
    for (let time = 0; time < 3; time += 1) await ask(broken);
    inner.answer = () => allow;
    expect(codeOf(await client.ask(chunkEvent('open')))).toBe('answered');
    expect(client.status().breaker).toBe('open');
    clock.advance(1_000);
    const held = new Deferred<AgentOutcome>();
    inner.answer = ({ kind }) => (kind === 'request_body_chunk' ? broken : held.promise);
    const probe = client.ask(headersEvent('probe'));
    // A chunk is no probe: it neither ends the probing nor takes or frees its place.
    expect(codeOf(await client.ask(chunkEvent('open')))).toBe('timed_out');
    expect(client.status().breaker).toBe('half_open');
    expect(codeOf(await client.ask(headersEvent('another')))).toBe('circuit_open');
    held.resolve(ok(needsMoreAnswer));
    await probe;
    expect(client.status().breaker).toBe('closed');
    for (let time = 0; time < 3; time += 1) await client.ask(chunkEvent('probe'));
    expect(client.status().breaker).toBe('open');
  });

  it('is absent without rules', async () => {
    const { ask, client, logger } = guarded();
    for (let time = 0; time < 20; time += 1) expect(await ask(broken)).toBe('timed_out');
    expect(client.status().breaker).toBeNull();
    expect(logger.lines).toEqual([]);
  });
});

describe('the size of answers', () => {
  const tagged = (length: number): AgentAnswer => ({
    ...allowAnswer,
    audit: { ...emptyAudit, tags: ['x'.repeat(length)] },
  });

  it('is limited', async () => {
    const { ask, client } = guarded({ maxResponseBytes: 100, breaker: threeFailures });
    expect(await ask(ok(tagged(98)))).toBe('answered');
    expect(await ask(ok(tagged(99)))).toBe('answered');
    for (let time = 0; time < 3; time += 1) expect(await ask(ok(tagged(100)))).toBe('response_too_large');
    expect(client.status().breaker).toBe('open');
  });

  it('over the limit is reported with the limit', async () => {
    const { client, inner } = guarded({ maxResponseBytes: 100 });
    inner.answer = () => ok(tagged(140));
    const limit = { name: 'max-agent-response-bytes', limit: 100, actual: 141 };
    expect(await client.ask(headersEvent('r1'))).toMatchObject({ error: { code: 'response_too_large', limit } });
  });

  it('over the limit never passes an answer, and cancels the body that it asks for', async () => {
    const { ask, inner } = guarded({ maxResponseBytes: 100 });
    expect(await ask(ok({ ...tagged(100), needsMore: true }))).toBe('response_too_large');
    expect(inner.cancels).toEqual([{ correlationId: 'r1', reason: 'manual' }]);
    await ask(ok(tagged(100)));
    expect(inner.cancels).toHaveLength(1);
  });

  it('does not include body mutations', async () => {
    const { inner, client } = guarded({ maxResponseBytes: 100 });
    inner.answer = () => ok({ ...allowAnswer, requestBodyMutation: { chunkIndex: 0, data: new Uint8Array(1_000) } });
    expect(codeOf(await client.ask(chunkEvent('a')))).toBe('answered');
  });
});

describe('an unsupported event', () => {
  it('is not sent, and fails', async () => {
    const { inner, client } = guarded({ breaker: threeFailures, events: agentSubscriptions }, ['configure']);
    for (let time = 0; time < 5; time += 1) {
      expect(codeOf(await client.ask(headersEvent('a')))).toBe('unsupported_event');
      expect(codeOf(await client.ask(responseHead))).toBe('unsupported_event');
    }
    expect(inner.events).toEqual([]);
    expect(client.status().breaker).toBe('closed');
  });

  it('is skipped if its answer has no effect', async () => {
    const { inner, client } = guarded({}, ['request_headers']);
    expect(await client.ask(complete)).toEqual(allow);
    expect(inner.events).toEqual([]);
  });

  it('is logged once per agent', async () => {
    const { inner, client, logger } = guarded({ events: ['request_headers', 'response_headers', 'request_complete'] }, [
      'request_headers',
    ]);
    const warning = (agentId: string) => ({
      level: 'warn',
      message: 'Agent does not support events that it is subscribed to',
      fields: { agent: 'auth', agent_id: agentId, events: ['response_headers', 'request_complete'] },
    });
    await client.ask(headersEvent('a'));
    await client.ask(complete);
    inner.said = { ...fakeCapabilities, supportedEvents: ['request_headers'] };
    await client.ask(headersEvent('b'));
    expect(logger.lines).toEqual([warning('fake-1')]);
    inner.said = { ...inner.said, agentId: 'fake-2' };
    await client.ask(headersEvent('c'));
    expect(logger.lines).toEqual([warning('fake-1'), warning('fake-2')]);
    inner.said = { ...inner.said, supportedEvents: agentSubscriptions, agentId: 'fake-3' };
    expect(await client.ask(responseHead)).toEqual(allow);
    expect(logger.lines).toHaveLength(2);
  });

  it('is unknown before the first handshake', async () => {
    const { inner, client, logger } = guarded({ events: agentSubscriptions });
    inner.said = null;
    expect(await client.ask(responseHead)).toEqual(allow);
    expect(logger.lines).toEqual([]);
  });

  it('makes an answer that asks for its body malformed', async () => {
    const { inner, client } = guarded({}, ['request_headers', 'response_headers']);
    inner.answer = () => ok(needsMoreAnswer);
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('malformed_answer');
    expect(codeOf(await client.ask(responseHead))).toBe('malformed_answer');
    expect(inner.cancels).toEqual([
      { correlationId: 'a', reason: 'manual' },
      { correlationId: 'a', reason: 'manual' },
    ]);
    inner.said = {
      ...fakeCapabilities,
      supportedEvents: ['request_headers', 'request_body_chunk', 'response_headers'],
    };
    expect(await client.ask(headersEvent('a'))).toEqual(ok(needsMoreAnswer));
    expect(codeOf(await client.ask(responseHead))).toBe('malformed_answer');
  });
});

it('a guarded client passes everything else to the inner client', async () => {
  const { inner, client } = guarded();
  client.start();
  client.cancel('a', 'timeout');
  client.reportTo(new RecordingReportReader());
  client.reportNow();
  await client.configure({ colour: 'red' });
  client.retire({ sameConfig: true, hasSuccessor: false });
  await client.stop(7);
  expect(inner.calls).toEqual(['start', 'reportTo', 'reportNow', 'configure', 'retire true false', 'stop 7']);
  expect(inner.cancels).toEqual([{ correlationId: 'a', reason: 'timeout' }]);
  expect([client.name, client.capabilities(), client.status()]).toEqual(['auth', inner.said, inner.status()]);
});

describe('the status of an agent', () => {
  it('names the subscribed events that the agent does not support', () => {
    const events = ['request_headers', 'response_headers', 'request_complete'] as const;
    const { client, inner } = guarded({ events }, ['request_headers', 'request_body_chunk']);
    expect(client.status().unsupportedEvents).toEqual(['response_headers', 'request_complete']);
    inner.said = { ...fakeCapabilities, supportedEvents: events };
    expect(client.status().unsupportedEvents).toEqual([]);
  });

  it('names none before the first handshake', () => {
    const { client, inner } = guarded();
    inner.said = null;
    expect(client.status().unsupportedEvents).toEqual([]);
  });
});
