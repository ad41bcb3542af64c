import type { GatewayConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { AttendedWorker } from '../../../shared/worker-channel/attended-worker.js';

/** What the supervisor's process does for the workers beyond keeping them alive, as the limits that hold over all of them. */
export interface SupervisedService {
  /** This configuration is about to come into force: the first one before any worker has its order, others before workers commit. */
  adopt(configuration: GatewayConfiguration): void;
  /** A process is about to become a worker. It may ask from now on. */
  attend(worker: AttendedWorker): void;
  /** Its process has ended, or never served. */
  left(worker: AttendedWorker): void;
}
