import { describe, expect, it } from 'vitest';
import { err } from '../../../../../src/domain/shared/result.js';
import { capabilitiesWith, healthOf } from '../../../../support/gateway/fake-agent-connector.js';
import { fakePool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const long = 'x'.repeat(100_000);

/** The most characters of an agent's text that one place keeps or logs. */
const mostCharacters = 2_500;

describe('the first handshake of an agent', () => {
  it('that is refused appears in the status, and is logged once until one succeeds', async () => {
    const pool = fakePool({ connections: 2 });
    pool.client.start();
    await settled();
    expect(pool.client.status().refusal).toBeNull();
    for (const connection of pool.connector.standing) connection.end({ kind: 'refused', detail: 'no such rule' });
    expect(pool.client.status()).toMatchObject({ state: 'unreachable', refusal: 'no such rule' });
    expect(await pool.client.ask(headersEvent('a'))).toMatchObject({ ok: false, error: { code: 'refused' } });
    for (let time = 0; time < 5; time += 1) {
      await pool.scheduler.advance(10_000);
      for (const connection of pool.connector.standing) connection.end({ kind: 'refused', detail: 'no such rule' });
    }
    expect(pool.logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(['error Agent refused']);
    await pool.scheduler.advance(10_000);
    pool.connector.standing[0]?.ready();
    expect(pool.client.status()).toMatchObject({ connections: 1, refusal: null });
  });

  it('that was refused no longer appears in the status when the agent is unreachable', async () => {
    const pool = fakePool({ connections: 1 });
    pool.client.start();
    await settled();
    pool.connection(0).end({ kind: 'refused', detail: 'no such rule' });
    pool.connector.outcome = { kind: 'absent', detail: 'there is no socket' };
    await pool.scheduler.advance(10_000);
    expect(pool.client.status().refusal).toBeNull();
  });

  it('that the gateway refuses because it does not trust the agent appears in the status too', async () => {
    const pool = fakePool({ connections: 1 });
    pool.connector.outcome = { kind: 'refused', detail: 'the socket is not trusted' };
    pool.client.start();
    await settled();
    expect(pool.client.status().refusal).toBe('the socket is not trusted');
  });

  it('is repeated at once with the next configuration, and its success clears the refusal', async () => {
    const pool = fakePool({ connections: 1 });
    pool.client.start();
    await settled();
    pool.connection(0).end({ kind: 'refused', detail: 'no such rule' });
    void pool.client.configure({ v: 2 });
    await settled();
    expect(pool.connection(1).config).toEqual({ v: 2 });
    pool.connection(1).ready();
    expect(pool.client.status().refusal).toBeNull();
  });
});

describe('a long text of an agent', () => {
  it('is truncated in the status and in the log', async () => {
    const pool = await startFakePool({
      connections: 1,
      capabilities: { ...capabilitiesWith(), agentId: long, version: long },
    });
    const { listener } = pool.connection(0);
    const update = (kind: 'config_error' | 'restart_required') =>
      kind === 'config_error' ? ({ kind, error: long, field: long } as const) : ({ kind, reason: long } as const);
    listener.onConfigUpdate({ requestId: long, update: update('config_error') });
    listener.onConfigUpdate({ requestId: long, update: update('restart_required') });
    listener.onHealth(
      healthOf('degraded', { message: long, disabledFeatures: Array.from({ length: 10_000 }, () => long) }),
    );
    listener.onUnreadableReport(long);
    const { health, refusal } = pool.client.status();
    expect(refusal).toHaveLength(500);
    expect(health?.message).toHaveLength(500);
    expect(health?.disabledFeatures).toHaveLength(32);
    expect(JSON.stringify(health).length).toBeLessThan(33 * 600);
    pool.connection(0).end({ kind: 'malformed', detail: long });
    await settled();
    await pool.scheduler.advance(10_000);
    pool.connector.standing[0]?.end({ kind: 'refused', detail: long });
    expect(pool.logger.lines.map(({ message }) => message)).toEqual([
      'Agent connected',
      'Agent refuses its configuration',
      'Agent asks for a restart',
      'Agent reports its state',
      'Agent sent an unreadable report',
      'Agent sent unreadable data',
      'Agent unreachable',
      'Agent refused',
    ]);
    for (const line of pool.logger.lines) expect(JSON.stringify(line).length).toBeLessThan(mostCharacters);
    expect(pool.client.status().refusal).toHaveLength(500);
  });

  it('is truncated in the outcome of a call', async () => {
    const pool = await startFakePool({ connections: 1 });
    const calls = ['a', 'b'].map((id) => pool.client.ask(headersEvent(id)));
    pool.connection(0).listener.onAnswer('a', err(long));
    pool.connection(0).end({ kind: 'ended', detail: long });
    for (const outcome of await Promise.all(calls)) {
      expect(outcome.ok || outcome.error.detail.length).toBe(500);
    }
  });

  it('is truncated in the reason of a refused configuration', async () => {
    const pool = await startFakePool({ connections: 1 });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    pool.connection(0).configures[0]?.settle(err({ kind: 'refused', reason: long }));
    const outcome = await configured;
    expect(outcome.ok || outcome.error.reason.length).toBe(500);
    expect(pool.client.status().refusal).toHaveLength(500);
  });

  it('about its health is kept while its connection is open, for any reported validity', async () => {
    const pool = await startFakePool({ connections: 1 });
    pool.connection(0).listener.onHealth(healthOf('unhealthy', { validForMs: 1 }));
    await pool.scheduler.advance(3_600_000);
    expect(pool.client.status()).toMatchObject({ state: 'unhealthy', health: { validForMs: 1 } });
  });
});
