import type { Session } from '../../../domain/agent/sessions/session.js';
import { type SessionRules, sessionState } from '../../../domain/agent/sessions/session-state.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { SessionStore, Stored, SubjectSessions } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';
import type { SessionCache } from './session-cache.js';
import { expired, type SessionCheckResult, unavailable, unknownSession } from './session-check-result.js';
import { isSessionId } from './session-id.js';
import type { RememberedSession } from './session-memory.js';

/** Maximum sessions per write. */
const batchSize = 500;
/** Maximum sessions with a pending write. */
const maximumUnwritten = 20_000;

interface LastSeenWriterParts {
  readonly store: Pick<SessionStore, 'touch'>;
  readonly scheduler: Scheduler;
  /** From a use to its write, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Writes last-seen times in batches, off the request path. Retries failed writes. When too many are pending, it drops
 * further ones: a session may then end too early, never too late.
 */
class LastSeenWriter {
  readonly #parts: LastSeenWriterParts;
  readonly #unwritten = new Map<string, number>();
  #next: ScheduledTask | null = null;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(parts: LastSeenWriterParts) {
    this.#parts = parts;
  }

  /** `lastSeenMs` in wall milliseconds. */
  note(idHash: string, lastSeenMs: number): void {
    if (this.#isStopped) return;
    if (this.#unwritten.size >= maximumUnwritten && !this.#unwritten.has(idHash)) return;
    this.#unwritten.set(idHash, lastSeenMs);
    if (this.#next === null && this.#writing === null) this.#schedule();
  }

  /** The pending last-seen time of a session, in wall milliseconds; null if there is none. */
  unwritten(idHash: string): number | null {
    return this.#unwritten.get(idHash) ?? null;
  }

  /** Drops the pending write of a session that has ended. */
  forget(idHash: string): void {
    this.#unwritten.delete(idHash);
  }

  /** Writes all pending times. Resolves after the attempt; never rejects. */
  async flush(): Promise<void> {
    // The current write may leave some behind. One more write suffices, because it starts after this call.
    if (this.#writing !== null) await this.#writing;
    await this.#write();
  }

  /** Flushes a last time. Later notes are ignored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#next?.cancel();
    this.#next = null;
    await this.flush();
    this.#unwritten.clear();
  }

  #schedule(): void {
    this.#next = this.#parts.scheduler.after(this.#parts.delayMs, () => {
      this.#next = null;
      void this.#write();
    });
  }

  #write(): Promise<void> {
    this.#next?.cancel();
    this.#next = null;
    this.#writing ??= this.#writeBatches().finally(() => {
      this.#writing = null;
      if (this.#unwritten.size > 0 && !this.#isStopped) this.#schedule();
    });
    return this.#writing;
  }

  async #writeBatches(): Promise<void> {
    const { store } = this.#parts;
    const due = [...this.#unwritten].map(([idHash, lastSeenMs]) => ({ idHash, lastSeenMs }));
    for (let start = 0; start < due.length; start += batchSize) {
      const batch = due.slice(start, start + batchSize);
      const written = await store.touch(batch);
      if (!written.ok) return;
      for (const { idHash, lastSeenMs } of batch) {
        if (this.#unwritten.get(idHash) === lastSeenMs) this.#unwritten.delete(idHash);
      }
    }
  }
}

/**
 * How long a cached session is valid without a query. A session that another process ended is invalid after this time.
 */
export const recheckMs = 5_000;
/**
 * How long a session stays valid while the store is unavailable, from the start of the last query that confirmed it.
 */
export const longestWithoutStoreMs = 60_000;
/** Maximum delay from a use of a session to its write. */
export const longestWriteDelayMs = 10_000;

export interface SessionsOptions {
  readonly store: SessionStore;
  /** The cached sessions; other configurations may share them. */
  readonly known: SessionCache;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  /** Prepares the identity and the identity headers of a session. Its id decrypts its secrets. */
  readonly prepare: (session: Session, sessionId: string) => PreparedIdentity;
  /** Idle time after which a session ends, in milliseconds; null: no idle limit. */
  readonly idleMs: number | null;
  /** Whether sessions of a provider are valid. */
  readonly accepts: SessionRules['accepts'];
}

/** The sessions of one configuration: a cache in front of the store. No method rejects. */
export class Sessions {
  readonly #parts: SessionsOptions;
  readonly #known: SessionCache;
  readonly #lastSeen: LastSeenWriter;
  /** Shortened for short idle times: a session that other processes use must not look idle here. */
  readonly #recheckMs: number;

  constructor(parts: SessionsOptions) {
    const { store, known, scheduler, idleMs } = parts;
    const quarterMs = idleMs === null ? Number.POSITIVE_INFINITY : idleMs / 4;
    this.#parts = parts;
    this.#recheckMs = Math.min(recheckMs, quarterMs);
    this.#known = known;
    this.#lastSeen = new LastSeenWriter({
      store,
      scheduler,
      delayMs: Math.min(longestWriteDelayMs, quarterMs),
    });
  }

  /** Checks a session id and counts as a use of an active session. Synchronous on a cache hit. */
  check(sessionId: string): SessionCheckResult | Promise<SessionCheckResult> {
    if (!isSessionId(sessionId)) return unknownSession;
    const idHash = this.#parts.digest.sha256Hex(sessionId);
    const remembered = this.#known.recall(idHash);
    if (remembered !== null && this.#parts.clock.monotonicMs() < this.#countsUntilMs(remembered)) {
      return this.#checkRemembered(remembered, sessionId);
    }
    if (remembered === null && this.#known.isUnknown(idHash)) return unknownSession;
    return this.#ask(idHash, sessionId);
  }

  /** Whether the store has an active session with this hash. Does not count as a use. */
  async isActive(idHash: string): Stored<boolean> {
    const { store, clock, idleMs, accepts } = this.#parts;
    const found = await store.find(idHash);
    if (!found.ok) return found;
    const rules = { nowMs: clock.wallMs(), idleMs, accepts };
    return ok(found.value !== null && sessionState(found.value, rules) === 'active');
  }

  /** Begins a session. Succeeds once the store has it. */
  async open(session: Session): Stored<void> {
    const askedMs = this.#parts.clock.monotonicMs();
    const inserted = await this.#parts.store.insert(session);
    if (inserted.ok) this.#known.begun(session, askedMs);
    else this.#known.mayHaveBegun(session.idHash);
    return inserted;
  }

  /** Ends the session of an id, expired or not, and returns it; null if there is none. */
  async end(sessionId: string): Stored<Session | null> {
    if (!isSessionId(sessionId)) return ok(null);
    const { digest, store } = this.#parts;
    const idHash = digest.sha256Hex(sessionId);
    this.#forget(idHash);
    const found = await store.find(idHash);
    if (!found.ok || found.value === null) return found;
    const removed = await store.remove(idHash);
    // Evict again: a request may have cached it meanwhile. After a failed removal the store must be asked again.
    this.#forget(idHash);
    if (!removed.ok) return err(removed.error);
    return ok(removed.value ? found.value : null);
  }

  /** Ends the sessions that the identity provider names and returns the hashes of their ids. */
  async endOfSubject(subject: SubjectSessions): Stored<readonly string[]> {
    const removed = await this.#parts.store.removeOfSubject(subject);
    if (removed.ok) for (const idHash of removed.value) this.#forget(idHash);
    // It is unknown which sessions are gone, so the store must be asked about each.
    else this.#known.endedOfSubject(subject);
    return removed;
  }

  /** Writes pending last-seen times now. */
  flush(): Promise<void> {
    return this.#lastSeen.flush();
  }

  /** Flushes a last time. Pending requests may still check sessions; no timer remains. */
  stop(): Promise<void> {
    return this.#lastSeen.stop();
  }

  async #ask(idHash: string, sessionId: string): Promise<SessionCheckResult> {
    const found = await this.#known.find(idHash);
    if (found === 'crowded' || found === 'failed') return this.#withoutStore(idHash, sessionId);
    // The session may have ended since it was read.
    if (found === 'superseded') return this.#ask(idHash, sessionId);
    if (found !== 'unknown') return this.#checkRemembered(found, sessionId);
    this.#lastSeen.forget(idHash);
    return unknownSession;
  }

  /** Judges the cached session if it is not too old, and postpones the next query. */
  #withoutStore(idHash: string, sessionId: string): SessionCheckResult {
    const remembered = this.#known.recall(idHash);
    if (remembered === null) return unavailable;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs >= remembered.confirmedMs + longestWithoutStoreMs) return unavailable;
    remembered.askedMs = nowMs;
    return this.#checkRemembered(remembered, sessionId);
  }

  /** Until when the cached session is valid without a query. */
  #countsUntilMs({ askedMs, confirmedMs }: RememberedSession): number {
    return Math.min(askedMs + this.#recheckMs, confirmedMs + longestWithoutStoreMs);
  }

  #checkRemembered(remembered: RememberedSession, sessionId: string): SessionCheckResult {
    const { clock, idleMs, accepts } = this.#parts;
    const nowMs = clock.wallMs();
    this.#catchUp(remembered);
    const state = sessionState(remembered.session, { nowMs, idleMs, accepts });
    if (state === 'other_provider') return unknownSession;
    if (state !== 'active') return expired;
    if (nowMs > remembered.session.lastSeenMs) {
      remembered.session = { ...remembered.session, lastSeenMs: nowMs };
      this.#lastSeen.note(remembered.session.idHash, nowMs);
    }
    return { kind: 'active', prepared: this.#preparedOf(remembered, sessionId), session: remembered.session };
  }

  /** Applies a pending last-seen time: the cache may have evicted the session after a use that is not yet written. */
  #catchUp(remembered: RememberedSession): void {
    const unwrittenMs = this.#lastSeen.unwritten(remembered.session.idHash);
    if (unwrittenMs === null || unwrittenMs <= remembered.session.lastSeenMs) return;
    remembered.session = { ...remembered.session, lastSeenMs: unwrittenMs };
  }

  /** Prepares the identity with this configuration; another one may have cached the session. */
  #preparedOf({ session, prepared }: RememberedSession, sessionId: string): PreparedIdentity {
    const known = prepared.get(this);
    if (known !== undefined) return known;
    const made = this.#parts.prepare(session, sessionId);
    prepared.set(this, made);
    return made;
  }

  #forget(idHash: string): void {
    this.#known.ended(idHash);
    this.#lastSeen.forget(idHash);
  }
}
