import { describe, expect, it } from 'vitest';
import type { AgentOutcome, ConfigureOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { capabilitiesWith, type FakeAgentConnection } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const taken: ConfigureOutcome = ok(undefined);
const refused = (reason: string): ConfigureOutcome => err({ kind: 'refused', reason });
const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const configError = (connection: FakeAgentConnection, error: string, field: string | null = null): void =>
  connection.listener.onConfigUpdate({ requestId: 'r', update: { kind: 'config_error', error, field } });

const requestReload = (connection: FakeAgentConnection): void =>
  connection.listener.onConfigUpdate({ requestId: 'r', update: { kind: 'request_reload' } });

/** Every connection accepts its configuration, like a transport that only sends it. */
const takeAll = (pool: FakeAgentPool): void => {
  for (const connection of pool.connector.standing) {
    connection.configure = (config) => {
      connection.configures.push({ config, settle: () => {} });
      return Promise.resolve(taken);
    };
  }
};

/** The configuration in the handshake of the next connection. */
const nextHandshake = async (pool: FakeAgentPool): Promise<unknown> => {
  const count = pool.connector.connections.length;
  pool.connector.standing[0]?.end();
  await pool.scheduler.advance(10_000);
  return pool.connection(count).config;
};

const refusals = (pool: FakeAgentPool) =>
  pool.logger.lines.filter(({ message }) => message === 'Agent refuses its configuration');

describe('a configuration for an agent that accepts one on an open connection', () => {
  it('is delivered on every connection after the first has accepted it', async () => {
    const pool = await startFakePool({ connections: 3 });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    expect(pool.connector.connections.map(({ configures }) => configures.length)).toEqual([1, 0, 0]);
    pool.connection(0).configures[0]?.settle(taken);
    await settled();
    expect(pool.connector.connections.map(({ configures }) => configures[0]?.config)).toEqual(Array(3).fill({ v: 2 }));
    for (const index of [1, 2]) pool.connection(index).configures[0]?.settle(taken);
    expect(await configured).toEqual(taken);
    expect(await nextHandshake(pool)).toEqual({ v: 2 });
  });

  it('stays the old one after a refusal, which the status shows until another one is accepted', async () => {
    const pool = await startFakePool({ connections: 1 });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    pool.connection(0).configures[0]?.settle(refused('too new'));
    expect(await configured).toEqual(refused('too new'));
    expect(pool.client.status().refusal).toBe('too new');
    const again = pool.client.configure({ v: 3 });
    await settled();
    pool.connection(0).configures[1]?.settle(taken);
    expect(await again).toEqual(taken);
    expect(pool.client.status().refusal).toBeNull();
  });
});

describe('a later refusal', () => {
  it('restores the previous configuration for new handshakes, and is shown and logged once', async () => {
    const pool = await startFakePool({ connections: 2 });
    takeAll(pool);
    expect(await pool.client.configure({ v: 2 })).toEqual(taken);
    expect(pool.client.status().refusal).toBeNull();
    for (const connection of pool.connector.standing) configError(connection, 'no such colour', 'colour');
    expect(pool.client.status().refusal).toBe('colour: no such colour');
    expect(refusals(pool)).toMatchObject([
      { level: 'error', fields: { agent: 'auth', reason: 'colour: no such colour' } },
    ]);
    expect(await nextHandshake(pool)).toEqual({ v: 1 });
    expect(pool.client.status().refusal).toBe('colour: no such colour');
  });

  it('counts for the delivery under way if it arrives before the result of sending', async () => {
    const pool = await startFakePool({ connections: 1 });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    configError(pool.connection(0), 'bad');
    pool.connection(0).configures[0]?.settle(taken);
    expect(await configured).toEqual(refused('bad'));
    expect(pool.client.status().refusal).toBe('bad');
    expect(await nextHandshake(pool)).toEqual({ v: 1 });
  });

  it('does not change a configuration that has been in force for long', async () => {
    const pool = await startFakePool({ connections: 1 });
    takeAll(pool);
    await pool.client.configure({ v: 2 });
    await pool.scheduler.advance(60_000);
    configError(pool.connection(0), 'on second thoughts');
    expect(pool.client.status().refusal).toBe('on second thoughts');
    expect(await nextHandshake(pool)).toEqual({ v: 2 });
  });

  it('restores only the previous configuration, never an older one', async () => {
    const pool = await startFakePool({ connections: 1 });
    takeAll(pool);
    for (const v of [2, 3]) await pool.client.configure({ v });
    configError(pool.connection(0), 'bad');
    configError(pool.connection(0), 'bad');
    expect(await nextHandshake(pool)).toEqual({ v: 2 });
  });

  it('keeps at most 500 characters of the reason', async () => {
    const pool = await startFakePool({ connections: 1 });
    configError(pool.connection(0), 'x'.repeat(5_000));
    expect(pool.client.status().refusal).toHaveLength(500);
    expect(await nextHandshake(pool)).toEqual({ v: 1 });
  });
});

describe('an agent that asks for its configuration', () => {
  it('gets it on that connection, and not again at once', async () => {
    const pool = await startFakePool({ connections: 2 });
    takeAll(pool);
    for (let index = 0; index < 100; index += 1) requestReload(pool.connection(1));
    requestReload(pool.connection(0));
    await settled();
    expect(pool.connector.connections.map(({ configures }) => configures.map(({ config }) => config))).toEqual([
      [],
      [{ v: 1 }],
    ]);
    await pool.scheduler.advance(5_000);
    requestReload(pool.connection(0));
    await settled();
    expect(pool.connection(0).configures).toHaveLength(1);
  });

  it('may refuse it, and continues', async () => {
    const pool = await startFakePool({ connections: 1 });
    requestReload(pool.connection(0));
    await settled();
    pool.connection(0).configures[0]?.settle(refused('no longer'));
    await settled();
    expect(pool.client.status()).toMatchObject({ refusal: 'no longer', connections: 1 });
    expect(refusals(pool)).toHaveLength(1);
    await pool.scheduler.advance(5_000);
    requestReload(pool.connection(0));
    await settled();
    pool.connection(0).configures[1]?.settle(taken);
    await settled();
    expect(pool.client.status().refusal).toBeNull();
  });

  it('still refuses the one in force when it accepts the previous one', async () => {
    const pool = await startFakePool({ connections: 1 });
    takeAll(pool);
    await pool.client.configure({ v: 2 });
    configError(pool.connection(0), 'bad');
    requestReload(pool.connection(0));
    await settled();
    expect(pool.connection(0).configures.map(({ config }) => config)).toEqual([{ v: 2 }, { v: 1 }]);
    expect(pool.client.status().refusal).toBe('bad');
  });

  it('reconnects to get it if it accepts none on an open connection', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: capabilitiesWith({ configPush: false }) });
    requestReload(pool.connection(0));
    await settled();
    expect(pool.connection(0).isOver).toBe(true);
    expect(pool.connection(0).configures).toEqual([]);
    expect(pool.connection(1).config).toEqual({ v: 1 });
  });
});

describe('a configuration for an agent that accepts it only in handshakes', () => {
  const capabilities = capabilitiesWith({ configPush: false });

  it('replaces one connection after the other, each when it is idle', async () => {
    const pool = await startFakePool({ connections: 2, capabilities });
    const held = pool.client.ask(headersEvent('held'));
    const configured = pool.client.configure({ v: 2 });
    await settled();
    expect(pool.connector.connections.flatMap(({ configures }) => configures)).toEqual([]);
    // The first still has a call: neither is closed, and new calls use the other.
    expect(pool.connector.standing).toHaveLength(2);
    const next = pool.client.ask(headersEvent('next'));
    expect(pool.connection(1).sentIds).toEqual(['next']);
    pool.connection(0).answer('held');
    await settled();
    expect(codeOf(await held)).toBe('allow');
    expect([pool.connection(0).isOver, pool.connection(1).isOver]).toEqual([true, false]);
    expect(pool.connection(2).config).toEqual({ v: 2 });
    pool.connection(2).ready(capabilities);
    expect(await configured).toEqual(taken);
    pool.connection(1).answer('next');
    expect(codeOf(await next)).toBe('allow');
    await settled();
    expect(pool.connection(1).isOver).toBe(true);
    expect(pool.connection(3).config).toEqual({ v: 2 });
    pool.connection(3).ready(capabilities);
    await pool.scheduler.advance(60_000);
    expect(pool.connector.connections).toHaveLength(4);
    expect(pool.connector.standing).toHaveLength(2);
  });

  it('makes calls wait for the only connection, and loses none', async () => {
    const pool = await startFakePool({ connections: 1, capabilities });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    const asked = pool.client.ask(headersEvent('between'));
    expect(pool.client.status()).toMatchObject({ connections: 0, queueDepth: 1 });
    pool.connection(1).ready(capabilities);
    expect(pool.connection(1).sentIds).toEqual(['between']);
    pool.connection(1).answer('between');
    expect(codeOf(await asked)).toBe('allow');
    expect(await configured).toEqual(taken);
    expect(pool.logger.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('waits for the end of a dialogue, but not forever', async () => {
    const pool = await startFakePool({ connections: 1, capabilities });
    const head = pool.client.ask(headersEvent('d'));
    pool.connection(0).answer('d', needsMoreAnswer);
    await head;
    void pool.client.configure({ v: 2 });
    await settled();
    expect(pool.connection(0).isOver).toBe(false);
    await pool.scheduler.advance(30_000);
    expect(pool.connection(0).isOver).toBe(true);
    expect(pool.connection(1).config).toEqual({ v: 2 });
  });

  it('stays the old one if the next handshake refuses it', async () => {
    const pool = await startFakePool({ connections: 2, capabilities });
    const configured = pool.client.configure({ v: 2 });
    await settled();
    pool.connection(2).end({ kind: 'refused', detail: 'too new' });
    expect(await configured).toEqual(refused('too new'));
    expect(pool.client.status()).toMatchObject({ refusal: 'too new', connections: 1 });
    await settled();
    expect(pool.connection(3).config).toEqual({ v: 1 });
    pool.connection(3).ready(capabilities);
    await pool.scheduler.advance(60_000);
    expect(pool.connector.standing).toHaveLength(2);
  });

  it('is delivered in later handshakes if the agent is gone when the connection is replaced', async () => {
    const pool = await startFakePool({ connections: 1, capabilities });
    pool.connector.outcome = { kind: 'absent', detail: 'there is no socket' };
    const configured = pool.client.configure({ v: 2 });
    await settled();
    expect(await configured).toEqual(err({ kind: 'no_answer', reason: 'there is no socket' }));
    expect(codeOf(await pool.client.ask(headersEvent('a')))).toBe('unreachable');
    pool.connector.outcome = { kind: 'ready' };
    await pool.scheduler.advance(1_000);
    expect(pool.connection(1).config).toEqual({ v: 2 });
  });

  it('changes nothing if the agent already has it', async () => {
    const pool = await startFakePool({ connections: 2, capabilities });
    expect(await pool.client.configure({ v: 1 })).toEqual(taken);
    await pool.scheduler.advance(1_000);
    expect(pool.connector.connections).toHaveLength(2);
  });

  it('closes no connection of a client that is retired at the same moment', async () => {
    const pool = await startFakePool({ connections: 2, capabilities });
    const configured = pool.client.configure({ v: 2 });
    pool.client.retire({ sameConfig: false, hasSuccessor: true });
    expect(await configured).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
    await settled();
    expect(pool.connector.standing).toHaveLength(2);
    const asked = pool.client.ask(headersEvent('still'));
    pool.connector.standing.find(({ sentIds }) => sentIds.length > 0)?.answer('still');
    expect(codeOf(await asked)).toBe('allow');
  });

  it('gets no outcome from a client that is retired while a connection waits to be replaced', async () => {
    const pool = await startFakePool({ connections: 1, capabilities });
    const held = pool.client.ask(headersEvent('held'));
    const configured = pool.client.configure({ v: 2 });
    await settled();
    pool.client.retire({ sameConfig: false, hasSuccessor: true });
    expect(await configured).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
    pool.connection(0).answer('held');
    expect(codeOf(await held)).toBe('allow');
    const later = pool.client.ask(headersEvent('later'));
    pool.connection(0).answer('later');
    expect(codeOf(await later)).toBe('allow');
    await pool.scheduler.advance(60_000);
    expect(pool.connector.connections).toHaveLength(1);
    await pool.client.stop(0);
    expect(pool.scheduler.waiting).toBe(0);
  });
});
