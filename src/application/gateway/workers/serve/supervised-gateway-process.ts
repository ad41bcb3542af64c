import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { type LoadFailure, loadFailure, type PreparedReload } from '../../run-gateway/prepared-reload.js';
import { atOnce, type StopManner } from '../../run-gateway/stop-once-unused.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import { serializeFailure } from '../supervise/serialized-failure.js';
import {
  abandonReload,
  beginServing,
  commitReload,
  drainWorker,
  heartbeat,
  prepareReload,
  type ReloadOrder,
  type StartOrder,
  startWorker,
} from '../supervise/worker-topics.js';

/** The actions that the supervisor orders. */
interface WorkerActions {
  /** Loads the configuration of the order, and returns the function that begins to serve. Called once. */
  prepare(order: StartOrder): Promise<Result<PreparedWorker, LoadFailure>>;
  /** Ends the process. */
  end(): void;
}

/** Makes the worker accept connections; see `Gateway.prepareStart`. */
export type PreparedWorker = () => Promise<Result<StartedWorker, LoadFailure>>;

/** A gateway that serves as a worker. */
export interface StartedWorker {
  readonly addresses: ListeningAddresses;
  /** See `Gateway.prepareReload`. */
  prepareReload(order: ReloadOrder): Promise<Result<PreparedReload, LoadFailure>>;
  stop(graceMs: number, manner: StopManner): Promise<void>;
  /** Closes all addresses at once and finishes within the grace period, even during a longer drain. */
  leave(graceMs: number): Promise<void>;
}

/** Grace period after the supervisor has ended, because a new supervisor needs the addresses soon; milliseconds. */
const orphanGraceMs = 5_000;

/**
 * The process of a worker. It waits for its order, serves, and obeys the supervisor. It ends when the supervisor
 * does.
 */
export class SupervisedGatewayProcess {
  readonly #supervisor: WorkerChannel;
  readonly #actions: WorkerActions;
  #prepared: PreparedWorker | null = null;
  #gateway: StartedWorker | null = null;
  /** The reload that is prepared or being prepared; null: none. */
  #reload: Promise<Result<PreparedReload, LoadFailure>> | null = null;
  #isEnding = false;

  constructor(supervisor: WorkerChannel, actions: WorkerActions) {
    this.#supervisor = supervisor;
    this.#actions = actions;
  }

  /** Begins to obey the supervisor. */
  listen(): void {
    const supervisor = this.#supervisor;
    supervisor.answer(heartbeat, () => null);
    supervisor.answer(startWorker, async (order) => {
      const prepared = await this.#actions.prepare(order);
      if (!prepared.ok) return err(serializeFailure(prepared.error));
      this.#prepared = prepared.value;
      return ok(null);
    });
    supervisor.answer(beginServing, async () => {
      const started = await this.#serve();
      return started.ok ? started : err(serializeFailure(started.error));
    });
    supervisor.answer(prepareReload, async (order) => {
      const prepared = await this.#prepareReload(order);
      return prepared.ok ? ok(null) : err(serializeFailure(prepared.error));
    });
    supervisor.answer(commitReload, () => this.#finishReload(async (prepared) => prepared.commit()));
    supervisor.answer(abandonReload, async () => {
      await this.#finishReload((prepared) => prepared.abandon());
      return null;
    });
    supervisor.hear(drainWorker, ({ graceMs, manner }) => void this.#drain(graceMs, manner));
    supervisor.onClosed(() => void this.#leave());
  }

  async #serve(): Promise<Result<ListeningAddresses, LoadFailure>> {
    // If the supervisor has ended meanwhile, this process ends too and accepts no connections.
    if (this.#prepared === null || this.#isEnding) return err(loadFailure('the worker is not prepared to serve'));
    const started = await this.#prepared();
    if (!started.ok) return started;
    this.#gateway = started.value;
    if (this.#isEnding) await this.#end(started.value, 0, atOnce);
    return ok(started.value.addresses);
  }

  #prepareReload(order: ReloadOrder): Promise<Result<PreparedReload, LoadFailure>> {
    if (this.#gateway === null) return Promise.resolve(err(loadFailure('the worker does not serve yet')));
    if (this.#reload !== null) {
      return Promise.resolve(err(loadFailure('the worker prepares another configuration already')));
    }
    const reload = this.#gateway.prepareReload(order);
    this.#reload = reload;
    return reload;
  }

  /** Commits or abandons `#reload`. False: there is none, or its preparation failed. */
  async #finishReload(finish: (prepared: PreparedReload) => Promise<void>): Promise<boolean> {
    const reload = this.#reload;
    if (reload === null) return false;
    const prepared = await reload;
    if (this.#reload === reload) this.#reload = null;
    if (!prepared.ok) return false;
    await finish(prepared.value);
    return true;
  }

  async #drain(graceMs: number, manner: StopManner): Promise<void> {
    const gateway = this.#gateway;
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (gateway === null) this.#actions.end();
    else await this.#end(gateway, graceMs, manner);
  }

  /** Leaves within the orphan grace period, because no supervisor can end a long drain. */
  async #leave(): Promise<void> {
    this.#isEnding = true;
    try {
      await this.#gateway?.leave(orphanGraceMs);
    } finally {
      this.#actions.end();
    }
  }

  async #end(gateway: StartedWorker, graceMs: number, manner: StopManner): Promise<void> {
    try {
      await gateway.stop(graceMs, manner);
    } finally {
      this.#actions.end();
    }
  }
}
