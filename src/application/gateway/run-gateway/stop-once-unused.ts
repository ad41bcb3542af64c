import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/**
 * Stops clients that have been retired once nobody asks them any more, at the latest after the grace: a request that lasts,
 * such as a WebSocket, was judged long ago.
 */
export const stopOnceUnused = async (
  clients: readonly AgentClient[],
  unused: Promise<void>,
  graceMs: number,
  scheduler: Scheduler,
): Promise<void> => {
  await new Promise<void>((resolve) => {
    const grace = scheduler.after(graceMs, resolve);
    void unused.then(() => {
      grace.cancel();
      resolve();
    });
  });
  await Promise.all(clients.map((client) => client.stop(0)));
};
