import {
  type FinalRefreshFailure,
  failedRefreshDetails,
  type RefreshPolicy,
  type RetryableRefreshFailure,
  readSessionTokens,
  refreshBackoffMs,
  refreshFailures,
  type TokenRefreshResult,
  tokenState,
} from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { EndedRefresh, SessionStore, Stored } from '../../../ports/agent/session-store.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import { CancellationSource } from '../../../shared/cancellation/cancellation-source.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import type { RefreshOutcome } from './refresh-session-tokens.js';

/** Lifetime of a lease, in milliseconds. The calls to the provider end earlier, so two processes never overlap. */
export const refreshLeaseMs = 15_000;
/** Deadline of the calls to the provider in one refresh, in milliseconds. */
export const refreshDeadlineMs = 8_000;
/** Maximum concurrent refreshes of a process. */
const maximumRefreshes = 1_000;
/** Delay between attempts to store fresh tokens, in milliseconds. */
const storeRetryMs = 300;
/** How long a process retries to store fresh tokens, in milliseconds. A failover of the store takes seconds. */
export const tokenStoreDeadlineMs = 10_000;
/** Minimum interval between log lines about failures: each session has its own. */
const failureLogMs = 1_000;

/** Refreshes the sessions of one login. */
export interface LoginRefresher {
  readonly name: string;
  readonly policy: RefreshPolicy;
  refresh(sessionId: string, session: Session, cancellation: Cancellation): Promise<RefreshOutcome>;
}

/** Counts the results of refreshes. */
export interface RefreshOutcomes {
  refreshedTokens(result: TokenRefreshResult): void;
}

export interface SessionRefreshesOptions {
  readonly store: Pick<SessionStore, 'find' | 'remove' | 'takeRefreshLease' | 'endRefresh'>;
  /** Makes this process ask the store for a session again. */
  readonly evict: (idHash: string) => void;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly random: Pick<Random, 'token' | 'fraction'>;
  readonly logger: Logger;
  readonly outcomes: RefreshOutcomes;
}

/** A session whose tokens a request needs. */
export interface RefreshableSession {
  readonly sessionId: string;
  /** The hash of `sessionId`. */
  readonly idHash: string;
  readonly login: LoginRefresher;
}

/**
 * `settled`: the store tells what became of the session. `held`: another process refreshes it. `failed`: no fresh token
 * for now.
 */
export type RefreshAttempt = 'settled' | 'held' | 'failed';

/** Refreshes sessions, each once in all processes with the store. No method rejects. */
export class SessionRefreshes {
  readonly #parts: SessionRefreshesOptions;
  /** By hash of the session id. */
  readonly #attempts = new Map<string, Promise<RefreshAttempt>>();
  readonly #failureLines: OncePerPeriod;
  #isStopped = false;

  constructor(parts: SessionRefreshesOptions) {
    this.#parts = parts;
    this.#failureLines = new OncePerPeriod(parts.clock, failureLogMs);
  }

  /** Begins no further refresh. Resolves when the running ones have ended, so that no rotated token is lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#attempts.values());
  }

  /** Refreshes the session if no other process does. Requests of one session share the attempt. */
  attempt(refreshable: RefreshableSession): Promise<RefreshAttempt> {
    const { idHash } = refreshable;
    const running = this.#attempts.get(idHash);
    if (running !== undefined) return running;
    if (this.#isStopped || this.#attempts.size >= maximumRefreshes) return Promise.resolve('failed');
    const attempt = this.#begin(refreshable).finally(() => void this.#attempts.delete(idHash));
    this.#attempts.set(idHash, attempt);
    return attempt;
  }

  async #begin(refreshable: RefreshableSession): Promise<RefreshAttempt> {
    const { store, clock, random, evict } = this.#parts;
    const { idHash, login } = refreshable;
    const holder = random.token();
    const nowMs = clock.wallMs();
    const leased = await store.takeRefreshLease({ idHash, holder, untilMs: nowMs + refreshLeaseMs, nowMs });
    if (!leased.ok) return this.#failed(refreshable, 'store_unavailable', leased.error.reason);
    if (leased.value === 'held') return 'held';
    if (leased.value === 'backing_off') return 'failed';
    const found = leased.value === 'gone' ? null : await store.find(idHash);
    if (found !== null && !found.ok) return this.#failed(refreshable, 'store_unavailable', found.error.reason);
    const session = found?.value ?? null;
    if (session === null) {
      evict(idHash);
      return 'settled';
    }
    const state = tokenState(readSessionTokens(session.details), login.policy, clock.wallMs());
    if (state === 'due' || state === 'expired') return this.#refresh(refreshable, session, holder);
    // Another process has just refreshed the session.
    await store.endRefresh({ idHash, holder, details: null, backoffUntilMs: 0 });
    evict(idHash);
    return 'settled';
  }

  async #refresh(refreshable: RefreshableSession, session: Session, holder: string): Promise<RefreshAttempt> {
    const { scheduler, clock, random } = this.#parts;
    const { idHash, sessionId, login } = refreshable;
    const cancellation = new CancellationSource();
    const deadline = scheduler.after(refreshDeadlineMs, () => cancellation.cancel());
    const outcome = await login.refresh(sessionId, session, cancellation);
    deadline.cancel();
    switch (outcome.kind) {
      case 'refreshed':
        return this.#storeTokens(refreshable, { idHash, holder, details: outcome.details, backoffUntilMs: 0 });
      case 'ends':
        return this.#endSession(refreshable, session, holder, outcome.reason);
      case 'failed': {
        const details = failedRefreshDetails(outcome.details);
        const backoffMs = refreshBackoffMs(refreshFailures(details), random.fraction());
        await this.#store({ idHash, holder, details, backoffUntilMs: clock.wallMs() + backoffMs });
        return this.#failed(refreshable, outcome.reason, outcome.detail);
      }
    }
  }

  async #storeTokens(refreshable: RefreshableSession, ended: EndedRefresh): Promise<RefreshAttempt> {
    const stored = await this.#store(ended);
    if (!stored.ok) return this.#failed(refreshable, 'store_unavailable', stored.error.reason);
    // Without the lease, the session has ended, or another process has refreshed it.
    if (stored.value) this.#parts.outcomes.refreshedTokens('refreshed');
    return 'settled';
  }

  /** Ends the session, unless another process has taken the lease meanwhile. */
  async #endSession(
    refreshable: RefreshableSession,
    session: Session,
    holder: string,
    reason: FinalRefreshFailure,
  ): Promise<RefreshAttempt> {
    const { store, clock, evict, outcomes, logger } = this.#parts;
    const { idHash, login } = refreshable;
    const own = await this.#store({ idHash, holder, details: null, backoffUntilMs: clock.wallMs() + refreshLeaseMs });
    if (!own.ok) return this.#failed(refreshable, 'store_unavailable', own.error.reason);
    if (!own.value) return 'settled';
    const removed = await store.remove(idHash);
    evict(idHash);
    if (!removed.ok) return this.#failed(refreshable, 'store_unavailable', removed.error.reason);
    outcomes.refreshedTokens(reason);
    logger.info('the session ended at a refresh of its tokens', {
      login: login.name,
      reason,
      user: session.userId,
      session: idHash.slice(0, 12),
    });
    return 'settled';
  }

  /**
   * Stores the end of a refresh. Retries failures, because losing a rotated refresh token ends the session. The store
   * refuses a retry once another process has the lease.
   */
  async #store(ended: EndedRefresh): Stored<boolean> {
    const { store, evict, scheduler, clock } = this.#parts;
    const untilMs = clock.monotonicMs() + tokenStoreDeadlineMs;
    for (;;) {
      const stored = await store.endRefresh(ended);
      // While the store fails, the cached session stays in use.
      if (stored.ok) evict(ended.idHash);
      if (stored.ok || clock.monotonicMs() >= untilMs) return stored;
      await new Promise<void>((resolve) => void scheduler.after(storeRetryMs, resolve));
    }
  }

  #failed(
    { idHash, login }: RefreshableSession,
    reason: RetryableRefreshFailure,
    detail: string | null,
  ): RefreshAttempt {
    const { outcomes, logger } = this.#parts;
    outcomes.refreshedTokens(reason);
    const untold = this.#failureLines.take();
    if (untold !== null) {
      const fields = { login: login.name, reason, session: idHash.slice(0, 12), untold };
      logger.warn('the tokens of a session could not be refreshed', detail === null ? fields : { ...fields, detail });
    }
    return 'failed';
  }
}
