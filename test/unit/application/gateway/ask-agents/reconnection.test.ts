import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

/** Ends the latest connection as if the agent could not be told about a cancelled call. */
const giveUp = async (pool: FakeAgentPool): Promise<void> => {
  pool.connector.connections.at(-1)?.end({ kind: 'given_up', detail: 'a call by it was given up' });
  await settled();
};

describe('a connection that the gateway closes itself', () => {
  it('is replaced at once, without a log line', async () => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    expect(pool.connector.connections).toHaveLength(2);
    pool.connection(1).ready();
    expect(pool.client.status()).toMatchObject({ state: 'healthy', connections: 1, refusal: null });
    expect(pool.logger.lines.map(({ message }) => message)).toEqual(['Agent connected']);
  });

  it('loses no call that arrives meanwhile', async () => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    const asked = pool.client.ask(headersEvent('between'));
    expect(pool.client.status()).toMatchObject({ connections: 0, queueDepth: 1 });
    pool.connection(1).ready();
    pool.connection(1).answer('between');
    expect(codeOf(await asked)).toBe('allow');
  });

  it('does not lengthen the backoff when a later connection really fails', async () => {
    const pool = await startFakePool({ connections: 1 });
    for (let time = 0; time < 20; time += 1) {
      await giveUp(pool);
      await pool.scheduler.advance(100);
      pool.connector.connections.at(-1)?.ready();
    }
    const count = pool.connector.connections.length;
    pool.connector.connections.at(-1)?.end();
    // The shortest backoff.
    await pool.scheduler.advance(49);
    expect(pool.connector.connections).toHaveLength(count);
    await pool.scheduler.advance(1);
    expect(pool.connector.connections).toHaveLength(count + 1);
  });

  it('is replaced at most ten times per second, and calls wait for the next', async () => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    pool.connection(1).ready();
    await giveUp(pool);
    const asked = pool.client.ask(headersEvent('patient'));
    await pool.scheduler.advance(99);
    expect(pool.connector.connections).toHaveLength(2);
    await pool.scheduler.advance(1);
    pool.connection(2).ready();
    pool.connection(2).answer('patient');
    expect(codeOf(await asked)).toBe('allow');
    for (let passedMs = 0; passedMs < 2_000; passedMs += 5) {
      const latest = pool.connector.connections.at(-1);
      if (latest?.isOver === false) latest.ready();
      await giveUp(pool);
      await pool.scheduler.advance(5);
    }
    expect(pool.connector.connections.length).toBeGreaterThan(3);
    expect(pool.connector.connections.length).toBeLessThanOrEqual(24);
    expect(pool.logger.lines).toHaveLength(1);
  });

  it('counts as a loss when the next one fails', async () => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    const asked = pool.client.ask(headersEvent('between'));
    pool.connection(1).end({ kind: 'ended', detail: 'connect ECONNREFUSED' });
    expect(codeOf(await asked)).toBe('unreachable');
    expect(codeOf(await pool.client.ask(headersEvent('after')))).toBe('unreachable');
    expect(pool.logger.lines.map(({ message }) => message)).toEqual(['Agent connected', 'Agent unreachable']);
    await settled();
    expect(pool.connector.connections).toHaveLength(2);
    await pool.scheduler.advance(100);
    expect(pool.connector.connections).toHaveLength(3);
  });

  it('counts as a loss if there is nothing to connect to', async () => {
    const pool = await startFakePool({ connections: 1 });
    pool.connector.outcome = { kind: 'absent', detail: 'there is no socket' };
    pool.connection(0).end({ kind: 'given_up', detail: 'a call by it was given up' });
    const asked = pool.client.ask(headersEvent('between'));
    expect(codeOf(await asked)).toBe('unreachable');
    expect(pool.logger.lines.at(-1)?.fields).toEqual({ agent: 'auth', reason: 'there is no socket' });
  });

  it('does not delay a new configuration, and its replacement delivers it', async () => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    pool.connection(1).ready();
    await giveUp(pool);
    void pool.client.configure({ v: 2 });
    await settled();
    expect(pool.connection(2).config).toEqual({ v: 2 });
  });

  it('is not replaced after the client was retired', async () => {
    const pool = await startFakePool({ connections: 2 });
    pool.client.retire({ sameConfig: false, hasSuccessor: true });
    await giveUp(pool);
    const asked = pool.client.ask(headersEvent('by the other'));
    pool.connection(0).answer('by the other');
    expect(codeOf(await asked)).toBe('allow');
    pool.connection(0).end({ kind: 'given_up', detail: 'a call by it was given up' });
    expect(codeOf(await pool.client.ask(headersEvent('late')))).toBe('unreachable');
    await pool.scheduler.advance(10_000);
    expect(pool.connector.connections).toHaveLength(2);
    expect(pool.logger.lines).toHaveLength(1);
  });

  it.each(['retire', 'stop'] as const)('leaves no timer for its replacement: %s', async (how) => {
    const pool = await startFakePool({ connections: 1 });
    await giveUp(pool);
    pool.connection(1).ready();
    await giveUp(pool);
    expect(pool.scheduler.waiting).toBe(1);
    const asked = how === 'retire' ? pool.client.ask(headersEvent('a')) : null;
    if (how === 'retire') pool.client.retire({ sameConfig: false, hasSuccessor: true });
    else await pool.client.stop(0);
    if (asked !== null) expect(codeOf(await asked)).toBe('unreachable');
    await pool.scheduler.advance(10_000);
    expect([pool.connector.connections.length, pool.scheduler.waiting]).toEqual([2, 0]);
  });
});

describe('the connection of a new call', () => {
  it('is one with few dialogues, because they would end with it', async () => {
    const pool = await startFakePool({ connections: 2 });
    const head = pool.client.ask(headersEvent('body'));
    pool.connection(0).answer('body', { needsMore: true });
    await head;
    void pool.client.ask(headersEvent('other'));
    expect(pool.connector.connections.map(({ sentIds }) => sentIds)).toEqual([['body'], ['other']]);
  });
});
