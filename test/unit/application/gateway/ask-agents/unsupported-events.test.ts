import { describe, expect, it } from 'vitest';
import { GuardedAgentClient } from '../../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { AgentCapabilities } from '../../../../../src/domain/agent-protocol/capabilities.js';
import { type AgentEvent, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import type { CircuitBreakerRules } from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import { agentSubscriptions } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { fakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const headsAlone: AgentCapabilities = { ...capabilitiesWith(), supportedEvents: ['request_headers'] };
const responsesAlone: AgentCapabilities = { ...capabilitiesWith(), supportedEvents: ['response_headers'] };

const completeEvent = (correlationId: string): AgentEvent => ({
  kind: 'request_complete',
  correlationId,
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
});

/** Connections before the end of their handshakes. */
const begin = async (connections: number, breaker: CircuitBreakerRules | null = null) => {
  const pool = fakePool({ connections });
  const rules = { breaker, maxResponseBytes: 10_240, events: agentSubscriptions };
  const client = new GuardedAgentClient(pool.client, rules, pool);
  client.start();
  await settled();
  const sent = () => pool.connector.connections.flatMap(({ events }) => events.map(({ kind }) => kind));
  return { pool, client, sent };
};

describe('a call that is made before the capabilities are known', () => {
  it('is not sent to an agent that does not support it', async () => {
    const { pool, client, sent } = await begin(1);
    const head = client.ask(headersEvent('a'));
    const complete = client.ask(completeEvent('b'));
    expect(client.status().queueDepth).toBe(2);
    pool.connection(0).ready(responsesAlone);
    expect(codeOf(await head)).toBe('unsupported_event');
    // Its answer has no effect.
    expect(await complete).toEqual(ok(allowAnswer));
    expect(sent()).toEqual([]);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
    expect(pool.logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'Agent does not support events that it is subscribed to',
        fields: {
          agent: 'auth',
          agent_id: 'fake-1',
          events: ['request_headers', 'request_body_chunk', 'response_body_chunk', 'request_complete'],
        },
      },
    ]);
  });

  it('is sent to an agent that supports it, past calls that it does not support', async () => {
    const { pool, client, sent } = await begin(1);
    const calls = [completeEvent('a'), headersEvent('b'), completeEvent('c')].map((event) => client.ask(event));
    pool.connection(0).ready(headsAlone);
    pool.connection(0).answer('b');
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['allow', 'allow', 'allow']);
    expect(sent()).toEqual(['request_headers']);
  });

  it('does not count for the breaker, whether it is skipped or not', async () => {
    const { pool, client } = await begin(1, { failureThreshold: 2, openMs: 1_000, probes: 1 });
    const calls = ['a', 'b', 'c'].map((id) => client.ask(headersEvent(id)));
    pool.connection(0).ready(responsesAlone);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array(3).fill('unsupported_event'));
    expect(client.status().breaker).toBe('closed');
  });

  it('that was skipped does not count as a successful probe', async () => {
    const rules = { failureThreshold: 1, openMs: 1_000, probes: 1 };
    const { pool, client } = await begin(1, rules);
    pool.connection(0).end();
    await pool.scheduler.advance(0);
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unreachable');
    expect(client.status().breaker).toBe('open');
    await pool.scheduler.advance(1_000);
    // The first handshake takes this long.
    const [latest] = pool.connector.standing;
    latest?.ready(headsAlone);
    const left = await client.ask(completeEvent('b'));
    expect([codeOf(left), client.status().breaker]).toEqual(['allow', 'half_open']);
    const probe = client.ask(headersEvent('c'));
    latest?.answer('c');
    expect([codeOf(await probe), client.status().breaker]).toEqual(['allow', 'closed']);
  });

  it('does not delay the stop of a client', async () => {
    const { pool, client } = await begin(1);
    const head = client.ask(headersEvent('a'));
    const stopped = client.stop(60_000);
    pool.connection(0).ready(responsesAlone);
    expect(codeOf(await head)).toBe('unsupported_event');
    await stopped;
    expect(pool.scheduler.waiting).toBe(0);
  });
});

describe('an agent whose connections have different capabilities', () => {
  it('gets each event only on a connection that supports it, or not at all', async () => {
    const { pool, client } = await begin(2);
    pool.connection(0).ready(responsesAlone);
    pool.connection(1).ready(headsAlone);
    // The last handshake supports heads; the first connection, which is chosen, does not.
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unsupported_event');
    expect(pool.connection(0).events).toEqual([]);
  });

  it('gets no body on a connection that does not support chunks', async () => {
    const { pool, client } = await begin(2);
    pool.connection(1).ready(headsAlone);
    const head = client.ask(headersEvent('a'));
    pool.connection(0).ready(capabilitiesWith());
    pool.connection(1).answer('a', needsMoreAnswer);
    expect(codeOf(await head)).toBe('allow');
    expect(codeOf(await client.ask(chunkEvent('a')))).toBe('unsupported_event');
    expect(pool.connection(1).events.map(({ kind }) => kind)).toEqual(['request_headers']);
    expect(pool.connection(1).cancels).toEqual(['a']);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });
});

describe('an agent that asks for a body in an invalid answer', () => {
  it('gets a cancel', async () => {
    const { pool, client } = await begin(1);
    pool.connection(0).ready(capabilitiesWith());
    const head = client.ask(headersEvent('a'));
    pool.connection(0).answer('a', {
      ...needsMoreAnswer,
      requestBodyMutation: { chunkIndex: 0, data: new Uint8Array(0) },
    });
    expect(codeOf(await head)).toBe('malformed_answer');
    expect(pool.connection(0).cancels).toEqual(['a']);
    const plain = client.ask(headersEvent('b'));
    pool.connection(0).answer('b', { requestBodyMutation: { chunkIndex: 0, data: new Uint8Array(0) } });
    expect(codeOf(await plain)).toBe('malformed_answer');
    expect(pool.connection(0).cancels).toEqual(['a']);
  });
});
