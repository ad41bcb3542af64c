import type {
  EndedRefresh,
  LeaseOutcome,
  RefreshLease,
  SessionCounts,
  SessionPage,
  SessionStore,
  Stored,
  SubjectSessions,
} from '../../../src/application/ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../src/domain/agent/configuration/sessions-options.js';
import type { Session } from '../../../src/domain/agent/sessions/session.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

type Method = keyof SessionStore;

/** A store that a test can look into, take down, and make to answer late. What it is asked it does at once. */
export class FakeSessionStore implements SessionStore {
  readonly sessions = new Map<string, Session>();
  readonly leases = new Map<string, { readonly holder: string | null; readonly untilMs: number }>();
  isDown = false;
  /** Methods that were called, in order. */
  readonly calls: Method[] = [];
  /** How many sessions each call of `touch` noted. */
  readonly touches: number[] = [];
  readonly #held = new Set<Method>();
  #late: (() => void)[] = [];

  asked(method: Method): number {
    return this.calls.filter((call) => call === method).length;
  }

  /** Answers of the method come only after `letGo`. */
  hold(method: Method): void {
    this.#held.add(method);
  }

  letGo(): void {
    this.#held.clear();
    const late = this.#late;
    this.#late = [];
    for (const answer of late) answer();
  }

  insert(session: Session): Stored<void> {
    return this.#answer('insert', () => void this.sessions.set(session.idHash, session));
  }

  find(idHash: string): Stored<Session | null> {
    return this.#answer('find', () => this.sessions.get(idHash) ?? null);
  }

  touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void> {
    return this.#answer('touch', () => {
      this.touches.push(seen.length);
      for (const { idHash, lastSeenMs } of seen) {
        const session = this.sessions.get(idHash);
        if (session !== undefined && session.lastSeenMs < lastSeenMs) {
          this.sessions.set(idHash, { ...session, lastSeenMs });
        }
      }
    });
  }

  takeRefreshLease({ idHash, holder, untilMs, nowMs }: RefreshLease): Stored<LeaseOutcome> {
    return this.#answer('takeRefreshLease', () => {
      if (!this.sessions.has(idHash)) return 'gone';
      const held = this.leases.get(idHash);
      if (held !== undefined && held.untilMs > nowMs) return held.holder === null ? 'backing_off' : 'held';
      this.leases.set(idHash, { holder, untilMs });
      return 'leased';
    });
  }

  endRefresh({ idHash, holder, details, backoffUntilMs }: EndedRefresh): Stored<boolean> {
    return this.#answer('endRefresh', () => {
      const session = this.sessions.get(idHash);
      if (session === undefined || this.leases.get(idHash)?.holder !== holder) return false;
      this.sessions.set(idHash, { ...session, details: details ?? session.details });
      this.leases.set(idHash, { holder: null, untilMs: backoffUntilMs });
      return true;
    });
  }

  remove(idHash: string): Stored<boolean> {
    return this.#answer('remove', () => this.sessions.delete(idHash));
  }

  removeOfSubject({ method, provider, subject, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    return this.#answer('removeOfSubject', () =>
      this.#removeWhere(
        (session) =>
          session.method === method &&
          session.provider === provider &&
          session.logout !== null &&
          (subject === null || session.logout.subject === subject) &&
          ((subject !== null && sessionIndexes.length === 0) || sessionIndexes.includes(session.logout.session ?? '')),
      ),
    );
  }

  removeOfUser(userId: string): Stored<readonly string[]> {
    return this.#answer('removeOfUser', () => this.#removeWhere((session) => session.userId === userId));
  }

  list(): Stored<SessionPage> {
    return this.#answer('list', () => ({ sessions: [...this.sessions.values()], next: null }));
  }

  findByPrefix(hashPrefix: string): Stored<readonly Session[]> {
    return this.#answer('findByPrefix', () =>
      [...this.sessions.values()].filter(({ idHash }) => idHash.startsWith(hashPrefix)),
    );
  }

  removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number> {
    return this.#answer('removeExpired', () => {
      let removed = 0;
      const isOver = (session: Session) =>
        session.expiresMs <= nowMs || (seenBeforeMs !== null && session.lastSeenMs < seenBeforeMs);
      for (const [idHash, session] of this.sessions) {
        if (removed < limit && isOver(session)) {
          this.sessions.delete(idHash);
          removed += 1;
        }
      }
      return removed;
    });
  }

  countByMethod(): Stored<SessionCounts> {
    return this.#answer('countByMethod', () => {
      const counts = { saml: 0, oidc: 0 };
      for (const { method } of this.sessions.values()) counts[method] += 1;
      return counts;
    });
  }

  count(): Stored<number> {
    return this.#answer('count', () => this.sessions.size);
  }

  #removeWhere(isMeant: (session: Session) => boolean): readonly string[] {
    const removed = [...this.sessions.values()].filter(isMeant).map(({ idHash }) => idHash);
    for (const idHash of removed) this.sessions.delete(idHash);
    return removed;
  }

  async #answer<Value>(method: Method, act: () => Value): Stored<Value> {
    this.calls.push(method);
    const outcome = this.isDown ? err({ reason: 'the disk is full' }) : ok(act());
    if (this.#held.has(method)) await new Promise<void>((resolve) => void this.#late.push(resolve));
    return outcome;
  }
}

/** Opens nothing, and says what it was asked for. */
export class FakeStoreOpener implements SessionStoreOpener {
  readonly kinds: SessionStoreOptions['kind'][] = [];

  async open(options: SessionStoreOptions): Promise<Result<SessionStores, string>> {
    this.kinds.push(options.kind);
    return err('there is nothing to open');
  }
}
