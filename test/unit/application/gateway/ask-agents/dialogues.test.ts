import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type {
  ResponseBodyChunkEvent,
  ResponseHeadersEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const responseHead = (correlationId: string): ResponseHeadersEvent => ({
  kind: 'response_headers',
  correlationId,
  status: 200,
  headers: [],
});

const responseChunk = (correlationId: string): ResponseBodyChunkEvent => ({
  kind: 'response_body_chunk',
  correlationId,
  data: new Uint8Array(0),
  isLast: false,
  totalSize: null,
  chunkIndex: 0,
  bytesSent: 0,
});

/** The agent asks for the body that belongs to a head. */
const open = async (pool: FakeAgentPool, head: ReturnType<typeof headersEvent> | ResponseHeadersEvent) => {
  const asked = pool.client.ask(head);
  pool.connection(0).answer(head.correlationId, needsMoreAnswer);
  expect((await asked).ok).toBe(true);
};

describe('a dialogue about a body', () => {
  it('ends when one of its calls is cancelled, and the agent gets one cancel', async () => {
    const pool = await startFakePool({ connections: 1 });
    await open(pool, headersEvent('d'));
    const chunk = pool.client.ask(chunkEvent('d', { isLast: false }));
    pool.client.cancel('d', 'client_disconnect');
    expect(codeOf(await chunk)).toBe('cancelled');
    expect(pool.connection(0).cancels).toEqual(['d']);
    expect(codeOf(await pool.client.ask(chunkEvent('d')))).toBe('disconnected');
    // Nothing is pending.
    await pool.client.stop(10_000);
    expect(pool.scheduler.waiting).toBe(0);
  });

  it('ends when one of its calls times out', async () => {
    const pool = await startFakePool({ connections: 1, timeoutMs: 100 });
    await open(pool, headersEvent('d'));
    const chunk = pool.client.ask(chunkEvent('d', { isLast: false }));
    await pool.scheduler.advance(100);
    expect(codeOf(await chunk)).toBe('timed_out');
    expect(pool.connection(0).cancels).toEqual(['d']);
    await pool.client.stop(10_000);
    expect(pool.scheduler.waiting).toBe(0);
  });

  it('about a response is separate', async () => {
    const pool = await startFakePool({ connections: 1 });
    await open(pool, responseHead('r'));
    expect(codeOf(await pool.client.ask(chunkEvent('r')))).toBe('disconnected');
    expect(codeOf(await pool.client.ask(responseHead('r')))).toBe('unreachable');
    const chunk = pool.client.ask(responseChunk('r'));
    pool.connection(0).answer('r', needsMoreAnswer);
    expect(codeOf(await chunk)).toBe('allow');
    const last = pool.client.ask({ ...responseChunk('r'), isLast: true, chunkIndex: 1 });
    pool.connection(0).answer('r');
    expect(codeOf(await last)).toBe('allow');
    expect(codeOf(await pool.client.ask(responseChunk('r')))).toBe('disconnected');
  });

  it('about a request leaves none for its response', async () => {
    const pool = await startFakePool({ connections: 1 });
    await open(pool, headersEvent('d'));
    expect(codeOf(await pool.client.ask(responseChunk('d')))).toBe('disconnected');
    const last = pool.client.ask(chunkEvent('d'));
    pool.connection(0).answer('d');
    await last;
    expect(codeOf(await pool.client.ask(responseChunk('d')))).toBe('disconnected');
    await open(pool, responseHead('d'));
  });

  it('ends with its connection, and its queued call fails', async () => {
    const pool = await startFakePool({ connections: 2 });
    await open(pool, headersEvent('d'));
    pool.connection(0).isBusy = true;
    const waiting = pool.client.ask(chunkEvent('d'));
    expect(pool.client.status().queueDepth).toBe(1);
    pool.connection(0).end();
    expect(codeOf(await waiting)).toBe('disconnected');
    expect(pool.connection(1).sentIds).toEqual([]);
    expect(pool.client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('is closed if a chunk cannot be sent', async () => {
    const pool = await startFakePool({ connections: 1 });
    await open(pool, headersEvent('d'));
    pool.connection(0).fits = false;
    expect(codeOf(await pool.client.ask(chunkEvent('d')))).toBe('unreachable');
    expect(pool.connection(0).cancels).toEqual(['d']);
    expect(pool.client.status().inFlight).toBe(0);
  });
});
