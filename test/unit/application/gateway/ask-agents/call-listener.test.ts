import { describe, expect, it } from 'vitest';
import { GuardedAgentClient } from '../../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { agentSubscriptions } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

/** Makes a call with a listener, as the request path does, and records what the listener gets. */
const asked = (pool: FakeAgentPool, id: string, told: () => void = () => undefined) => {
  const codes: string[] = [];
  const listener = {
    answered: (outcome: AgentOutcome): void => {
      codes.push(codeOf(outcome));
      told();
    },
  };
  const rules = { breaker: { failureThreshold: 1, openMs: 1_000, probes: 1 }, maxResponseBytes: 1_000 };
  const client = new GuardedAgentClient(pool.client, { ...rules, events: agentSubscriptions }, pool);
  const ask = (): AgentOutcome | null => client.askFor(headersEvent(id), listener);
  return { codes, client, ask, atOnce: ask() };
};

describe('the listener of a call', () => {
  it('gets an answer once, synchronously with its arrival', async () => {
    const pool = await startFakePool({ connections: 1 });
    const { codes, atOnce } = asked(pool, 'a');
    expect([atOnce, codes]).toEqual([null, []]);
    pool.connection(0).answer('a');
    expect(codes).toEqual(['allow']);
    pool.connection(0).answer('a');
    await settled();
    expect(codes).toEqual(['allow']);
  });

  it('finds the call ended, and may make another call for the same request', async () => {
    const pool = await startFakePool({ connections: 1 });
    const { codes, ask } = asked(pool, 'a', () => {
      if (codes.length === 1) expect([pool.client.status().inFlight, ask()]).toEqual([0, null]);
    });
    pool.connection(0).answer('a');
    pool.connection(0).answer('a');
    expect(codes).toEqual(['allow', 'allow']);
  });

  it('gets the outcome once the call that waited for its slot has been sent', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: capabilitiesWith({}, { maxConcurrency: 1 }) });
    const sent = (): number => pool.connection(0).events.length;
    const seen: number[] = [];
    asked(pool, 'a', () => seen.push(sent()));
    asked(pool, 'b');
    expect(sent()).toBe(1);
    pool.connection(0).answer('a');
    expect(seen).toEqual([2]);
  });

  it('gets a timeout, a lost connection and a malformed answer after their cause is handled', async () => {
    const pool = await startFakePool({ connections: 1 });
    const late = asked(pool, 'late');
    await pool.scheduler.advance(1_000);
    const malformed = asked(pool, 'malformed');
    pool.connection(0).answer('malformed', { decision: { kind: 'redirect', url: '', status: 200 } });
    const gone = asked(pool, 'gone');
    pool.connection(0).end();
    expect([malformed.codes, gone.codes]).toEqual([[], []]);
    await settled();
    expect([late.codes, malformed.codes, gone.codes]).toEqual([['timed_out'], ['malformed_answer'], ['disconnected']]);
  });

  it('gets a cancellation after `cancel` has returned', async () => {
    const pool = await startFakePool({ connections: 1 });
    const { codes, client } = asked(pool, 'a');
    client.cancel('a', 'client_disconnect');
    expect(codes).toEqual([]);
    await settled();
    expect(codes).toEqual(['cancelled']);
  });

  it('gets nothing before the call is made, even if the connection answers during the write', async () => {
    const pool = await startFakePool({ connections: 1 });
    const connection = pool.connection(0);
    const sendEvent = connection.sendEvent.bind(connection);
    connection.sendEvent = (event) => {
      const isSent = sendEvent(event);
      connection.answer('a');
      return isSent;
    };
    const { codes, atOnce } = asked(pool, 'a');
    expect([atOnce, codes]).toEqual([null, []]);
    await settled();
    expect(codes).toEqual(['allow']);
  });

  it('is not called if the call fails at once; the outcome is returned', async () => {
    const pool = await startFakePool({ connections: 1 });
    const { codes, client, ask } = asked(pool, 'a');
    expect(ask()).toMatchObject({ error: { code: 'unreachable', detail: 'another call for this request is open' } });
    pool.connection(0).end();
    await settled();
    expect(ask()).toMatchObject({ error: { code: 'circuit_open' } });
    await settled();
    expect(codes).toEqual(['disconnected']);
    expect(client.status().breaker).toBe('open');
  });
});
