import { outcomeOfFailure } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import { connectionAttemptDelayMs } from '../../../domain/gateway/load-balancing/address-order.js';
import type {
  ConnectAttempt,
  ConnectAttemptListener,
  OpenedConnection,
  UpstreamExchange,
  UpstreamFailure,
} from '../../ports/gateway/upstream-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { ChosenTarget } from '../choose-upstream/chosen-target.js';

/** A request that needs a connection to one of the addresses of a name. */
export interface RacingRequest {
  readonly isUpgrade: boolean;
  /**
   * The next address to try; null: there is no other.
   *
   * @param mayQueue takes an address whose connections are all busy
   */
  nextAddress(mayQueue: boolean): ChosenTarget | null;
  /**
   * The first connection is open. The race reports the other attempts to their targets.
   *
   * @param connection null: the client of the target has a connection
   * @param unfinished addresses whose attempts continue
   */
  connected(target: ChosenTarget, connection: OpenedConnection | null, unfinished: readonly string[]): void;
  /** No address could be connected to. The targets learn it from the race. */
  notConnected(failure: UpstreamFailure): void;
}

interface RaceOptions {
  readonly request: RacingRequest;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** The time for all addresses together; milliseconds. */
  readonly waitMs: number;
  /** The failure after that time. */
  readonly late: (addresses: readonly string[]) => UpstreamFailure;
}

/**
 * Connects to the addresses of one name (RFC 8305, section 5). An address that fails gives way to the next one at once.
 * A slow one gets company after the Connection Attempt Delay, and the first open connection wins. Each target learns
 * the real outcome of its attempt, even after the race.
 */
export class ConnectionRace implements UpstreamExchange {
  readonly #options: RaceOptions;
  readonly #entries = new Set<RaceEntry>();
  #next: ScheduledTask | null = null;
  #deadline: ScheduledTask | null = null;
  #isOver = false;

  constructor(options: RaceOptions) {
    this.#options = options;
  }

  start(first: ChosenTarget): void {
    const { scheduler, waitMs, late } = this.#options;
    this.#deadline = scheduler.after(waitMs, () => {
      this.#fail(late([...this.#entries].map(({ target }) => target.address)));
    });
    this.#enter(first);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#finish();
    const { request } = this.#options;
    queueMicrotask(() => request.notConnected({ code: 'cancelled', detail: 'the request is no longer wanted' }));
  }

  connected(entry: RaceEntry, connection: OpenedConnection | null): void {
    this.#entries.delete(entry);
    if (this.#isOver) {
      connection?.release();
      entry.target.ended('neither');
      return;
    }
    this.#win(entry.target, connection);
  }

  notConnected(entry: RaceEntry, failure: UpstreamFailure): void {
    this.#entries.delete(entry);
    entry.target.ended(outcomeOfFailure(failure.code), failure.detail);
    if (this.#isOver) return;
    if (failure.isUnconnected === true || failure.wasEvicted === true) this.#enterNext();
    if (this.#entries.size === 0 && !this.#isOver) this.#fail(failure);
  }

  #enter(target: ChosenTarget): void {
    const { clock, request, scheduler } = this.#options;
    const entry = new RaceEntry(this, target);
    this.#entries.add(entry);
    entry.attempt = target.client.connect(request.isUpgrade, entry);
    const delayMs = connectionAttemptDelayMs(clock.monotonicMs() - entry.attempt.beganMs);
    this.#next = scheduler.after(delayMs, () => this.#enterNext());
  }

  #enterNext(): void {
    this.#next?.cancel();
    const { request } = this.#options;
    // While another attempt continues, a queue gains nothing.
    const target = request.nextAddress(this.#entries.size === 0);
    if (target === null) return;
    if (target.client.mustConnect(request.isUpgrade)) this.#enter(target);
    else this.#win(target, null);
  }

  #win(target: ChosenTarget, connection: OpenedConnection | null): void {
    const unfinished = [...this.#entries].map((entry) => entry.target.address);
    this.#finish();
    this.#options.request.connected(target, connection, unfinished);
  }

  #fail(failure: UpstreamFailure): void {
    this.#finish();
    this.#options.request.notConnected({ ...failure, neverSent: true });
  }

  #finish(): void {
    this.#isOver = true;
    this.#next?.cancel();
    this.#deadline?.cancel();
    for (const { attempt } of this.#entries) attempt?.abandon();
  }
}

/** The attempt of one address. */
class RaceEntry implements ConnectAttemptListener {
  readonly #race: ConnectionRace;
  readonly target: ChosenTarget;
  attempt: ConnectAttempt | null = null;

  constructor(race: ConnectionRace, target: ChosenTarget) {
    this.#race = race;
    this.target = target;
  }

  connected(connection: OpenedConnection | null): void {
    this.#race.connected(this, connection);
  }

  notConnected(failure: UpstreamFailure): void {
    this.#race.notConnected(this, failure);
  }
}
