import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { childrenOf } from '../../../bench/soak/process-tree.js';
import type { CleanUp } from './clean-up.js';
import { type GatewayStack, type StackPlan, startStack, untilTrue } from './gateway-stack.js';
import { call, type HttpAnswer, type HttpCall } from './http-call.js';
import { endSuccessors, isAlive } from './successors.js';

/** What /admin/stats says of a worker. */
export interface WorkerFigures {
  readonly id: number;
  readonly pid: number;
  readonly connections: number;
  readonly restarts?: number;
}

/** As far as tests look at it. */
export interface WholeStats {
  readonly connections: { readonly total: number };
  readonly requests_in_flight: number;
  readonly requests_queued: number;
  readonly workers: readonly WorkerFigures[];
  readonly supervisor: { readonly pid: number };
  readonly missing_workers?: readonly number[];
}

const adminToken = 'let-me-in';
const workers = 2;

/** The address where a stack of two workers is asked and told. */
export const asAdmin = (stack: GatewayStack, path: string, method = 'GET'): Promise<HttpAnswer> =>
  call(stack.adminPort, { path, method, headers: { Authorization: `Bearer ${adminToken}` } });

const withWorkers = (plan: StackPlan): StackPlan => ({
  ...plan,
  adminToken,
  blocks: `system { worker-threads ${workers} }\n${plan.blocks ?? ''}`,
});

/** A stack whose gateway has two workers. Whoever takes its place ends with it. */
export const startWorkerStack = async (cleanUp: CleanUp, plan: StackPlan = {}): Promise<GatewayStack> => {
  // What the file says.
  const env = { GATEWAY_WORKER_THREADS: '', ...plan.env };
  const stack = await startStack(cleanUp, { ...withWorkers(plan), env });
  cleanUp.add(() => endSuccessors(stack.gateway));
  // Workers listen before the first of them can be told to reload.
  await stack.gateway.wrote(/the admin endpoints are served/);
  return { ...stack, rewrite: (changes) => stack.rewrite(withWorkers(changes)) };
};

export const statsOf = async (stack: GatewayStack): Promise<WholeStats> =>
  (await stack.report('/admin/stats')) as unknown as WholeStats;

/** Its workers by number, once both give their figures. */
export const workersOf = async (stack: GatewayStack): Promise<readonly WorkerFigures[]> => {
  let found: readonly WorkerFigures[] = [];
  await untilTrue('both workers give their figures', async () => {
    found = (await statsOf(stack)).workers;
    return found.length === workers;
  });
  return found;
};

/** The gateway's processes beside the supervisor: workers, and one that is spare. */
export const processesBelow = (pid: number): readonly number[] => (isAlive(pid) ? childrenOf(pid) : []);

/** Has a process stand still. */
const stopped = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  // The name, which comes first, is in brackets (proc(5)).
  await untilTrue('it stands still', () => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
};

/**
 * What comes of asking one worker after the other: while one is asked the others stand still, so that it alone takes
 * new connections. Whoever is asked must need no other worker.
 */
export const ofEachWorker = async <T>(
  stack: GatewayStack,
  ask: (worker: WorkerFigures) => Promise<T>,
): Promise<readonly T[]> => {
  const all = await workersOf(stack);
  const answers: T[] = [];
  for (const worker of all) {
    const others = all.filter(({ pid }) => pid !== worker.pid);
    try {
      for (const { pid } of others) await stopped(pid);
      answers.push(await ask(worker));
    } finally {
      for (const { pid } of others) process.kill(pid, 'SIGCONT');
    }
  }
  return answers;
};

/** Answers of each worker, on a connection of its own, to the same request. */
export const answersOfEach = (stack: GatewayStack, options: HttpCall = {}): Promise<readonly HttpAnswer[]> =>
  ofEachWorker(stack, () => stack.ask(options));

/**
 * Keeps connections to each worker, by number: requests of an agent go through that worker alone, so many at a time.
 */
export const connectionsToEach = async (
  cleanUp: CleanUp,
  stack: GatewayStack,
  count = 1,
): Promise<readonly [Agent, Agent]> => {
  const agents = await ofEachWorker(stack, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: count });
    cleanUp.add(() => agent.destroy());
    await Promise.all(Array.from({ length: count }, () => stack.ask({ path: '/health', agent })));
    return agent;
  });
  return agents as unknown as readonly [Agent, Agent];
};

/** The number of the worker that gave an answer, by its line in the log. */
export const workerOf = async ({ gateway }: GatewayStack, { headers }: HttpAnswer): Promise<number> => {
  const id = String(headers['x-correlation-id']);
  const line = new RegExp(`"worker":(\\d+),"message":"request"[^\\n]*"correlation_id":"${id}"`);
  return Number(line.exec(await gateway.wrote(line))?.[1]);
};
