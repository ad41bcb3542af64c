import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** How a gateway ends. Plain data: it passes between processes. */
export interface StopManner {
  /** How long everything is served as before first, though /ready says that the gateway goes; milliseconds. */
  readonly delayMs: number;
  /**
   * Another process serves its addresses already, and has to be the one that answers on that of the admin endpoints.
   */
  readonly isReplaced: boolean;
}

/** It begins to drain now, and nobody takes its place. */
export const atOnce: StopManner = { delayMs: 0, isReplaced: false };

/**
 * Stops clients that have been retired once nobody asks them any more, at the latest after the grace: a request that
 * lasts, such as a WebSocket, was judged long ago.
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
