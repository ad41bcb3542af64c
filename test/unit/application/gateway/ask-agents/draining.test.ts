import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { capabilitiesWith, healthOf } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import {
  completeEvent,
  headersEvent,
  needsMoreAnswer,
  responseChunkEvent,
  responseEvent,
} from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

/** A pool of one connection whose agent has allowed a request. */
const withFollowed = async (pool?: FakeAgentPool): Promise<FakeAgentPool> => {
  const started = pool ?? (await startFakePool({ connections: 1 }));
  const asked = started.client.ask(headersEvent('a'));
  started.connection(0).answer('a');
  expect(codeOf(await asked)).toBe('allow');
  return started;
};

describe('the last connection of an agent, while it drains,', () => {
  it('carries the response, its body and the end of a known request, then closes', async () => {
    const pool = await withFollowed();
    const draining = pool.connection(0);
    draining.listener.onHealth(healthOf('draining'));
    expect(draining.isOver).toBe(false);
    expect(codeOf(await pool.client.ask(headersEvent('b')))).toBe('unreachable');
    const head = pool.client.ask(responseEvent('a'));
    draining.answer('a', needsMoreAnswer);
    expect(codeOf(await head)).toBe('allow');
    const chunk = pool.client.ask(responseChunkEvent('a'));
    draining.answer('a');
    expect(codeOf(await chunk)).toBe('allow');
    const end = pool.client.ask(completeEvent('a'));
    pool.client.conclude('a');
    expect(draining.isOver).toBe(false);
    draining.answer('a');
    expect(codeOf(await end)).toBe('allow');
    expect(draining.isOver).toBe(true);
  });

  it('gets another connection beside it for new requests', async () => {
    const pool = await withFollowed();
    const draining = pool.connection(0);
    draining.listener.onHealth(healthOf('draining'));
    await settled();
    const next = pool.connection(1);
    next.ready(capabilitiesWith());
    const fresh = pool.client.ask(headersEvent('b'));
    next.answer('b');
    expect(codeOf(await fresh)).toBe('allow');
    expect([draining.isOver, pool.client.status().connections]).toEqual([false, 2]);
    next.listener.onHealth(healthOf('draining'));
    // Only one is kept beside: an agent that always drains accumulates none.
    expect(draining.isOver).toBe(true);
    await pool.client.stop(0);
    expect(next.isOver).toBe(true);
  });

  it('closes at once if the agent supports no later events', async () => {
    const headsOnly = { ...capabilitiesWith(), supportedEvents: ['request_headers'] as const };
    const pool = await withFollowed(await startFakePool({ connections: 1, capabilities: headsOnly }));
    pool.connection(0).listener.onHealth(healthOf('draining'));
    expect(pool.connection(0).isOver).toBe(true);
  });

  it('closes after the requests that it was kept for, for any result', async () => {
    const pool = await withFollowed();
    pool.connection(0).listener.onHealth(healthOf('draining'));
    pool.client.conclude('another');
    expect(pool.connection(0).isOver).toBe(false);
    pool.client.conclude('a');
    expect(pool.connection(0).isOver).toBe(true);
  });

  it('stays for the request although another connection carries its later events', async () => {
    const pool = await startFakePool({ connections: 2 });
    const [first, second] = [pool.connection(0), pool.connection(1)];
    await withFollowed(pool);
    first.listener.onHealth(healthOf('draining'));
    expect(first.isOver).toBe(false);
    const head = pool.client.ask(responseEvent('a'));
    second.answer('a');
    expect(codeOf(await head)).toBe('allow');
    expect(first.isOver).toBe(false);
    pool.client.conclude('a');
    expect([first.isOver, second.isOver]).toEqual([true, false]);
  });

  it('is the one that carried the head, if all of them drain', async () => {
    const pool = await startFakePool({ connections: 2 });
    const [first, second] = [pool.connection(0), pool.connection(1)];
    await withFollowed(pool);
    const other = pool.client.ask(headersEvent('b'));
    first.answer('b');
    await other;
    const third = pool.client.ask(headersEvent('c'));
    expect(second.sentIds).toEqual([]);
    first.answer('c');
    await third;
    for (const { listener } of [first, second]) listener.onHealth(healthOf('draining'));
    expect([first.isOver, second.isOver]).toEqual([false, true]);
    void pool.client.ask(responseEvent('a'));
    expect(first.sentIds).toEqual(['a', 'b', 'c', 'a']);
  });

  it('keeps a queued later event until its turn, while new requests fail at once', async () => {
    const pool = await withFollowed();
    const draining = pool.connection(0);
    draining.listener.onHealth(healthOf('draining'));
    draining.isBusy = true;
    const end = pool.client.ask(completeEvent('a'));
    pool.client.conclude('a');
    await settled();
    expect([draining.isOver, pool.client.status().queueDepth]).toEqual([false, 1]);
    draining.isBusy = false;
    draining.listener.onRoom();
    draining.answer('a');
    expect(codeOf(await end)).toBe('allow');
    expect(draining.isOver).toBe(true);
  });

  it('carries nothing after the agent reports that it cannot decide', async () => {
    const pool = await withFollowed();
    pool.connection(0).listener.onHealth(healthOf('unhealthy'));
    expect(codeOf(await pool.client.ask(responseEvent('a')))).toBe('unhealthy');
  });
});
