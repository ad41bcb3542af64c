import { socketAddressText } from '../../../domain/configuration/schema/network-kinds.js';
import type { TargetHealth } from '../../../domain/gateway/health/target-health.js';
import type { ProbedTarget } from '../../ports/gateway/health-prober.js';
import type { ScheduledTask } from '../../ports/shared/scheduler.js';

/** A target of whose health somebody keeps a record. */
export interface CheckedTarget {
  readonly target: ProbedTarget;
  health(): TargetHealth;
  /** Called with each health that is another than the one before. */
  update(next: TargetHealth): void;
}

/** A target with its place in the timetable. */
export interface WatchedTarget {
  checked: CheckedTarget;
  /** It is watched no longer; remembered only while a check of it is under way. */
  isGone: boolean;
  state: 'idle' | 'waiting' | 'checking';
  isFirstCheck: boolean;
  /** The next check. */
  timer: ScheduledTask | null;
}

const keyOf = ({ address, authority }: ProbedTarget): string => `${socketAddressText(address)} ${authority}`;

/** The targets of an upstream that are watched. */
export class WatchedTargets {
  readonly #watched = new Map<string, WatchedTarget>();

  /** Takes in a new list. A target that is in it twice is watched once. */
  replace(targets: readonly CheckedTarget[]): void {
    const wanted = new Map(targets.map((checked) => [keyOf(checked.target), checked]));
    for (const [key, watched] of this.#watched) {
      if (wanted.has(key)) continue;
      watched.isGone = true;
      watched.timer?.cancel();
      watched.timer = null;
      // Else it would be checked twice at a time if it came back now.
      if (watched.state !== 'checking') this.#watched.delete(key);
    }
    for (const [key, checked] of wanted) {
      const known = this.#watched.get(key);
      if (known === undefined) {
        this.#watched.set(key, { checked, isGone: false, state: 'idle', isFirstCheck: true, timer: null });
      } else {
        known.checked = checked;
        known.isGone = false;
      }
    }
  }

  /** The last check of a target that is gone has ended. */
  forget({ checked }: WatchedTarget): void {
    this.#watched.delete(keyOf(checked.target));
  }

  /** Those that neither wait for a check, nor for the time of their next one. */
  unplanned(): readonly WatchedTarget[] {
    return [...this.#watched.values()].filter(({ state, timer }) => state === 'idle' && timer === null);
  }
}
