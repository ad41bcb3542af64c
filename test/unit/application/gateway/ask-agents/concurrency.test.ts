import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

describe('the calls in flight to one agent', () => {
  it.each<[string, number, number, number]>([
    ['its limit', 3, 0, 3],
    ['its features', 100, 2, 2],
    ['the smaller of both', 2, 5, 2],
    ['the default if the agent declares none', 0, 0, 100],
  ])('never exceed %s, over all connections', async (_case, maxConcurrency, concurrentRequests, most) => {
    const capabilities = capabilitiesWith({ concurrentRequests }, { maxConcurrency });
    const { client, connector } = await startFakePool({ connections: 3, maxQueueDepth: 1_000, capabilities });
    const sent = () => connector.connections.flatMap(({ sentIds }) => sentIds);
    const asked = Array.from({ length: most + 7 }, (_, index) => client.ask(headersEvent(`c${index}`)));
    expect(sent()).toHaveLength(most);
    expect(client.status()).toMatchObject({ inFlight: most, queueDepth: 7 });
    for (let answered = 0; answered < most + 7; answered += 1) {
      const id = sent()[answered] as string;
      connector.connections.find(({ sentIds }) => sentIds.includes(id))?.answer(id);
      expect(client.status().inFlight).toBeLessThanOrEqual(most);
    }
    expect((await Promise.all(asked)).map(codeOf)).toEqual(asked.map(() => 'allow'));
    expect(new Set(sent()).size).toBe(most + 7);
  });

  it('obey the smallest limit of all connections, while that connection is open', async () => {
    const pool = await startFakePool({ connections: 2, capabilities: capabilitiesWith({ concurrentRequests: 4 }) });
    pool.connection(1).end();
    await pool.scheduler.advance(1_000);
    pool.connection(2).ready(capabilitiesWith({ concurrentRequests: 1 }));
    const asked = ['a', 'b', 'c'].map((id) => pool.client.ask(headersEvent(id)));
    expect(pool.client.status()).toMatchObject({ inFlight: 1, queueDepth: 2 });
    pool.connection(2).end();
    expect(pool.client.status().inFlight).toBeGreaterThanOrEqual(2);
    for (const id of pool.connection(0).sentIds) pool.connection(0).answer(id);
    expect((await Promise.all(asked)).map(codeOf)).toContain('allow');
  });

  it('leave capacity to queued calls when their connection ends', async () => {
    const pool = await startFakePool({ connections: 2, capabilities: capabilitiesWith({ concurrentRequests: 1 }) });
    const first = pool.client.ask(headersEvent('first'));
    const second = pool.client.ask(headersEvent('second'));
    const carrier = pool.connection(0).sentIds.length === 1 ? pool.connection(0) : pool.connection(1);
    carrier.end();
    expect(codeOf(await first)).toBe('disconnected');
    const other = carrier === pool.connection(0) ? pool.connection(1) : pool.connection(0);
    expect(other.sentIds).toEqual(['second']);
    other.answer('second');
    expect(codeOf(await second)).toBe('allow');
  });

  it('share the connection that batches in this turn, and are spread otherwise', async () => {
    const pool = await startFakePool({ connections: 2 });
    const ask = (id: string) => void pool.client.ask(headersEvent(id));
    ask('a');
    pool.connection(0).isGathering = true;
    ask('b');
    ask('c');
    pool.connection(0).isGathering = false;
    ask('d');
    pool.connection(1).isGathering = true;
    ask('e');
    expect(pool.connector.connections.map(({ sentIds }) => sentIds)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    pool.connection(1).isBusy = true;
    ask('f');
    expect(pool.connection(0).sentIds).toContain('f');
  });

  it('are limited to one on a connection that reports that it is busy', async () => {
    const pool = await startFakePool({ connections: 2 });
    const asked = ['a', 'b', 'c'].map((id) => {
      const call = pool.client.ask(headersEvent(id));
      for (const connection of pool.connector.connections) connection.isBusy = connection.sentIds.length > 0;
      return call;
    });
    expect(pool.connector.connections.map(({ sentIds }) => sentIds)).toEqual([['a'], ['b']]);
    pool.connection(1).isBusy = false;
    pool.connection(1).answer('b');
    expect(pool.connection(1).sentIds).toEqual(['b', 'c']);
    pool.connection(1).answer('c');
    pool.connection(0).answer('a');
    expect((await Promise.all(asked)).map(codeOf)).toEqual(['allow', 'allow', 'allow']);
  });
});

describe('a call that cannot be sent', () => {
  it('fails, and uses no capacity', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: capabilitiesWith({ concurrentRequests: 1 }) });
    pool.connection(0).fits = false;
    expect(codeOf(await pool.client.ask(headersEvent('large')))).toBe('unreachable');
    pool.connection(0).fits = true;
    const asked = pool.client.ask(headersEvent('small'));
    pool.connection(0).answer('small');
    expect(codeOf(await asked)).toBe('allow');
  });

  it('fails once if the connection ends because of it', async () => {
    const pool = await startFakePool({ connections: 1 });
    const connection = pool.connection(0);
    connection.sendEvent = () => {
      connection.end();
      return false;
    };
    expect(codeOf(await pool.client.ask(headersEvent('last')))).toBe('disconnected');
    expect(pool.client.status()).toMatchObject({ inFlight: 0, queueDepth: 0, connections: 0 });
  });
});

describe('the completion event of a request', () => {
  it('is sent although the answer to a cancelled call of the request may still arrive', async () => {
    const pool = await startFakePool({ connections: 1 });
    const asked = pool.client.ask(headersEvent('gone'));
    pool.client.cancel('gone', 'client_disconnect');
    expect(codeOf(await asked)).toBe('cancelled');
    const told = pool.client.ask({
      kind: 'request_complete',
      correlationId: 'gone',
      status: 499,
      durationMs: 5,
      requestBodySize: 0,
      responseBodySize: 0,
      upstreamAttempts: 0,
      upstream: null,
      error: 'client_disconnected',
    });
    expect(pool.connection(0).events.map(({ kind }) => kind)).toEqual(['request_headers', 'request_complete']);
    pool.connection(0).answer('gone');
    expect(codeOf(await told)).toBe('allow');
    pool.connection(0).answer('gone');
    // No state is left: the id is free.
    const again = pool.client.ask(headersEvent('gone'));
    await settled();
    pool.connection(0).answer('gone');
    expect(codeOf(await again)).toBe('allow');
  });
});
