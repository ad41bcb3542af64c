import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { descriptorWarning } from '../../../domain/gateway/limits/descriptor-demand.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { DescriptorFigures } from '../../ports/gateway/process-figures.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** How often the process is looked at. */
const intervalMs = 1_000;
/** Between two lines that say the same. */
const repeatedLineMs = 10_000;
/**
 * Each connection of a client may come with one to an upstream, and there are idle ones: from here on each is looked
 * at.
 */
const nearShare = 1 / 4;

export interface DescriptorGuardParts {
  readonly figures: DescriptorFigures;
  /** Processes that serve. */
  readonly workers: number;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<GatewayMetrics, 'descriptorsExhausted'>;
}

/**
 * Reports that the process has no free file descriptor, one guard in each process. The system does not report it when
 * a connection is accepted: libuv accepts such a connection and closes it without an event. So the process is looked
 * at once a second, and after each connection while there are many.
 */
export class DescriptorGuard {
  readonly #parts: DescriptorGuardParts;
  #watch: ScheduledTask | null = null;
  /** Connections of clients from which on each is looked at. */
  #near = Number.POSITIVE_INFINITY;
  #isShort = false;
  #shortAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  /** Times that none was free since the last line. */
  #unlogged = 0;

  constructor(parts: DescriptorGuardParts) {
    this.#parts = parts;
  }

  start(): void {
    const { figures, scheduler } = this.#parts;
    const limit = figures.limit();
    if (limit !== null) this.#near = limit * nearShare;
    this.#watch ??= scheduler.every(intervalMs, () => this.#look());
  }

  stop(): void {
    this.#watch?.cancel();
    this.#watch = null;
  }

  /** What is to be said of a configuration when it is loaded; null: nothing. */
  warning({ limits, upstreams }: GatewayConfiguration): string | null {
    const { figures, workers } = this.#parts;
    return descriptorWarning(limits, upstreams, workers, figures.limit());
  }

  /** A connection of a client was accepted. @param open how many there are in this process, without it */
  noteConnection(open: number): void {
    if (open + 1 >= this.#near) this.#look();
  }

  /** A connection to an upstream could not be opened, because no descriptor was free. */
  noteExhausted(): void {
    const { clock, logger, metrics, figures } = this.#parts;
    const nowMs = clock.monotonicMs();
    metrics.descriptorsExhausted();
    this.#isShort = true;
    this.#shortAtMs = nowMs;
    this.#unlogged += 1;
    if (nowMs - this.#loggedAtMs < repeatedLineMs) return;
    this.#loggedAtMs = nowMs;
    logger.error(
      'no file descriptor is free: connections of clients are closed unanswered, none is made to upstreams',
      {
        limit: figures.limit(),
        times: this.#unlogged,
        remedy: 'raise the limit of open files (ulimit -n, LimitNOFILE), or lower max-total-connections',
      },
    );
    this.#unlogged = 0;
  }

  #look(): void {
    const { figures, clock, logger } = this.#parts;
    if (figures.areExhausted()) {
      this.noteExhausted();
      return;
    }
    // A process at its limit has one free, and none, in turn.
    if (!this.#isShort || clock.monotonicMs() - this.#shortAtMs < repeatedLineMs) return;
    this.#isShort = false;
    logger.info('file descriptors are free again', { limit: figures.limit(), times: this.#unlogged });
    this.#unlogged = 0;
    this.#loggedAtMs = Number.NEGATIVE_INFINITY;
  }
}
