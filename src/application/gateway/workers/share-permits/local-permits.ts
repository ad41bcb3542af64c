import type { LimitsConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { PermitOutcome } from '../../../../domain/gateway/limits/held-permits.js';
import { noPermits, type PermitKind, permitLimits } from '../../../../domain/gateway/limits/permit-limits.js';
import type { PermitBook, Permits } from '../../../ports/gateway/permits.js';

interface CurrentLimit {
  limit: number;
}

/** The permits of a key that only this process uses: a count. */
class LocalPermits implements Permits {
  readonly #current: CurrentLimit;
  #taken = 0;

  constructor(current: CurrentLimit) {
    this.#current = current;
  }

  get limit(): number {
    return this.#current.limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get takenByAll(): number {
    return this.#taken;
  }

  take(): PermitOutcome {
    if (this.#taken >= this.#current.limit) return 'full';
    this.#taken += 1;
    return 'taken';
  }

  /** Like `take`, because the outcome is never unknown. */
  async ask(): Promise<boolean> {
    return this.take() === 'taken';
  }

  /** No-op: only this process gives permits back. */
  want(): void {}

  onChange(): void {}

  giveBack(): void {
    this.#taken -= 1;
  }

  close(): void {}
}

/** The permits of a gateway of one process. Each opened key has its own count. */
export class LocalPermitBook implements PermitBook {
  readonly workers = 1;
  readonly #limits = new Map<PermitKind, CurrentLimit>(
    Object.entries(noPermits).map(([kind, limit]) => [kind as PermitKind, { limit }]),
  );

  limit(limits: LimitsConfiguration): void {
    const all = permitLimits(limits, this.workers);
    for (const [kind, current] of this.#limits) current.limit = all[kind];
  }

  open(kind: PermitKind): Permits {
    // INVARIANT: every kind has a limit.
    return new LocalPermits(this.#limits.get(kind) as CurrentLimit);
  }
}
