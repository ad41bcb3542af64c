import { describe, expect, it } from 'vitest';
import { flowControlEffect } from '../../../../../src/application/gateway/ask-agents/flow-control-effect.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { FlowControl, FlowControlAction } from '../../../../../src/domain/agent-protocol/flow-control.js';
import { capabilitiesWith } from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const signal = (action: FlowControlAction, correlationId: string | null = null): FlowControl => ({
  action,
  correlationId,
  bufferAvailable: null,
});

const openDialogue = async (pool: FakeAgentPool, id: string): Promise<void> => {
  const head = pool.client.ask(headersEvent(id));
  for (const connection of pool.connector.standing)
    if (connection.sentIds.includes(id)) connection.answer(id, needsMoreAnswer);
  await head;
};

describe('flowControlEffect', () => {
  it.each<[FlowControlAction, number | null, ReturnType<typeof flowControlEffect>]>([
    ['pause', null, 'pause'],
    ['pause', 9, 'pause'],
    ['resume', null, 'resume'],
    ['resume', 0, 'resume'],
    ['update_capacity', 0, 'pause'],
    ['update_capacity', 1, 'resume'],
    ['update_capacity', null, null],
  ])('turns %s with %s into %s', (action, bufferAvailable, pace) => {
    expect(flowControlEffect({ correlationId: null, action, bufferAvailable })).toBe(pace);
  });
});

describe('an agent that asks for a pause', () => {
  it('gets nothing on that connection until it resumes; other connections continue', async () => {
    const pool = await startFakePool();
    pool.connection(0).listener.onFlowControl(signal('pause'));
    const [first, second] = ['a', 'b'].map((id) => pool.client.ask(headersEvent(id)));
    expect(pool.connection(0).sentIds).toEqual([]);
    expect(pool.connection(1).sentIds).toEqual(['a', 'b']);
    pool.connection(1).listener.onFlowControl(signal('pause'));
    const third = pool.client.ask(headersEvent('c'));
    expect(pool.client.status()).toMatchObject({ inFlight: 2, queueDepth: 1 });
    pool.connection(0).listener.onFlowControl(signal('resume'));
    expect(pool.connection(0).sentIds).toEqual(['c']);
    pool.connection(0).answer('c');
    for (const id of ['a', 'b']) pool.connection(1).answer(id);
    expect((await Promise.all([first, second, third])).map((outcome) => outcome?.ok)).toEqual([true, true, true]);
  });

  it('does not extend the timeout of calls or the queue', async () => {
    const pool = await startFakePool({ connections: 1, maxQueueDepth: 2, timeoutMs: 500 });
    pool.connection(0).listener.onFlowControl(signal('pause'));
    const waiting = ['a', 'b'].map((id) => pool.client.ask(headersEvent(id)));
    expect(codeOf(await pool.client.ask(headersEvent('c')))).toBe('queue_full');
    await pool.scheduler.advance(500);
    expect((await Promise.all(waiting)).map(codeOf)).toEqual(['timed_out', 'timed_out']);
    expect(pool.connection(0).sentIds).toEqual([]);
    expect(pool.client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('does not pause the next connection', async () => {
    const pool = await startFakePool({ connections: 1 });
    pool.connection(0).listener.onFlowControl(signal('pause'));
    pool.connection(0).end();
    await pool.scheduler.advance(1_000);
    pool.connection(1).ready();
    void pool.client.ask(headersEvent('a'));
    expect(pool.connection(1).sentIds).toEqual(['a']);
  });

  it('can pause the chunks of one request only', async () => {
    const pool = await startFakePool({ connections: 1 });
    for (const id of ['held', 'free']) await openDialogue(pool, id);
    const connection = pool.connection(0);
    connection.listener.onFlowControl(signal('pause', 'held'));
    const [held, free] = ['held', 'free'].map((id) => pool.client.ask(chunkEvent(id)));
    expect(connection.sentIds).toEqual(['held', 'free', 'free']);
    connection.answer('free');
    expect((await free)?.ok).toBe(true);
    connection.listener.onFlowControl(signal('resume', 'held'));
    expect(connection.sentIds).toEqual(['held', 'free', 'free', 'held']);
    connection.answer('held');
    expect((await held)?.ok).toBe(true);
  });

  it('can pause chunks before it asks for the body', async () => {
    const pool = await startFakePool({ connections: 1 });
    const connection = pool.connection(0);
    const head = pool.client.ask(headersEvent('d'));
    connection.listener.onFlowControl(signal('pause', 'd'));
    connection.answer('d', needsMoreAnswer);
    await head;
    const chunk = pool.client.ask(chunkEvent('d'));
    expect(connection.sentIds).toEqual(['d']);
    pool.client.cancel('d', 'client_disconnect');
    expect(codeOf(await chunk)).toBe('cancelled');
    expect(connection.cancels).toEqual(['d']);
  });

  it('cannot pause a request of another connection, and an unknown request has no effect', async () => {
    const pool = await startFakePool();
    await openDialogue(pool, 'd');
    const owner = pool.connector.connections.find(({ sentIds }) => sentIds.includes('d'));
    const other = pool.connector.connections.find((connection) => connection !== owner);
    other?.listener.onFlowControl(signal('pause', 'd'));
    other?.listener.onFlowControl(signal('pause', 'nobody'));
    other?.listener.onFlowControl(signal('pause', '__proto__'));
    void pool.client.ask(chunkEvent('d'));
    expect(owner?.sentIds).toEqual(['d', 'd']);
  });

  it('does not delay calls that queue behind a paused chunk', async () => {
    const pool = await startFakePool({ connections: 1, capabilities: capabilitiesWith({ concurrentRequests: 1 }) });
    const connection = pool.connection(0);
    await openDialogue(pool, 'held');
    connection.listener.onFlowControl(signal('pause', 'held'));
    void pool.client.ask(chunkEvent('held'));
    const [first, second] = [pool.client.ask(headersEvent('first')), pool.client.ask(headersEvent('second'))];
    connection.answer('first');
    connection.answer('second');
    expect([codeOf(await first), codeOf(await second)]).toEqual(['allow', 'allow']);
  });
});
