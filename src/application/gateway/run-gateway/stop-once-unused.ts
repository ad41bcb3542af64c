import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** How a gateway stops. Plain data, because it passes between processes. */
export interface StopManner {
  /** How long the gateway still serves while `/ready` reports that it drains; milliseconds. */
  readonly delayMs: number;
  /** Another process already serves its addresses, and must answer on the admin address. */
  readonly isReplaced: boolean;
}

/** Drains now, without a successor. */
export const atOnce: StopManner = { delayMs: 0, isReplaced: false };

/**
 * Stops retired clients after their last request, or after the grace period: a long request, such as a WebSocket, needs
 * no more answers.
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
