import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import {
  isMemoryShort,
  type MemoryLimit,
  memoryLimit,
  memoryViolation,
} from '../../../domain/gateway/limits/memory-limit.js';
import type { MemoryLimitStatus } from '../../ports/gateway/gateway-state.js';
import type { MemoryReclaimer, ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** Interval between checks; milliseconds. */
const intervalMs = 250;

/** Minimum interval between warnings; milliseconds. */
const repeatedWarningMs = 10_000;

/** Minimum interval between full garbage collections, because each blocks the process; milliseconds. */
const reclaimMs = 5_000;

interface GuardedProcess {
  readonly figures: ProcessFigures;
  /** Octets that the gateway's other processes hold. The limit applies to all together. */
  readonly othersBytes: () => number;
  readonly reclaimer: MemoryReclaimer;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called at every check while memory is short, and once with null when it no longer is. */
  readonly report: (violation: LimitViolation | null) => void;
}

/** Watches the memory of the gateway; one guard per process, over all configurations. Does nothing without a limit. */
export class MemoryGuard {
  readonly #process: GuardedProcess;
  #limit: MemoryLimit | null = null;
  #watch: ScheduledTask | null = null;
  #violation: LimitViolation | null = null;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #reclaimedAtMs = Number.NEGATIVE_INFINITY;

  constructor(process: GuardedProcess) {
    this.#process = process;
  }

  /** Sets the limit, and checks memory before it returns. */
  limit(limits: Pick<LimitsConfiguration, 'maxMemoryBytes' | 'maxMemoryPercent'>): void {
    const { figures, scheduler } = this.#process;
    this.stop();
    this.#limit = memoryLimit(limits, figures.availableBytes());
    this.#check();
    if (this.#limit !== null) this.#watch = scheduler.every(intervalMs, () => this.#check());
  }

  /** The violation for which connections and requests are refused; null: memory is not short. */
  violation(): LimitViolation | null {
    return this.#violation;
  }

  /** Null: memory has no limit. */
  status(): MemoryLimitStatus | null {
    return this.#limit && { limitBytes: this.#limit.bytes, isShort: this.#violation !== null };
  }

  /** Stops checking. The current state stays. */
  stop(): void {
    this.#watch?.cancel();
    this.#watch = null;
  }

  #check(): void {
    const { figures, othersBytes, report } = this.#process;
    const wasShort = this.#violation !== null;
    const residentBytes = figures.residentBytes() + othersBytes();
    if (this.#limit === null || !isMemoryShort(wasShort, residentBytes, this.#limit)) {
      if (wasShort) this.#resume(residentBytes);
      return;
    }
    const violation = memoryViolation(residentBytes, this.#limit);
    this.#violation = violation;
    this.#warn(violation, residentBytes);
    report(violation);
    this.#reclaim();
  }

  #resume(residentBytes: number): void {
    const { logger, report } = this.#process;
    this.#violation = null;
    this.#warnedAtMs = Number.NEGATIVE_INFINITY;
    logger.info('the gateway has memory again', { resident_bytes: residentBytes });
    report(null);
  }

  #warn({ name, limit, actual }: LimitViolation, residentBytes: number): void {
    const { clock, logger } = this.#process;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#warnedAtMs < repeatedWarningMs) return;
    this.#warnedAtMs = nowMs;
    // The fields of every limit violation; no single client causes this one.
    const fields: LogFields = { limit, limit_name: name, actual, client_ip: null, trace_id: null };
    logger.warn('the gateway is short of memory', { ...fields, resident_bytes: residentBytes });
  }

  #reclaim(): void {
    const { clock, reclaimer } = this.#process;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reclaimedAtMs < reclaimMs) return;
    this.#reclaimedAtMs = nowMs;
    reclaimer.reclaim();
  }
}
