import { MemoryRateLimitStore } from '../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { LeasedRateLimitStore } from '../../../src/application/gateway/workers/share-rates/leased-rate-limit-store.js';
import { RateLeaseServer } from '../../../src/application/gateway/workers/share-rates/rate-lease-server.js';
import type { RateAnswer, RateQuestion } from '../../../src/application/gateway/workers/share-rates/rate-messages.js';
import { WorkerChannel } from '../../../src/application/shared/worker-channel/worker-channel.js';
import { type DelayedLink, delayedPair } from '../shared/delayed-pair.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler, settled } from '../shared/manual-scheduler.js';

/** A worker with its end of the link, and its own clock, which may stand elsewhere. */
export interface RateWorker {
  readonly store: LeasedRateLimitStore;
  readonly clock: { offsetMs: number };
  /** What it said to the supervisor, and what it was told. */
  questions(): readonly RateQuestion[];
  answers(): readonly { readonly answer: RateAnswer; readonly atMs: number }[];
  /** Ends as a process that is killed. */
  die(): void;
}

export interface RateWorkersOptions {
  /** Asked for each message. */
  readonly delayMs?: () => number;
  /** Buckets of each space that the supervisor keeps, and that a worker knows of. */
  readonly mostBuckets?: number;
  readonly mostKnown?: number;
}

/** A supervisor, and workers that share its rates, in a time of the test's own. */
export class RateWorkers {
  readonly clock = new ManualClock();
  readonly scheduler = new ManualScheduler(this.clock);
  readonly buckets: MemoryRateLimitStore;
  readonly leases: RateLeaseServer;
  readonly faults: unknown[] = [];
  readonly #options: RateWorkersOptions;

  constructor(options: RateWorkersOptions = {}) {
    this.#options = options;
    this.buckets = new MemoryRateLimitStore(this.clock, options.mostBuckets);
    this.leases = new RateLeaseServer(this.buckets, this.clock);
  }

  /** Lets turns end that have begun, and time go on. */
  async advance(ms: number): Promise<void> {
    await settled();
    await this.scheduler.advance(ms);
  }

  start(): RateWorker {
    const { clock, scheduler } = this;
    const [there, here] = delayedPair(clock, scheduler, this.#options.delayMs ?? (() => 0));
    const correspond = (link: DelayedLink) =>
      new WorkerChannel(link, scheduler, (_topic, error) => this.faults.push(error));
    const leave = this.leases.join(correspond(there));
    const own = { offsetMs: 0 };
    const store = new LeasedRateLimitStore(
      {
        supervisor: correspond(here),
        clock: {
          wallMs: () => clock.wallMs(),
          monotonicMs: () => clock.monotonicMs() + own.offsetMs,
          turnMs: () => clock.turnMs() + own.offsetMs,
        },
        scheduler,
        atEndOfTurn: (task) => queueMicrotask(task),
      },
      this.#options.mostKnown,
    );
    return {
      store,
      clock: own,
      questions: () => here.sent.map(({ message }) => message.body as RateQuestion),
      answers: () => there.sent.map(({ message, atMs }) => ({ answer: message.body as RateAnswer, atMs })),
      die: () => {
        here.close();
        leave();
      },
    };
  }
}
