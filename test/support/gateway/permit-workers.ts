import { PermitCoordinator } from '../../../src/application/gateway/workers/share-permits/permit-coordinator.js';
import { SharedPermitBook } from '../../../src/application/gateway/workers/share-permits/shared-permit-book.js';
import type { Permits } from '../../../src/application/ports/gateway/permits.js';
import type { LinkMessage, WorkerLink } from '../../../src/application/ports/shared/worker-link.js';
import { type AttendedWorker, WorkerChannel } from '../../../src/application/shared/worker-channel/worker-channel.js';
import type { LimitsConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { plainLimits } from './plain-configurations.js';

/** One end of a link whose messages stay on their way until a test lets them come. */
class HeldLink implements WorkerLink {
  isClosed = false;
  other: HeldLink | null = null;
  readonly onTheWay: LinkMessage[] = [];
  sent = 0;
  #listener: ((message: LinkMessage, attachment: object | null) => void) | null = null;

  send(message: LinkMessage): void {
    if (this.isClosed) return;
    this.sent += 1;
    this.other?.onTheWay.push(structuredClone(message));
  }

  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void {
    this.#listener = listener;
  }

  onClosed(): void {}

  /** Lets one message come. */
  deliver(): boolean {
    const message = this.onTheWay.shift();
    if (message === undefined || this.isClosed) return false;
    this.#listener?.(message, null);
    return true;
  }
}

const nothingWrong = (topic: string, error: unknown): never => {
  throw new Error(`${topic}: ${String(error)}`);
};

/** A few turns of what was promised. */
export const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn += 1) await null;
};

/** A worker of a test. */
export class PermitWorker {
  readonly book: SharedPermitBook;
  readonly here = new HeldLink();
  readonly there = new HeldLink();
  readonly #desk: PermitCoordinator;
  readonly #attended: AttendedWorker;

  constructor(workers: number, desk: PermitCoordinator, scheduler: ManualScheduler) {
    this.here.other = this.there;
    this.there.other = this.here;
    this.#desk = desk;
    this.#attended = { number: 1, pid: 1, channel: new WorkerChannel(this.there, scheduler, nothingWrong) };
    desk.attend(this.#attended);
    this.book = new SharedPermitBook(workers, new WorkerChannel(this.here, scheduler, nothingWrong), scheduler);
  }

  connections(): Permits {
    return this.book.open('connections', '');
  }

  die(): void {
    this.here.isClosed = true;
    this.there.isClosed = true;
    this.#desk.left(this.#attended);
  }
}

/** Workers with their supervisor. */
export class PermitWorkers {
  readonly scheduler = new ManualScheduler(new ManualClock());
  readonly desk: PermitCoordinator;
  readonly workers: PermitWorker[] = [];
  readonly #clock = new ManualClock();
  #limits: LimitsConfiguration;

  constructor(count: number, limits: Partial<LimitsConfiguration>) {
    this.#limits = { ...plainLimits, ...limits };
    this.desk = new PermitCoordinator(count, this.#clock, this.scheduler);
    for (let index = 0; index < count; index += 1) this.start(index, count);
  }

  start(index: number, count: number = this.workers.length): PermitWorker {
    const worker = new PermitWorker(count, this.desk, this.scheduler);
    worker.book.limit(this.#limits);
    this.workers[index] = worker;
    return worker;
  }

  limit(limits: Partial<LimitsConfiguration>): void {
    this.#limits = { ...plainLimits, ...limits };
    for (const { book } of this.workers) book.limit(this.#limits);
  }

  /** Messages that were sent, both ways. */
  get sent(): number {
    return this.workers.reduce((sum, { here, there }) => sum + here.sent + there.sent, 0);
  }

  async pass(ms: number): Promise<void> {
    this.#clock.advance(ms);
    await this.scheduler.advance(ms);
  }

  /** Lets all messages come, and those that they cause. */
  async quiet(except: PermitWorker | null = null): Promise<void> {
    let isMoving = true;
    while (isMoving) {
      await turns();
      isMoving = false;
      for (const worker of this.workers) {
        if (worker === except) continue;
        while (worker.there.deliver() || worker.here.deliver()) isMoving = true;
      }
    }
  }
}
