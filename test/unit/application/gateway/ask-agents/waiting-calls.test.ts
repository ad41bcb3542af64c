import { expect, it } from 'vitest';
import type { PooledAgentClient } from '../../../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import type { FlowControl, FlowControlAction } from '../../../../../src/domain/agent-protocol/flow-control.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { PermitWorkers } from '../../../../support/gateway/permit-workers.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';

const signal = (action: FlowControlAction): FlowControl => ({ action, correlationId: null, bufferAvailable: null });

/** The outcome of a call; null: it is queued. */
const waitingFor = (client: PooledAgentClient, id: string): { code: string | null } => {
  const outcome: { code: string | null } = { code: null };
  void client.ask(headersEvent(id)).then((answered) => {
    outcome.code = answered.ok ? 'answered' : answered.error.code;
  });
  return outcome;
};

const pausedPool = async (workers: PermitWorkers, index: number): Promise<FakeAgentPool> => {
  const queue = workers.workers[index]?.book.open('agent-queue', 'auth') ?? null;
  const pool = await startFakePool({ connections: 1, maxQueueDepth: 3, queue });
  pool.connection(0).listener.onFlowControl(signal('pause'));
  return pool;
};

it("queued calls of all workers share the places of the agent's queue", async () => {
  const workers = new PermitWorkers(2, { maxAgentQueueDepth: 3 });
  const pools = [await pausedPool(workers, 0), await pausedPool(workers, 1)] as const;
  await workers.quiet();
  const calls = ['a', 'b', 'c'].map((id) => waitingFor(pools[0].client, id));
  await workers.quiet();
  expect(calls.map(({ code }) => code)).toEqual([null, null, null]);
  const over = waitingFor(pools[1].client, 'd');
  await workers.quiet();
  expect(over.code).toBe('queue_full');
  expect(pools[1].client.status().queueDepth).toBe(0);
  pools[0].connection(0).listener.onFlowControl(signal('resume'));
  await workers.quiet();
  const next = waitingFor(pools[1].client, 'e');
  await workers.quiet();
  expect([next.code, pools[1].client.status().queueDepth]).toEqual([null, 1]);
});

it('a call that is cancelled before it gets its permit returns the permit', async () => {
  const workers = new PermitWorkers(2, { maxAgentQueueDepth: 1 });
  const pool = await pausedPool(workers, 0);
  await workers.quiet();
  const call = waitingFor(pool.client, 'a');
  pool.client.cancel('a', 'client_disconnect');
  await workers.quiet();
  expect([call.code, workers.desk.contendedKeys]).toEqual(['cancelled', 0]);
});
