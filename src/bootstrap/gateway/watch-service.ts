import type { ScheduledTask, Scheduler } from '../../application/ports/shared/scheduler.js';
import type { ServiceManager } from '../../application/ports/shared/service-manager.js';
import { servingStatus } from './serve-until-signal.js';
import type { RunningGateway } from './start-gateway.js';

/** As long as workers are replaced within that, the gateway as a whole is well; milliseconds. */
const toleratedMs = 30_000;
/** How often it is looked at where nobody waits for a sign of life; milliseconds. */
const lookingMs = 5_000;

/**
 * Tells the service manager that the program is alive for as long as somebody serves, and where nobody does. To be cancelled when
 * the end begins: workers that drain are none that are missed, and a successor speaks for itself.
 */
export const watchService = (
  gateway: Pick<RunningGateway, 'addressesNow' | 'unservedMs'>,
  manager: ServiceManager,
  scheduler: Scheduler,
): ScheduledTask => {
  let toldServing = true;
  return scheduler.every(manager.watchdogMs ?? lookingMs, () => {
    const unservedMs = gateway.unservedMs();
    if (manager.watchdogMs !== null && unservedMs < toleratedMs) manager.alive();
    const isServing = unservedMs === 0;
    if (isServing !== toldServing) manager.status(servingStatus(gateway));
    toldServing = isServing;
  });
};
