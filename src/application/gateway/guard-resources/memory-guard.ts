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

/** How often memory is looked at. */
const intervalMs = 250;

/** How often it is said again that memory is short. */
const repeatedWarningMs = 10_000;

/** A full collection stops everything else: it is not asked for more often. */
const reclaimMs = 5_000;

export interface MemoryGuardParts {
  readonly figures: ProcessFigures;
  /** Octets that other processes of the gateway hold: the limit is for all together. */
  readonly othersBytes: () => number;
  readonly reclaimer: MemoryReclaimer;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told at every look while memory is short, and with null once when it is no more. */
  readonly tell: (violation: LimitViolation | null) => void;
}

/**
 * Watches the memory of the gateway, one in each of its processes over all its configurations. Without a limit it
 * does nothing.
 */
export class MemoryGuard {
  readonly #parts: MemoryGuardParts;
  #limit: MemoryLimit | null = null;
  #watch: ScheduledTask | null = null;
  #violation: LimitViolation | null = null;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #reclaimedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: MemoryGuardParts) {
    this.#parts = parts;
  }

  /** What holds from now on; memory is looked at before this returns. */
  limit(limits: Pick<LimitsConfiguration, 'maxMemoryBytes' | 'maxMemoryPercent'>): void {
    const { figures, scheduler } = this.#parts;
    this.stop();
    this.#limit = memoryLimit(limits, figures.availableBytes());
    this.#look();
    if (this.#limit !== null) this.#watch = scheduler.every(intervalMs, () => this.#look());
  }

  /** The limit that keeps connections and requests out at the moment; null: none does. */
  violation(): LimitViolation | null {
    return this.#violation;
  }

  /** Null where memory has no limit. */
  status(): MemoryLimitStatus | null {
    return this.#limit && { limitBytes: this.#limit.bytes, isShort: this.#violation !== null };
  }

  /** Looks no more; what holds goes on. */
  stop(): void {
    this.#watch?.cancel();
    this.#watch = null;
  }

  #look(): void {
    const { figures, othersBytes, tell } = this.#parts;
    const wasShort = this.#violation !== null;
    const residentBytes = figures.residentBytes() + othersBytes();
    if (this.#limit === null || !isMemoryShort(wasShort, residentBytes, this.#limit)) {
      if (wasShort) this.#resume(residentBytes);
      return;
    }
    const violation = memoryViolation(residentBytes, this.#limit);
    this.#violation = violation;
    this.#warn(violation, residentBytes);
    tell(violation);
    this.#reclaim();
  }

  #resume(residentBytes: number): void {
    const { logger, tell } = this.#parts;
    this.#violation = null;
    this.#warnedAtMs = Number.NEGATIVE_INFINITY;
    logger.info('the gateway has memory again', { resident_bytes: residentBytes });
    tell(null);
  }

  #warn({ name, limit, actual }: LimitViolation, residentBytes: number): void {
    const { clock, logger } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#warnedAtMs < repeatedWarningMs) return;
    this.#warnedAtMs = nowMs;
    // The fields of every limit that is reached; that it is so is no single client's doing.
    const fields: LogFields = { limit, limit_name: name, actual, client_ip: null, trace_id: null };
    logger.warn('the gateway is short of memory', { ...fields, resident_bytes: residentBytes });
  }

  #reclaim(): void {
    const { clock, reclaimer } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reclaimedAtMs < reclaimMs) return;
    this.#reclaimedAtMs = nowMs;
    reclaimer.reclaim();
  }
}
