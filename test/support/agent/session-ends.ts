import type { Agent } from 'node:http';
import { expect } from 'vitest';
import type { CleanUp } from '../shared/clean-up.js';
import type { GatewayStack } from '../shared/gateway-stack.js';
import { runAgent } from '../shared/running-gateway.js';
import { asAdmin, connectionsToEach } from '../shared/worker-stack.js';
import type { SeededSession } from './seeded-sessions.js';

const pauseMs = 50;
/** Members of the agent block. */
export const seededAgentMembers = 'events "request_headers" "request_body_chunk"; timeout-ms 10000';
/** The bounds of a revocation: at the workers of the gateway that was asked, and everywhere. */
export const atWorkersMs = 1_000;
export const everywhereMs = 5_000;
/** No session may count for longer, or the test gives up. */
const patienceMs = 60_000;

/** A connection to one worker. */
export interface ReachedWorker {
  readonly stack: GatewayStack;
  readonly connection: Agent;
}

export const reachedWorkers = async (cleanUp: CleanUp, stack: GatewayStack): Promise<readonly ReachedWorker[]> =>
  (await connectionsToEach(cleanUp, stack)).map((connection) => ({ stack, connection }));

export const visitAt = async ({ stack, connection }: ReachedWorker, { cookie }: SeededSession): Promise<number> =>
  (await stack.ask({ path: '/app', headers: { cookie, 'sec-fetch-mode': 'cors' }, agent: connection })).status;

/** Uses a session at one worker until it is refused. When the last accepted request was sent. */
export const lastAccepted = async (worker: ReachedWorker, session: SeededSession): Promise<number> => {
  const givesUpMs = performance.now() + patienceMs;
  let acceptedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const sentMs = performance.now();
    if (sentMs > givesUpMs) throw new Error('the session does not end');
    const status = await visitAt(worker, session);
    if (status === 401) return acceptedMs;
    expect(status).toBe(200);
    acceptedMs = sentMs;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

/** From the end of an act to the last accepted request of each worker, in milliseconds; negative: it ended before. */
export const delaysAfter = async (
  workers: readonly ReachedWorker[],
  session: SeededSession,
  act: () => Promise<unknown>,
): Promise<readonly number[]> => {
  expect(await Promise.all(workers.map((worker) => visitAt(worker, session)))).toEqual(workers.map(() => 200));
  const [doneMs, ...accepted] = await Promise.all([
    act().then(() => performance.now()),
    ...workers.map((worker) => lastAccepted(worker, session)),
  ]);
  return accepted.map((ms) => ms - doneMs);
};

export const revokeByCommand = async ({ configFile }: GatewayStack, user: string): Promise<string> => {
  const command = runAgent(['sessions', 'revoke', '--user', user, '--config', configFile]);
  expect(await command.exited).toMatchObject({ code: 0 });
  return command.output();
};

export const revokeSession = async (stack: GatewayStack, { id }: SeededSession): Promise<void> => {
  expect(await asAdmin(stack, `/admin/sessions/${id}`, 'DELETE')).toMatchObject({ status: 204, body: '' });
};

/** The answer of a gateway to GET /admin/sessions. */
export const listedSessions = async (stack: GatewayStack, query = ''): Promise<Record<string, unknown>> =>
  JSON.parse((await asAdmin(stack, `/admin/sessions${query}`)).body) as Record<string, unknown>;

export const mostOf = (delays: readonly number[]): number => Math.max(...delays);
