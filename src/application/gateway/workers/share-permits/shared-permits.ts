import type { PermitHolding, PermitOutcome } from '../../../../domain/gateway/limits/permit-holding.js';
import type { PermitMessage } from '../../../../domain/gateway/limits/permit-messages.js';
import type { Permits } from '../../../ports/gateway/permits.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';

/** For the answer to one who waits; milliseconds. */
const askDeadlineMs = 250;

/** What the permits of a key need of those of all keys. */
export interface PermitSurroundings {
  readonly scheduler: Scheduler;
  /** Whether static shares may be used: every contended key is known. */
  readonly isJoined: () => boolean;
  readonly isClosed: () => boolean;
  /** Something has happened to these: they may have something to report, or be of no use any more. */
  readonly changed: (permits: SharedPermits) => void;
}

interface Waiter {
  settle(isTaken: boolean): void;
}

/** The permits of a key that other workers take from as well. */
export class SharedPermits implements Permits {
  readonly holding: PermitHolding;
  readonly #surroundings: PermitSurroundings;
  readonly #waiters = new Set<Waiter>();
  #onChange: (() => void) | null = null;
  #limit: number;
  #openings = 0;

  constructor(holding: PermitHolding, limit: number, surroundings: PermitSurroundings) {
    this.holding = holding;
    this.#limit = limit;
    this.#surroundings = surroundings;
  }

  get limit(): number {
    return this.#limit;
  }

  get taken(): number {
    return this.holding.used;
  }

  get takenByAll(): number {
    return this.holding.inUseOfAll;
  }

  /** Whether somebody may take of them without opening them again. */
  get isOpen(): boolean {
    return this.#openings > 0;
  }

  opened(): this {
    this.#openings += 1;
    return this;
  }

  close(): void {
    this.#openings -= 1;
    this.#surroundings.changed(this);
  }

  take(): PermitOutcome {
    if (this.#waiters.size > 0) return 'unknown';
    const outcome = this.holding.take(this.#surroundings.isJoined());
    if (outcome === 'unknown') this.#surroundings.changed(this);
    return outcome;
  }

  ask(): Promise<boolean> {
    if (this.#surroundings.isClosed()) return Promise.resolve(false);
    return new Promise((resolve) => {
      let deadline: ScheduledTask | null = null;
      const waiter: Waiter = {
        settle: (isTaken) => {
          deadline?.cancel();
          this.#waiters.delete(waiter);
          resolve(isTaken);
        },
      };
      deadline = this.#surroundings.scheduler.after(askDeadlineMs, () => {
        waiter.settle(false);
        this.#note();
      });
      this.#waiters.add(waiter);
      this.#serve();
    });
  }

  want(count: number): void {
    this.holding.want(count);
    if (this.holding.isDue) this.#surroundings.changed(this);
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  giveBack(): void {
    this.holding.giveBack();
    if (this.#waiters.size > 0) this.#serve();
    else if (this.holding.isDue || !this.isOpen) this.#surroundings.changed(this);
  }

  /** What holds from now on. */
  change(limit: number, share: number): void {
    this.#limit = limit;
    this.holding.limit(limit, share);
    this.#serve();
  }

  joined(): void {
    this.holding.joined();
    this.#serve();
  }

  hear(word: PermitMessage): void {
    this.holding.hear(word);
    if (word.kind === 'refused') for (const waiter of [...this.#waiters]) waiter.settle(false);
    this.#serve();
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      if (this.holding.take(this.#surroundings.isJoined()) !== 'taken') break;
      waiter.settle(true);
    }
    this.#onChange?.();
    this.#note();
  }

  #note(): void {
    if (!this.holding.isPatient) this.holding.want(this.#waiters.size);
    this.#surroundings.changed(this);
  }
}
