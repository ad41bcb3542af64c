import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { capabilitiesWith, healthOf } from '../../../../support/gateway/fake-agent-connector.js';
import { startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

describe('an agent that reports its health', () => {
  it('gets no calls while every connection is unhealthy, and gets calls again afterwards', async () => {
    const pool = await startFakePool();
    const { client } = pool;
    for (const { listener } of pool.connector.connections) listener.onHealth(healthOf('unhealthy'));
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unhealthy');
    expect(client.status()).toMatchObject({ state: 'unhealthy', connections: 2, inFlight: 0 });
    expect(pool.connector.connections.flatMap(({ sentIds }) => sentIds)).toEqual([]);
    pool.connection(0).listener.onHealth(healthOf('degraded', { message: 'slow' }));
    const asked = client.ask(headersEvent('b'));
    expect(pool.connection(0).sentIds).toEqual(['b']);
    pool.connection(0).answer('b');
    expect(codeOf(await asked)).toBe('allow');
  });

  it('fails its queued calls at once, but not those in flight', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: capabilitiesWith({ concurrentRequests: 1 }) });
    const [held, waiting] = [pool.client.ask(headersEvent('held')), pool.client.ask(headersEvent('waiting'))];
    pool.connection(0).listener.onHealth(healthOf('unhealthy'));
    expect(codeOf(await waiting)).toBe('unhealthy');
    pool.connection(0).answer('held');
    expect(codeOf(await held)).toBe('allow');
  });

  it('continues a dialogue that it began', async () => {
    const pool = await startFakePool({ connections: 1 });
    const head = pool.client.ask(headersEvent('d'));
    pool.connection(0).answer('d', needsMoreAnswer);
    await head;
    pool.connection(0).listener.onHealth(healthOf('unhealthy'));
    const chunk = pool.client.ask(chunkEvent('d'));
    pool.connection(0).answer('d');
    expect(codeOf(await chunk)).toBe('allow');
  });

  it('gets no new calls on a draining connection, which closes when it is done', async () => {
    const pool = await startFakePool();
    const calls = ['a', 'b'].map((id) => pool.client.ask(headersEvent(id)));
    const [draining, other] = [pool.connection(0), pool.connection(1)];
    expect([draining.sentIds, other.sentIds]).toEqual([['a'], ['b']]);
    draining.listener.onHealth(healthOf('draining'));
    for (const id of ['c', 'd']) calls.push(pool.client.ask(headersEvent(id)));
    expect([draining.sentIds, other.sentIds]).toEqual([['a'], ['b', 'c', 'd']]);
    expect(draining.isOver).toBe(false);
    draining.answer('a');
    // The agent may still be asked about the response.
    expect(draining.isOver).toBe(false);
    pool.client.conclude('a');
    expect(draining.isOver).toBe(true);
    for (const id of other.sentIds) other.answer(id);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['allow', 'allow', 'allow', 'allow']);
  });

  it('is unhealthy if its other connections drain, and unreachable if all drain', async () => {
    const pool = await startFakePool();
    const held = ['a', 'b'].map((id) => pool.client.ask(headersEvent(id)));
    pool.connection(0).listener.onHealth(healthOf('draining'));
    pool.connection(1).listener.onHealth(healthOf('unhealthy'));
    expect(codeOf(await pool.client.ask(headersEvent('c')))).toBe('unhealthy');
    pool.connection(1).listener.onHealth(healthOf('draining'));
    expect(codeOf(await pool.client.ask(headersEvent('d')))).toBe('unreachable');
    expect(pool.client.status().state).toBe('draining');
    pool.connection(0).answer('a');
    pool.connection(1).answer('b');
    await Promise.all(held);
  });

  it('shows the last report of its worst state', async () => {
    const pool = await startFakePool({ connections: 3 });
    expect(pool.client.status()).toMatchObject({ state: 'healthy', health: null });
    pool.connection(0).listener.onHealth(healthOf('degraded', { message: 'earlier' }));
    pool.clock.advance(10);
    pool.connection(1).listener.onHealth(healthOf('degraded', { message: 'later' }));
    pool.clock.advance(10);
    pool.connection(2).listener.onHealth(healthOf('healthy', { message: 'fine' }));
    expect(pool.client.status()).toMatchObject({ state: 'degraded', health: { message: 'later' } });
    // A report is kept while its connection is open.
    pool.connection(1).end();
    expect(pool.client.status()).toMatchObject({ state: 'degraded', health: { message: 'earlier' } });
    pool.connection(0).end();
    expect(pool.client.status()).toMatchObject({ state: 'healthy', health: { message: 'fine' } });
  });
});
