import type { Scheduler } from '../application/ports/scheduler.js';
import type { ServiceManager } from '../application/ports/service-manager.js';
import { servingStatus } from './serve-until-signal.js';
import type { RunningGateway } from './start-gateway.js';

/** As long as workers are replaced within that, the gateway as a whole is well; milliseconds. */
const toleratedMs = 30_000;
/** How often it is looked at where nobody waits for a sign of life; milliseconds. */
const lookingMs = 5_000;

/** Tells the service manager that the program is alive for as long as somebody serves, and where nobody does. */
export const watchService = (
  gateway: Pick<RunningGateway, 'addresses' | 'unservedMs'>,
  manager: ServiceManager,
  scheduler: Scheduler,
): void => {
  let toldServing = true;
  scheduler.every(manager.watchdogMs ?? lookingMs, () => {
    const unservedMs = gateway.unservedMs();
    if (manager.watchdogMs !== null && unservedMs < toleratedMs) manager.alive();
    const isServing = unservedMs === 0;
    if (isServing !== toldServing) manager.status(isServing ? servingStatus(gateway) : 'No worker serves');
    toldServing = isServing;
  });
};
