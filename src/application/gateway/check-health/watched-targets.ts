import { streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import type { TargetHealth } from '../../../domain/gateway/health/target-health.js';
import type { ProbedTarget } from '../../ports/gateway/health-prober.js';
import type { ScheduledTask } from '../../ports/shared/scheduler.js';

/** A target with its health record. */
export interface CheckedTarget {
  /** The target as configured. */
  readonly name: string;
  readonly target: ProbedTarget;
  health(): TargetHealth;
  /** Called when the health changes. */
  update(next: TargetHealth): void;
}

/** A target with its schedule. */
export interface WatchedTarget {
  checked: CheckedTarget;
  /** It is no longer watched, and is kept only until its running check ends. */
  isGone: boolean;
  state: 'idle' | 'waiting' | 'checking';
  isFirstCheck: boolean;
  /** The next check. */
  timer: ScheduledTask | null;
}

const keyOf = ({ address, authority, tls }: ProbedTarget): string =>
  `${streamAddressText(address)} ${authority} ${tls?.serverName ?? ''}`;

/** The watched targets of an upstream. */
export class WatchedTargets {
  readonly #watched = new Map<string, WatchedTarget>();

  /** Replaces the targets. Duplicates are watched once. */
  replace(targets: readonly CheckedTarget[]): void {
    const wanted = new Map(targets.map((checked) => [keyOf(checked.target), checked]));
    for (const [key, watched] of this.#watched) {
      if (wanted.has(key)) continue;
      watched.isGone = true;
      watched.timer?.cancel();
      watched.timer = null;
      // Keeps a target with a running check, so that its checks do not overlap if it returns.
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

  /** Forgets a target that is gone, after its last check. */
  forget({ checked }: WatchedTarget): void {
    this.#watched.delete(keyOf(checked.target));
  }

  /** The targets without a queued, running or scheduled check. */
  unplanned(): readonly WatchedTarget[] {
    return [...this.#watched.values()].filter(({ state, timer }) => state === 'idle' && timer === null);
  }
}
