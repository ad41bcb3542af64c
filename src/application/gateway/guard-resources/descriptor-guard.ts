import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { descriptorWarning } from '../../../domain/gateway/limits/descriptor-demand.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { DescriptorFigures } from '../../ports/gateway/process-figures.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** Interval between checks; milliseconds. */
const intervalMs = 1_000;
/** Minimum interval between equal log lines; milliseconds. */
const repeatedLineMs = 10_000;
/**
 * The share of the limit from which each new connection triggers a check. A client connection may need an upstream
 * connection too, and there are idle ones.
 */
const nearShare = 1 / 4;

interface GuardedProcess {
  readonly figures: DescriptorFigures;
  /** Number of worker processes. */
  readonly workers: number;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<GatewayMetrics, 'descriptorsExhausted'>;
}

/**
 * Reports that the process has no free file descriptor; one guard per process. The system does not report this for
 * accepted connections: libuv accepts such a connection and closes it without an event. So the guard checks the process
 * once per second, and after each connection while there are many.
 */
export class DescriptorGuard {
  readonly #process: GuardedProcess;
  #watch: ScheduledTask | null = null;
  /** The number of client connections from which each new one triggers a check. */
  #near = Number.POSITIVE_INFINITY;
  #isShort = false;
  #shortAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  /** Number of exhaustions since the last line. */
  #unlogged = 0;

  constructor(process: GuardedProcess) {
    this.#process = process;
  }

  start(): void {
    const { figures, scheduler } = this.#process;
    const limit = figures.limit();
    if (limit !== null) this.#near = limit * nearShare;
    this.#watch ??= scheduler.every(intervalMs, () => this.#check());
  }

  stop(): void {
    this.#watch?.cancel();
    this.#watch = null;
  }

  /** The warning for a configuration that is loaded; null: none. */
  warning({ limits, upstreams }: GatewayConfiguration): string | null {
    const { figures, workers } = this.#process;
    return descriptorWarning(limits, upstreams, workers, figures.limit());
  }

  /** A client connection was accepted. @param open number of other client connections in this process */
  noteConnection(open: number): void {
    if (open + 1 >= this.#near) this.#check();
  }

  /** A connection to an upstream failed, because no descriptor was free. */
  noteExhausted(): void {
    const { clock, logger, metrics, figures } = this.#process;
    const nowMs = clock.monotonicMs();
    metrics.descriptorsExhausted();
    this.#isShort = true;
    this.#shortAtMs = nowMs;
    this.#unlogged += 1;
    if (nowMs - this.#loggedAtMs < repeatedLineMs) return;
    this.#loggedAtMs = nowMs;
    logger.error('no file descriptor is free: the gateway closes client connections and opens none to upstreams', {
      limit: figures.limit(),
      times: this.#unlogged,
      remedy: 'raise the limit of open files (ulimit -n, LimitNOFILE), or lower max-total-connections',
    });
    this.#unlogged = 0;
  }

  #check(): void {
    const { figures, clock, logger } = this.#process;
    if (figures.areExhausted()) {
      this.noteExhausted();
      return;
    }
    // At the limit, a process alternates between one free descriptor and none.
    if (!this.#isShort || clock.monotonicMs() - this.#shortAtMs < repeatedLineMs) return;
    this.#isShort = false;
    logger.info('file descriptors are free again', { limit: figures.limit(), times: this.#unlogged });
    this.#unlogged = 0;
    this.#loggedAtMs = Number.NEGATIVE_INFINITY;
  }
}
