import { describe, expect, it } from 'vitest';
import { maximumLate } from '../../../../../src/application/gateway/ask-agents/event-routes.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { completeEvent, decided, headersEvent, responseEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);
const refusal = decided({ kind: 'block', status: 403, body: null, headers: [] });

/** Asks about a request, and nothing comes in time. */
const timeOut = async ({ client, scheduler }: FakeAgentPool, id: string): Promise<void> => {
  const asked = client.ask(headersEvent(id));
  await scheduler.advance(1_000);
  expect(codeOf(await asked)).toBe('timed_out');
};

describe('after a call that timed out', () => {
  it('the response is asked about by another connection, and the late answer is for nobody', async () => {
    const pool = await startFakePool({ connections: 2 });
    const [first, second] = [pool.connection(0), pool.connection(1)];
    await timeOut(pool, 'a');
    expect(first.sentIds).toEqual(['a']);
    const head = pool.client.ask(responseEvent('a'));
    expect(second.sentIds).toEqual(['a']);
    first.answer('a');
    second.answer('a', refusal);
    expect(codeOf(await head)).toBe('block');
  });

  it('the response waits for a place on another connection, never for one on the same', async () => {
    const pool = await startFakePool({ connections: 2 });
    await timeOut(pool, 'a');
    pool.connection(1).isBusy = true;
    const head = pool.client.ask(responseEvent('a'));
    await settled();
    expect([pool.connection(0).sentIds, pool.connection(1).sentIds]).toEqual([['a'], []]);
    pool.connection(1).isBusy = false;
    pool.connection(1).listener.onRoom();
    pool.connection(1).answer('a');
    expect(codeOf(await head)).toBe('allow');
  });

  it('by the only connection, the response is not asked about, which is not held against the agent', async () => {
    const pool = await startFakePool({ connections: 1 });
    await timeOut(pool, 'a');
    expect(codeOf(await pool.client.ask(responseEvent('a')))).toBe('queue_full');
    pool.connection(0).answer('a');
    const head = pool.client.ask(responseEvent('a'));
    pool.connection(0).answer('a', refusal);
    expect(codeOf(await head)).toBe('block');
  });

  it('the end of the request is told all the same', async () => {
    const pool = await startFakePool({ connections: 1 });
    await timeOut(pool, 'a');
    const end = pool.client.ask(completeEvent('a'));
    pool.connection(0).answer('a');
    expect(codeOf(await end)).toBe('allow');
  });
});

describe('more late answers than can be waited for', () => {
  const concurrent = capabilitiesWith({ concurrentRequests: 5_000 }, { maxConcurrency: 5_000 });

  it('end the connection of the eldest, so that none is taken for the answer to something else', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: concurrent });
    const asked = Array.from({ length: maximumLate + 1 }, (_, index) => pool.client.ask(headersEvent(`r${index}`)));
    const [first] = pool.connector.connections;
    await pool.scheduler.advance(1_000);
    await Promise.all(asked);
    expect(first?.isOver).toBe(true);
    expect(pool.client.status()).toMatchObject({ connections: 0, inFlight: 0, queueDepth: 0 });
  });

  it('are never there as long as requests come to their end', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: concurrent });
    for (let round = 0; round < 3; round += 1) {
      const ids = Array.from({ length: 2_000 }, (_, index) => `r${round}.${index}`);
      const asked = ids.map((id) => pool.client.ask(headersEvent(id)));
      for (const id of ids) pool.client.cancel(id, 'client_disconnect');
      const told = ids.map((id) => pool.client.ask(completeEvent(id)));
      for (const id of ids) pool.client.conclude(id);
      await pool.scheduler.advance(1_000);
      await Promise.all([...asked, ...told]);
    }
    expect(pool.connection(0).isOver).toBe(false);
  });
});
