import type { LimitsConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { HeldPermits, type PermitOutcome } from '../../../../domain/gateway/limits/held-permits.js';
import {
  noPermits,
  type PermitKind,
  type PermitLimits,
  permitLimits,
  staticShare,
} from '../../../../domain/gateway/limits/permit-limits.js';
import type {
  PermitMessage,
  PermitMessageBatch,
  PermitReport,
} from '../../../../domain/gateway/limits/permit-messages.js';
import type { PermitBook, Permits } from '../../../ports/gateway/permits.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { permitMessages, permitReports } from './permit-notices.js';

/** Timeout of `ask`; milliseconds. */
const askDeadlineMs = 250;

/** The book, as its permits use it. */
interface PermitOwner {
  readonly scheduler: Scheduler;
  /** Whether static shares may be used, because every contended key is known. */
  readonly isJoined: () => boolean;
  readonly isClosed: () => boolean;
  /** Called when permits have changed: they may have a report, or be unused. */
  readonly changed: (permits: SharedPermits) => void;
}

interface Waiter {
  settle(isTaken: boolean): void;
}

/** The permits of a key that several workers share. */
class SharedPermits implements Permits {
  readonly holding: HeldPermits;
  readonly #owner: PermitOwner;
  readonly #waiters = new Set<Waiter>();
  #onChange: (() => void) | null = null;
  #limit: number;
  #openings = 0;

  constructor(holding: HeldPermits, limit: number, owner: PermitOwner) {
    this.holding = holding;
    this.#limit = limit;
    this.#owner = owner;
  }

  get limit(): number {
    return this.#limit;
  }

  get taken(): number {
    return this.holding.used;
  }

  get takenByAll(): number {
    return this.holding.totalInUse;
  }

  /** Whether they are opened. */
  get isOpen(): boolean {
    return this.#openings > 0;
  }

  opened(): this {
    this.#openings += 1;
    return this;
  }

  close(): void {
    this.#openings -= 1;
    this.#owner.changed(this);
  }

  take(): PermitOutcome {
    if (this.#waiters.size > 0) return 'unknown';
    const outcome = this.holding.take(this.#owner.isJoined());
    if (outcome === 'unknown') this.#owner.changed(this);
    return outcome;
  }

  ask(): Promise<boolean> {
    if (this.#owner.isClosed()) return Promise.resolve(false);
    return new Promise((resolve) => {
      let deadline: ScheduledTask | null = null;
      const waiter: Waiter = {
        settle: (isTaken) => {
          deadline?.cancel();
          this.#waiters.delete(waiter);
          resolve(isTaken);
        },
      };
      deadline = this.#owner.scheduler.after(askDeadlineMs, () => {
        waiter.settle(false);
        this.#note();
      });
      this.#waiters.add(waiter);
      this.#serve();
    });
  }

  want(count: number): void {
    this.holding.setWants(count);
    if (this.holding.isDue) this.#owner.changed(this);
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  giveBack(): void {
    this.holding.giveBack();
    if (this.#waiters.size > 0) this.#serve();
    else if (this.holding.isDue || !this.isOpen) this.#owner.changed(this);
  }

  /** Sets the limit and this worker's share. */
  change(limit: number, share: number): void {
    this.#limit = limit;
    this.holding.setLimit(limit, share);
    this.#serve();
  }

  markContended(): void {
    this.holding.markContended();
    this.#serve();
  }

  receive(message: PermitMessage): void {
    this.holding.receive(message);
    if (message.kind === 'refused') for (const waiter of [...this.#waiters]) waiter.settle(false);
    this.#serve();
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      if (this.holding.take(this.#owner.isJoined()) !== 'taken') break;
      waiter.settle(true);
    }
    this.#onChange?.();
    this.#note();
  }

  #note(): void {
    if (!this.holding.isPatient) this.holding.setWants(this.#waiters.size);
    this.#owner.changed(this);
  }
}

const separator = ' ';

const kinds = Object.keys(noPermits) as readonly PermitKind[];

/**
 * The permits of one of several workers. It counts its static share itself, and asks the supervisor for more. One
 * message reports everything that happens in one turn.
 */
export class SharedPermitBook implements PermitBook {
  readonly workers: number;
  readonly #channel: WorkerChannel;
  readonly #owner: PermitOwner;
  readonly #open = new Map<string, SharedPermits>();
  readonly #changed = new Set<SharedPermits>();
  #limits: PermitLimits = noPermits;
  /** Number of the last message that arrived. */
  #seen = 0;
  /** Number of join answers that are pending. Until they arrive, static shares do not apply. */
  #joins = 0;
  #hasToJoin = false;
  #isFlushing = false;

  constructor(workers: number, channel: WorkerChannel, scheduler: Scheduler) {
    this.workers = workers;
    this.#channel = channel;
    this.#owner = {
      scheduler,
      isJoined: () => this.#joins === 0,
      isClosed: () => channel.isClosed,
      changed: (permits) => {
        this.#changed.add(permits);
        this.#flushSoon();
      },
    };
    channel.hear(permitMessages, (batch) => this.#receive(batch));
  }

  limit(limits: LimitsConfiguration): void {
    const before = this.#limits;
    this.#limits = permitLimits(limits, this.workers);
    const hadNoShare = (kind: PermitKind): boolean => staticShare(before[kind], this.workers) === 0;
    // While a share is 0, a worker need not know the contended keys.
    if (kinds.some((kind) => hadNoShare(kind) && staticShare(this.#limits[kind], this.workers) > 0)) this.#join();
    for (const [key, permits] of [...this.#open]) {
      const limit = this.#limits[kindOf(key)];
      if (permits.limit !== limit) permits.change(limit, staticShare(limit, this.workers));
    }
  }

  open(kind: PermitKind, subject: string): Permits {
    return this.#get(`${kind}${separator}${subject}`).opened();
  }

  #get(key: string): SharedPermits {
    let permits = this.#open.get(key);
    if (permits === undefined) {
      const kind = kindOf(key);
      const limit = this.#limits[kind];
      const holding = new HeldPermits(key, kind === 'requests', limit, staticShare(limit, this.workers));
      permits = new SharedPermits(holding, limit, this.#owner);
      this.#open.set(key, permits);
    }
    return permits;
  }

  #join(): void {
    this.#joins += 1;
    this.#hasToJoin = true;
    this.#flushSoon();
  }

  #receive({ number, contended, messages }: PermitMessageBatch): void {
    this.#seen = number;
    for (const message of messages) this.#get(message.key).receive(message);
    if (contended === null) return;
    this.#joins -= 1;
    for (const key of contended) this.#get(key).markContended();
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void Promise.resolve().then(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushing = false;
    const reports: PermitReport[] = [];
    for (const permits of this.#changed) {
      const { holding } = permits;
      if (holding.isDue) reports.push(holding.report());
      if (!permits.isOpen && holding.isIdle) this.#open.delete(holding.key);
    }
    this.#changed.clear();
    const isJoining = this.#hasToJoin;
    this.#hasToJoin = false;
    if (reports.length > 0 || isJoining) {
      this.#channel.tell(permitReports, { seen: this.#seen, isJoining, reports });
    }
  }
}

const kindOf = (key: string): PermitKind => key.slice(0, key.indexOf(separator)) as PermitKind;
