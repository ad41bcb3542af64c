import type { LimitsConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { PermitHolding } from '../../../../domain/gateway/limits/permit-holding.js';
import { noPermits, type PermitLimits, permitLimits } from '../../../../domain/gateway/limits/permit-limits.js';
import type { PermitReport, PermitWords } from '../../../../domain/gateway/limits/permit-messages.js';
import { type PermitKind, staticShare } from '../../../../domain/gateway/limits/permit-share.js';
import type { PermitBook, Permits } from '../../../ports/gateway/permits.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { permitReports, permitWords } from './permit-notices.js';
import { type PermitSurroundings, SharedPermits } from './shared-permits.js';

const separator = ' ';

const kinds = Object.keys(noPermits) as readonly PermitKind[];

/**
 * Permits of one worker of several. It counts its static share by itself; what goes beyond, the supervisor is asked for.
 * What happens in one turn goes out as one message.
 */
export class SharedPermitBook implements PermitBook {
  readonly workers: number;
  readonly #channel: WorkerChannel;
  readonly #surroundings: PermitSurroundings;
  readonly #open = new Map<string, SharedPermits>();
  readonly #changed = new Set<SharedPermits>();
  #limits: PermitLimits = noPermits;
  /** Number of the last message that has come. */
  #seen = 0;
  /** Answers that have to come before static shares hold. */
  #joins = 0;
  #hasToJoin = false;
  #isFlushing = false;

  constructor(workers: number, channel: WorkerChannel, scheduler: Scheduler) {
    this.workers = workers;
    this.#channel = channel;
    this.#surroundings = {
      scheduler,
      isJoined: () => this.#joins === 0,
      isClosed: () => channel.isClosed,
      changed: (permits) => {
        this.#changed.add(permits);
        this.#flushSoon();
      },
    };
    channel.hear(permitWords, (words) => this.#hear(words));
  }

  limit(limits: LimitsConfiguration): void {
    const before = this.#limits;
    this.#limits = permitLimits(limits, this.workers);
    const hadNoShare = (kind: PermitKind): boolean => staticShare(before[kind], this.workers) === 0;
    // As long as a share is nothing, a worker need not know which keys are contended.
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
      const holding = new PermitHolding(key, kind === 'requests', limit, staticShare(limit, this.workers));
      permits = new SharedPermits(holding, limit, this.#surroundings);
      this.#open.set(key, permits);
    }
    return permits;
  }

  #join(): void {
    this.#joins += 1;
    this.#hasToJoin = true;
    this.#flushSoon();
  }

  #hear({ number, contended, words }: PermitWords): void {
    this.#seen = number;
    for (const word of words) this.#get(word.key).hear(word);
    if (contended === null) return;
    this.#joins -= 1;
    for (const key of contended) this.#get(key).joined();
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
