import { Secret } from '../../../../domain/shared/secret.js';
import type { TicketKeys } from '../../../ports/gateway/ticket-keys.js';
import type { Random } from '../../../ports/shared/random.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import { notice } from '../../../shared/worker-channel/worker-call.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { TicketKeyRotation } from './ticket-key-rotation.js';

/** The ticket keys in the clear, for a pipe between two processes: never print them. See `TicketKeys`. */
interface RevealedTicketKeys {
  readonly current: string;
  readonly previous: string | null;
}

const ticketKeys = notice<RevealedTicketKeys>('ticket-keys');

/** Runs in the supervisor. Gives all workers the same ticket keys, so that a session resumes at any worker. */
export class TicketKeyServer {
  readonly #workers = new Set<WorkerChannel>();
  readonly #rotation: TicketKeyRotation;

  constructor(random: Pick<Random, 'hex'>, scheduler: Pick<Scheduler, 'every'>) {
    this.#rotation = new TicketKeyRotation(random, scheduler, () => {
      for (const worker of this.#workers) this.#tell(worker);
    });
  }

  /** Sends a worker the keys, now and after each rotation. @returns a function to call when the worker has ended */
  join(worker: WorkerChannel): () => void {
    this.#workers.add(worker);
    this.#tell(worker);
    return () => void this.#workers.delete(worker);
  }

  #tell(worker: WorkerChannel): void {
    const { current, previous } = this.#rotation.keys;
    worker.tell(ticketKeys, { current: current.reveal(), previous: previous?.reveal() ?? null });
  }
}

/**
 * Receives the ticket keys in a worker. Create it before the channel delivers: the keys arrive before the start order.
 */
export class ReceivedTicketKeys {
  #latest: TicketKeys | null = null;
  #use: ((keys: TicketKeys) => void) | null = null;

  constructor(supervisor: WorkerChannel) {
    supervisor.hear(ticketKeys, ({ current, previous }) => {
      this.#latest = { current: new Secret(current), previous: previous === null ? null : new Secret(previous) };
      this.#use?.(this.#latest);
    });
  }

  /** Passes the latest keys, if they have arrived, and all later ones. */
  passTo(use: (keys: TicketKeys) => void): void {
    this.#use = use;
    if (this.#latest !== null) use(this.#latest);
  }
}
