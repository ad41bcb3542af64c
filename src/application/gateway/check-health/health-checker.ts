import { streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import type { HealthCheck } from '../../../domain/gateway/configuration/upstream-options.js';
import { noteCheck } from '../../../domain/gateway/health/target-health.js';
import type { Result } from '../../../domain/shared/result.js';
import { type HealthProber, outOfDescriptors } from '../../ports/gateway/health-prober.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { type CheckedTarget, type WatchedTarget, WatchedTargets } from './watched-targets.js';

interface CheckEnvironment {
  readonly prober: HealthProber;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** The most concurrent checks of one upstream. Further checks queue. */
export const maximumChecks = 32;

/** Share of the interval by which a check may be earlier or later, so that checks of many gateways spread. */
const jitter = 0.1;

/**
 * Checks each target of one upstream once per interval. Checks of one target do not overlap. The first check of a
 * target begins at once, the second at a random time within the interval.
 */
export class HealthChecker {
  readonly #upstream: string;
  readonly #check: HealthCheck;
  readonly #environment: CheckEnvironment;
  readonly #watched = new WatchedTargets();
  /** In the order of their due times. */
  #waiting: WatchedTarget[] = [];
  #underWay = 0;
  #isRunning = false;

  constructor(upstream: string, check: HealthCheck, environment: CheckEnvironment) {
    this.#upstream = upstream;
    this.#check = check;
    this.#environment = environment;
  }

  /** Sets the targets. Targets that stay keep their schedule, and the results of their running checks count. */
  watch(targets: readonly CheckedTarget[]): void {
    this.#watched.replace(targets);
    this.#waiting = this.#waiting.filter(({ isGone }) => !isGone);
    if (this.#isRunning) this.#plan();
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#plan();
  }

  /** Stops watching all targets. Running checks end by themselves, and their results are ignored. */
  stop(): void {
    this.#isRunning = false;
    this.watch([]);
  }

  #plan(): void {
    for (const watched of this.#watched.unplanned()) this.#due(watched);
  }

  #due(watched: WatchedTarget): void {
    watched.timer = null;
    watched.state = 'waiting';
    this.#waiting.push(watched);
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#underWay < maximumChecks) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      void this.#run(next);
    }
  }

  async #run(watched: WatchedTarget): Promise<void> {
    const { prober, clock } = this.#environment;
    const { probe, timeoutMs } = this.#check;
    const nextMs = clock.monotonicMs() + this.#interval(watched.isFirstCheck);
    watched.state = 'checking';
    watched.isFirstCheck = false;
    this.#underWay += 1;
    const result = await prober.probe(watched.checked.target, probe, timeoutMs);
    this.#underWay -= 1;
    watched.state = 'idle';
    if (watched.isGone) this.#watched.forget(watched);
    else if (this.#isRunning) {
      this.#note(watched.checked, result);
      this.#schedule(watched, nextMs);
    }
    this.#startWaiting();
  }

  /** From the beginning of a check to the beginning of the next; milliseconds. */
  #interval(isFirst: boolean): number {
    const fraction = this.#environment.random.fraction();
    return this.#check.intervalMs * (isFirst ? fraction : 1 + jitter * (2 * fraction - 1));
  }

  #schedule(watched: WatchedTarget, nextMs: number): void {
    const { clock, scheduler } = this.#environment;
    const delayMs = Math.max(0, nextMs - clock.monotonicMs());
    watched.timer = scheduler.after(delayMs, () => this.#due(watched));
  }

  #note(checked: CheckedTarget, result: Result<void, string>): void {
    if (!result.ok && result.error === outOfDescriptors) return;
    const before = checked.health();
    const next = noteCheck(before, result, this.#check, this.#environment.clock.wallMs());
    if (next === before) return;
    checked.update(next);
    if (next.healthy === before.healthy) return;
    const { name } = checked;
    const target = streamAddressText(checked.target.address);
    const fields = { upstream: this.#upstream, target, ...(name === target ? {} : { name }) };
    if (next.healthy) this.#environment.logger.info('Target is healthy again', fields);
    else this.#environment.logger.warn('Target is unhealthy', { ...fields, error: next.lastError });
  }
}
