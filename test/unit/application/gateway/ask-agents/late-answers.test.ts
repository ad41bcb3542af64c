import { describe, expect, it } from 'vitest';
import { maximumLate } from '../../../../../src/application/gateway/ask-agents/event-routes.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { completeEvent, decided, headersEvent, responseEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);
const refusal = decided({ kind: 'block', status: 403, body: null, headers: [] });

/** Makes a call for a request that times out. */
const timeOut = async ({ client, scheduler }: FakeAgentPool, id: string): Promise<void> => {
  const asked = client.ask(headersEvent(id));
  await scheduler.advance(1_000);
  expect(codeOf(await asked)).toBe('timed_out');
};

describe('after a call that timed out', () => {
  it('another connection carries the response event, and the late answer is ignored', async () => {
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

  it('the response event waits for capacity on another connection, never on the same one', async () => {
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

  it('the response event fails if there is no other connection, which does not count against the agent', async () => {
    const pool = await startFakePool({ connections: 1 });
    await timeOut(pool, 'a');
    expect(codeOf(await pool.client.ask(responseEvent('a')))).toBe('queue_full');
    pool.connection(0).answer('a');
    const head = pool.client.ask(responseEvent('a'));
    pool.connection(0).answer('a', refusal);
    expect(codeOf(await head)).toBe('block');
  });

  it('the completion event is still sent', async () => {
    const pool = await startFakePool({ connections: 1 });
    await timeOut(pool, 'a');
    const end = pool.client.ask(completeEvent('a'));
    pool.connection(0).answer('a');
    expect(codeOf(await end)).toBe('allow');
  });
});

describe('too many expected late answers', () => {
  const concurrent = capabilitiesWith({ concurrentRequests: 5_000 }, { maxConcurrency: 5_000 });

  it('close the connection of the oldest, so that no answer is mistaken for another', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: concurrent });
    const asked = Array.from({ length: maximumLate + 1 }, (_, index) => pool.client.ask(headersEvent(`r${index}`)));
    const [first] = pool.connector.connections;
    await pool.scheduler.advance(1_000);
    await Promise.all(asked);
    expect(first?.isOver).toBe(true);
    expect(pool.client.status()).toMatchObject({ connections: 0, inFlight: 0, queueDepth: 0 });
  });

  it('do not occur while requests end', async () => {
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
