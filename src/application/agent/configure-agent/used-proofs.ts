import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { proofToleranceMs } from '../../../domain/agent/tokens/dpop-proof.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SessionStoreLease } from '../sessions/session-store-leases.js';
import type { AgentProcessServices } from './agent-process-services.js';

/** Interval at which expired proofs are removed, in milliseconds. */
const periodMs = 60_000;
/** The longest time for which a proof may be in force: its `iat` may be in the future. */
const longestLifeMs = 2 * proofToleranceMs + 1;
/** Maximum proofs removed at once. */
const cleanupBatch = 1_000;
/** Maximum proofs in force that one configuration adds. Stores other than memory have no limit of their own. */
export const maximumProofs = 100_000;

const full = err({ reason: 'there are too many used proofs' });

const none: Pick<ReplayStore, 'remember'> = {
  remember: () => Promise.resolve(err({ reason: 'no method reads tokens' })),
};

interface Period {
  readonly startMs: number;
  /** The proofs that were added in it. */
  proofs: number;
}

/** Limits the proofs in a store, and removes expired ones when others arrive: an agent without proofs has no timer. */
export class BoundedProofs implements Pick<ReplayStore, 'remember'> {
  readonly #replays: Pick<ReplayStore, 'remember' | 'removeExpired'>;
  /** Those with proofs that may be in force, the current one last. */
  #periods: readonly Period[] = [];

  constructor(replays: Pick<ReplayStore, 'remember' | 'removeExpired'>) {
    this.#replays = replays;
  }

  async remember(key: string, untilMs: number, nowMs: number): ReturnType<ReplayStore['remember']> {
    const current = this.#periodAt(nowMs);
    if (this.#periods.reduce((sum, { proofs }) => sum + proofs, 0) >= maximumProofs) return full;
    const remembered = await this.#replays.remember(key, untilMs, nowMs);
    if (remembered.ok && remembered.value === 'first') current.proofs += 1;
    return remembered;
  }

  #periodAt(nowMs: number): Period {
    const last = this.#periods.at(-1);
    if (last !== undefined && Math.abs(nowMs - last.startMs) < periodMs) return last;
    const begun: Period = { startMs: nowMs, proofs: 0 };
    // A clock that was set back ends all periods.
    const mayHold = ({ startMs }: Period): boolean => nowMs >= startMs && nowMs < startMs + periodMs + longestLifeMs;
    this.#periods = [...this.#periods.filter(mayHold), begun];
    void this.#removeExpired(nowMs);
    return begun;
  }

  async #removeExpired(nowMs: number): Promise<void> {
    for (;;) {
      const removed = await this.#replays.removeExpired(nowMs, cleanupBatch);
      if (!removed.ok || removed.value < cleanupBatch) return;
    }
  }
}

/** The store of the used DPoP proofs, leased from `acquire` to `release`. */
export class UsedProofs {
  readonly replays: Pick<ReplayStore, 'remember'>;
  readonly #lease: SessionStoreLease | null;

  private constructor(lease: SessionStoreLease | null) {
    this.#lease = lease;
    this.replays = lease === null ? none : new BoundedProofs(lease.stores.replays);
  }

  /** Opens no store if no method reads tokens. The error is one clause. */
  static async acquire(
    { proofStore }: Pick<CompleteAgentOptions, 'proofStore'>,
    { sessions: services }: Pick<AgentProcessServices, 'sessions'>,
  ): Promise<Result<UsedProofs, string>> {
    if (proofStore === null) return ok(new UsedProofs(null));
    // Used proofs are not sessions: they have a place of their own in the store, with limits of its own.
    const lease = await services.stores.acquire(proofStore.store, `dpop ${proofStore.namespace}`);
    return lease.ok ? ok(new UsedProofs(lease.value)) : lease;
  }

  /** Why the store cannot be used, one clause; null if it can. */
  get storeFailure(): string | null {
    return this.#lease?.state.failure ?? null;
  }

  /** Calls the listener when the store fails or recovers. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    return this.#lease?.state.onChange(listener) ?? (() => undefined);
  }

  /** Idempotent. Never rejects. */
  async release(): Promise<void> {
    await this.#lease?.release();
  }
}
