import type { TargetName } from '../../../ports/gateway/gateway-state.js';
import type { DrainWish } from './gathering-topics.js';

/** Targets at most that are remembered; the oldest wish goes first. */
const maximumWishes = 10_000;

const keyOf = ({ upstream, address }: TargetName): string => JSON.stringify([upstream, address.toLowerCase()]);

/** The targets that somebody has drained, for workers that come later. */
export class DrainedTargets {
  readonly #targets = new Map<string, TargetName>();

  /** @param targets those that a predecessor of this program had drained */
  constructor(targets: readonly TargetName[] = []) {
    for (const { upstream, address } of targets) this.note({ upstream, address, drained: true });
  }

  note({ upstream, address, drained }: DrainWish): void {
    const key = keyOf({ upstream, address });
    this.#targets.delete(key);
    if (!drained) return;
    this.#targets.set(key, { upstream, address });
    const [oldest] = this.#targets.keys();
    if (this.#targets.size > maximumWishes && oldest !== undefined) this.#targets.delete(oldest);
  }

  list(): readonly TargetName[] {
    return [...this.#targets.values()];
  }
}
