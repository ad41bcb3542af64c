import { readSessionTokens, type TokenState, tokenState } from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { MaybePromise } from '../../../ports/shared/maybe-promise.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import type { SessionChecks } from '../../authenticate/session-check.js';
import { TtlSet } from '../../authenticate/ttl-set.js';
import { expired, notRefreshed, type SessionCheckResult } from '../../sessions/session-check-result.js';
import type { LoginRefresher, RefreshAttempt, RefreshableSession, SessionRefreshes } from './session-refreshes.js';

/** How long a request waits for a fresh token: less than an agent may take to answer. */
export const refreshWaitMs = 4_000;
/** Interval at which waiting requests look for the result of another process, in milliseconds. */
export const refreshPollMs = 200;
/** Back-off of this process alone after an attempt without fresh tokens, in milliseconds. */
export const localBackoffMs = 1_000;
const maximumBackoffs = 10_000;
/** Maximum waiting requests: half of those that an agent serves, so that a slow provider delays no others. */
export const maximumWaiting = 500;

export interface RefreshedSessionsOptions {
  readonly sessions: SessionChecks;
  readonly refreshes: Pick<SessionRefreshes, 'attempt'>;
  /** Makes this process ask the store for a session again. */
  readonly evict: (idHash: string) => void;
  /** By the provider in sessions. */
  readonly logins: ReadonlyMap<string, LoginRefresher>;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

/**
 * Sessions whose tokens are refreshed on requests. No request waits before the access token expires. Afterwards all
 * requests of a session share one wait. No method rejects.
 */
export class RefreshedSessions implements SessionChecks {
  readonly #parts: RefreshedSessionsOptions;
  /** By hash of the session id. */
  readonly #waits = new Map<string, Promise<SessionCheckResult>>();
  /** Requests that wait. */
  #waiting = 0;
  /** Sessions whose last attempt brought no tokens. */
  readonly #tried: TtlSet;
  /** Those whose refresh failed: waiting for another process does not help. */
  readonly #failed: TtlSet;

  constructor(parts: RefreshedSessionsOptions) {
    this.#parts = parts;
    this.#tried = new TtlSet(parts.clock, localBackoffMs, maximumBackoffs);
    this.#failed = new TtlSet(parts.clock, localBackoffMs, maximumBackoffs);
  }

  check(sessionId: string): MaybePromise<SessionCheckResult> {
    const result = this.#parts.sessions.check(sessionId);
    if (result instanceof Promise) return result.then((reached) => this.#judge(sessionId, reached));
    return this.#judge(sessionId, result);
  }

  #judge(sessionId: string, result: SessionCheckResult): MaybePromise<SessionCheckResult> {
    if (result.kind !== 'active' || result.session.method !== 'oidc') return result;
    const { idHash, provider } = result.session;
    const login = this.#parts.logins.get(provider);
    if (login === undefined) return result;
    switch (this.#stateOf(result.session, login)) {
      case 'valid':
        return result;
      case 'unrefreshable':
        return expired;
      case 'due':
        if (!this.#tried.has(idHash)) void this.#attempt({ sessionId, idHash, login });
        return result;
      case 'expired':
        return this.#failed.has(idHash) ? notRefreshed : this.#waitForTokens({ sessionId, idHash, login });
    }
  }

  #stateOf({ details }: Session, { policy }: LoginRefresher): TokenState {
    return tokenState(readSessionTokens(details), policy, this.#parts.clock.wallMs());
  }

  async #attempt(refreshable: RefreshableSession): Promise<RefreshAttempt> {
    const ended = await this.#parts.refreshes.attempt(refreshable);
    if (ended !== 'settled') this.#tried.add(refreshable.idHash);
    if (ended === 'failed') this.#failed.add(refreshable.idHash);
    return ended;
  }

  /** Waits for fresh tokens. */
  #waitForTokens(refreshable: RefreshableSession): MaybePromise<SessionCheckResult> {
    const { idHash } = refreshable;
    if (this.#waiting >= maximumWaiting) return notRefreshed;
    const wait = this.#waits.get(idHash) ?? this.#wait(refreshable).finally(() => void this.#waits.delete(idHash));
    this.#waits.set(idHash, wait);
    this.#waiting += 1;
    return wait.finally(() => {
      this.#waiting -= 1;
    });
  }

  async #wait(refreshable: RefreshableSession): Promise<SessionCheckResult> {
    const { clock } = this.#parts;
    const deadlineMs = clock.monotonicMs() + refreshWaitMs;
    for (;;) {
      const attempt = await this.#within(deadlineMs - clock.monotonicMs(), this.#attempt(refreshable));
      if (attempt === 'failed') return notRefreshed;
      if (attempt === 'held') await this.#pause(refreshPollMs);
      const found = await this.#stored(refreshable);
      if (found !== null) return found;
      // Tokens whose life is shorter than a refresh: without a pause, each request would refresh them.
      if (attempt === 'settled') this.#failed.add(refreshable.idHash);
      if (attempt === 'settled' || clock.monotonicMs() >= deadlineMs) return notRefreshed;
    }
  }

  /** The session as the store has it; null: its access token is still expired. */
  async #stored({ sessionId, idHash, login }: RefreshableSession): Promise<SessionCheckResult | null> {
    this.#parts.evict(idHash);
    const result = await this.#parts.sessions.check(sessionId);
    if (result.kind === 'unknown') return expired;
    if (result.kind !== 'active') return result;
    const state = this.#stateOf(result.session, login);
    if (state === 'unrefreshable') return expired;
    return state === 'expired' ? null : result;
  }

  /** The result of the attempt, or `failed` after that time. */
  #within(ms: number, attempt: Promise<RefreshAttempt>): Promise<RefreshAttempt> {
    return new Promise((resolve) => {
      const deadline = this.#parts.scheduler.after(Math.max(0, ms), () => resolve('failed'));
      void attempt.then((ended) => {
        deadline.cancel();
        resolve(ended);
      });
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.scheduler.after(ms, resolve));
  }
}
