import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SessionStoreLease } from '../sessions/session-store-leases.js';
import type { AgentProcessServices } from './agent-process-services.js';

/** Minimum interval between removals of expired proofs, in milliseconds. */
const cleanupIntervalMs = 60_000;
/** Maximum proofs removed at once. */
const cleanupBatch = 10_000;

/** Used proofs are not sessions: they have a place of their own in the store, with limits of its own. */
const namespaceOf = (sessions: CompleteAgentOptions['sessions']): string => `dpop ${sessions?.namespace ?? ''}`;

/**
 * Replicas share used proofs only in redis. Otherwise they are in memory, which all workers of a gateway share: a file
 * would be written on each request.
 */
const storeOf = (sessions: CompleteAgentOptions['sessions']): SessionStoreOptions =>
  sessions?.store.kind === 'redis' ? sessions.store : { kind: 'memory' };

const none: Pick<ReplayStore, 'remember'> = {
  remember: () => Promise.resolve(err({ reason: 'no method reads tokens' })),
};

/** Removes expired proofs when others arrive, so that an agent without proofs has no timer. */
const cleanedReplays = (replays: ReplayStore): Pick<ReplayStore, 'remember'> => {
  let nextMs = 0;
  return {
    remember: (key, untilMs, nowMs) => {
      if (nowMs >= nextMs) {
        nextMs = nowMs + cleanupIntervalMs;
        void replays.removeExpired(nowMs, cleanupBatch);
      }
      return replays.remember(key, untilMs, nowMs);
    },
  };
};

/** The store of the used DPoP proofs, leased from `acquire` to `release`. */
export class UsedProofs {
  readonly replays: Pick<ReplayStore, 'remember'>;
  readonly #lease: SessionStoreLease | null;

  private constructor(lease: SessionStoreLease | null) {
    this.#lease = lease;
    this.replays = lease === null ? none : cleanedReplays(lease.stores.replays);
  }

  /** Opens no store if no method reads tokens. The error is one clause. */
  static async acquire(
    { oidc, jwt, sessions }: CompleteAgentOptions,
    { sessions: services }: Pick<AgentProcessServices, 'sessions'>,
  ): Promise<Result<UsedProofs, string>> {
    if (oidc.length === 0 && jwt === null) return ok(new UsedProofs(null));
    const lease = await services.stores.acquire(storeOf(sessions), namespaceOf(sessions));
    return lease.ok ? ok(new UsedProofs(lease.value)) : lease;
  }

  /** Idempotent. Never rejects. */
  async release(): Promise<void> {
    await this.#lease?.release();
  }
}
