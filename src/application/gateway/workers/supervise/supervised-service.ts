import type { GatewayConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { AttendedWorker, WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';

/** A server that workers join by their channel. `join` returns a function to call when the worker has ended. */
interface Joinable {
  join(worker: WorkerChannel): () => void;
}

/** Adds every worker to a server such as `RateLeaseServer`. */
export class JoinableService implements SupervisedService {
  readonly #joinable: Joinable;
  readonly #leave = new Map<AttendedWorker, () => void>();

  constructor(joinable: Joinable) {
    this.#joinable = joinable;
  }

  /** No-op: the workers' messages carry what the server needs of the configuration. */
  adopt(): void {}

  attend(worker: AttendedWorker): void {
    this.#leave.set(worker, this.#joinable.join(worker.channel));
  }

  left(worker: AttendedWorker): void {
    this.#leave.get(worker)?.();
    this.#leave.delete(worker);
  }
}

/** A service of the supervisor's process for its workers, such as limits across all workers. */
export interface SupervisedService {
  /**
   * Called before a configuration takes effect: the first before any worker starts, later ones before workers commit.
   */
  adopt(configuration: GatewayConfiguration): void;
  /** Called before a process becomes a worker and may send messages. */
  attend(worker: AttendedWorker): void;
  /** Called when the process has ended. */
  left(worker: AttendedWorker): void;
}
