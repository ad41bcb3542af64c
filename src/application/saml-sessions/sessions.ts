import type { Session } from '../../domain/saml/session/session.js';
import { sessionStanding } from '../../domain/saml/session/session-rules.js';
import { err, ok } from '../../domain/shared/result.js';
import type { PreparedIdentity } from '../authenticate-request/authentication-check.js';
import { BriefMemory } from '../authenticate-request/brief-memory.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { SessionStore, Stored, SubjectSessions } from '../ports/session-store.js';
import { LastSeenWriter } from './last-seen-writer.js';
import { expired, type SessionCheckResult, unavailable, unknown } from './session-check-result.js';
import { isSessionId } from './session-id.js';
import { SessionLookUps } from './session-look-ups.js';
import { type RememberedSession, SessionMemory, type SessionMemoryLimits } from './session-memory.js';
import { StoreState } from './store-state.js';

/** How long what is remembered of a session counts without the store being asked: one that another process ends is over by then. */
export const recheckMs = 5_000;
/** How long a session serves on while the store cannot be asked, from when it last said that the session is there. */
export const longestWithoutStoreMs = 60_000;
/** How long it is remembered that there is no such session. */
export const unknownRememberedMs = 2_000;
/** From a use of a session to when the store is told of it, at the most. */
export const longestWriteDelayMs = 10_000;
const rememberedUnknown = 10_000;
const memoryLimits: SessionMemoryLimits = { maximumEntries: 10_000, maximumSize: 64 * 1024 * 1024 };

export interface SessionsParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly logger: Logger;
  /** Makes the identity of a session, and the headers that tell of it. */
  readonly prepare: (session: Session) => PreparedIdentity;
  /** How long a session lasts without use, in milliseconds; null: as long as it lasts. */
  readonly idleMs: number | null;
  /** Entity id of the identity provider whose sessions count; null: it is not known, and those of any do. */
  readonly issuer: () => string | null;
  /** Default: 10 000 sessions, and 64 Mi characters. */
  readonly memory?: SessionMemoryLimits;
}

/**
 * The sessions of one configuration: those of the store, with a memory of the recent ones before it, so that a request costs a
 * look into that in the usual case. No method rejects.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #state: StoreState;
  readonly #memory: SessionMemory;
  readonly #unknown: BriefMemory;
  readonly #lookUps: SessionLookUps;
  readonly #lastSeen: LastSeenWriter;
  /** A session that is used in other processes as well must not look idle here. */
  readonly #recheckMs: number;

  constructor(parts: SessionsParts) {
    const { store, clock, scheduler, logger, idleMs } = parts;
    const quarterMs = idleMs === null ? Number.POSITIVE_INFINITY : idleMs / 4;
    this.#parts = parts;
    this.#recheckMs = Math.min(recheckMs, quarterMs);
    this.#state = new StoreState(logger);
    this.#memory = new SessionMemory(parts.memory ?? memoryLimits);
    this.#unknown = new BriefMemory(clock, unknownRememberedMs, rememberedUnknown);
    this.#lookUps = new SessionLookUps((idHash) => this.#lookUp(idHash));
    this.#lastSeen = new LastSeenWriter({
      store,
      scheduler,
      state: this.#state,
      delayMs: Math.min(longestWriteDelayMs, quarterMs),
    });
  }

  /** Whether the last use of the store failed. */
  get isFailing(): boolean {
    return this.#state.isFailing;
  }

  /** What a session id has come to; a session that is active counts as seen. At once where it is remembered. */
  check(sessionId: string): SessionCheckResult | Promise<SessionCheckResult> {
    if (!isSessionId(sessionId)) return unknown;
    const idHash = this.#parts.digest.sha256Hex(sessionId);
    const remembered = this.#memory.find(idHash);
    if (remembered !== null && this.#parts.clock.monotonicMs() < remembered.recheckMs) return this.#judge(remembered);
    if (remembered === null && this.#unknown.has(idHash)) return unknown;
    return this.#ask(idHash);
  }

  /** Begins a session: it succeeds once the store has it. */
  async open(session: Session): Stored<void> {
    const askedMs = this.#parts.clock.monotonicMs();
    const inserted = this.#state.noted(await this.#parts.store.insert(session));
    this.#unknown.forget(session.idHash);
    this.#lookUps.supersede(session.idHash);
    if (inserted.ok) this.#remember(session, askedMs);
    return inserted;
  }

  /** Ends the session of an id, whether or not it is over; null: there is none. */
  async end(sessionId: string): Stored<Session | null> {
    if (!isSessionId(sessionId)) return ok(null);
    const { digest, store } = this.#parts;
    const idHash = digest.sha256Hex(sessionId);
    this.#forget(idHash);
    const found = this.#state.noted(await store.find(idHash));
    if (!found.ok || found.value === null) return found;
    const removed = this.#state.noted(await store.remove(idHash));
    // Again, for a request may have found it meanwhile; and where it is not sure that it is gone, the store is to be asked.
    this.#forget(idHash);
    if (!removed.ok) return err(removed.error);
    return ok(removed.value ? found.value : null);
  }

  /** Ends the sessions that the identity provider names; the result is how many. */
  async endOfSubject(subject: SubjectSessions): Stored<number> {
    const removed = this.#state.noted(await this.#parts.store.removeOfSubject(subject));
    if (removed.ok) for (const idHash of removed.value) this.#forget(idHash);
    // Where it is not sure which are gone, the store is to be asked about each.
    else this.#forgetSubject(subject);
    return removed.ok ? ok(removed.value.length) : removed;
  }

  /** Writes now when sessions were last seen. */
  flush(): Promise<void> {
    return this.#lastSeen.flush();
  }

  /** The last flush. Requests that are still under way may go on to ask; no timer is left. */
  stop(): Promise<void> {
    return this.#lastSeen.stop();
  }

  async #ask(idHash: string): Promise<SessionCheckResult> {
    const result = await this.#lookUps.find(idHash);
    if (result === 'crowded') return this.#withoutStore(idHash);
    // What was found may have ended since it was read.
    return result === 'superseded' ? this.#ask(idHash) : result;
  }

  async #lookUp(idHash: string): Promise<() => SessionCheckResult> {
    const { store, clock } = this.#parts;
    const askedMs = clock.monotonicMs();
    const found = this.#state.noted(await store.find(idHash));
    return () => {
      if (!found.ok) return this.#withoutStore(idHash);
      if (found.value !== null) return this.#judge(this.#remember(found.value, askedMs));
      this.#forget(idHash);
      this.#unknown.add(idHash);
      return unknown;
    };
  }

  /** What is remembered, if it is not too old; the store is not asked about it again for a moment. */
  #withoutStore(idHash: string): SessionCheckResult {
    const remembered = this.#memory.find(idHash);
    if (remembered === null) return unavailable;
    const nowMs = this.#parts.clock.monotonicMs();
    const endMs = remembered.confirmedMs + longestWithoutStoreMs;
    if (nowMs >= endMs) return unavailable;
    remembered.recheckMs = Math.min(nowMs + this.#recheckMs, endMs);
    return this.#judge(remembered);
  }

  #judge(remembered: RememberedSession): SessionCheckResult {
    const { clock, idleMs, issuer } = this.#parts;
    const nowMs = clock.wallMs();
    const standing = sessionStanding(remembered.session, { nowMs, idleMs, issuer: issuer() });
    if (standing === 'other_issuer') return unknown;
    if (standing !== 'active') return expired;
    if (nowMs > remembered.session.lastSeenMs) {
      remembered.session = { ...remembered.session, lastSeenMs: nowMs };
      this.#lastSeen.note(remembered.session.idHash, nowMs);
    }
    return { kind: 'active', prepared: remembered.prepared, session: remembered.session };
  }

  #remember(session: Session, confirmedMs: number): RememberedSession {
    const before = this.#memory.find(session.idHash);
    const seenHereMs = before?.session.lastSeenMs ?? this.#lastSeen.unwritten(session.idHash) ?? 0;
    const lastSeenMs = Math.max(session.lastSeenMs, seenHereMs);
    const remembered: RememberedSession = {
      session: { ...session, lastSeenMs },
      // A session never changes but for when it was seen.
      prepared: before?.prepared ?? this.#parts.prepare(session),
      confirmedMs,
      recheckMs: confirmedMs + this.#recheckMs,
    };
    this.#memory.remember(remembered);
    return remembered;
  }

  #forget(idHash: string): void {
    this.#memory.forget(idHash);
    this.#lastSeen.forget(idHash);
    this.#lookUps.supersede(idHash);
  }

  #forgetSubject(subject: SubjectSessions): void {
    this.#memory.forgetSubject(subject);
    this.#lookUps.supersedeAll();
  }
}
