import type { TargetName } from '../../../ports/gateway/gateway-state.js';
import type { DrainCommand } from './gathering-topics.js';

/** The most targets that are kept. The oldest is removed first. */
const maximumTargets = 10_000;

const keyOf = ({ upstream, address }: TargetName): string => JSON.stringify([upstream, address.toLowerCase()]);

/** The drained targets, for workers that start later. */
export class DrainedTargets {
  readonly #targets = new Map<string, TargetName>();

  /** @param targets the targets that a predecessor of this program had drained */
  constructor(targets: readonly TargetName[] = []) {
    for (const { upstream, address } of targets) this.note({ upstream, address, drained: true });
  }

  note({ upstream, address, drained }: DrainCommand): void {
    const key = keyOf({ upstream, address });
    this.#targets.delete(key);
    if (!drained) return;
    this.#targets.set(key, { upstream, address });
    const [oldest] = this.#targets.keys();
    if (this.#targets.size > maximumTargets && oldest !== undefined) this.#targets.delete(oldest);
  }

  list(): readonly TargetName[] {
    return [...this.#targets.values()];
  }
}
