import type { Session } from '../../../domain/agent/sessions/session.js';
import { sessionState } from '../../../domain/agent/sessions/session-state.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { SessionStore, Stored, SubjectSessions } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';
import type { KnownSessions } from './known-sessions.js';
import { expired, type SessionCheckResult, unavailable, unknownSession } from './session-check-result.js';
import { isSessionId } from './session-id.js';
import type { RememberedSession } from './session-memory.js';

/** Sessions that one write notes, at most. */
const batchSize = 500;
/** Sessions whose last use is still to be written, at most. */
const maximumUnwritten = 20_000;

interface LastSeenWriterParts {
  readonly store: Pick<SessionStore, 'touch'>;
  readonly scheduler: Scheduler;
  /** From a use to when it is written, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Writes when sessions were last seen, behind the requests and many at a time. What cannot be written is tried again;
 * where too many wait, others are left out: a session may end too early by that, and never too late.
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

  /** What is noted of a session and may not be written yet, in wall milliseconds; null: nothing. */
  unwritten(idHash: string): number | null {
    return this.#unwritten.get(idHash) ?? null;
  }

  /** It has ended. */
  forget(idHash: string): void {
    this.#unwritten.delete(idHash);
  }

  /** Writes what is noted now. Resolves once that has been tried; never rejects. */
  async flush(): Promise<void> {
    // What is being written may have left something behind: a second look is enough, for it starts after the call.
    if (this.#writing !== null) await this.#writing;
    await this.#write();
  }

  /** The last flush; nothing is noted from here on. */
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
 * How long what is remembered of a session counts without the store being asked: one that another process ends is
 * over by then.
 */
export const recheckMs = 5_000;
/** How long a session serves on while the store cannot be asked, from when it last said that the session is there. */
export const longestWithoutStoreMs = 60_000;
/** From a use of a session to when the store is told of it, at most. */
export const longestWriteDelayMs = 10_000;

export interface SessionsParts {
  readonly store: SessionStore;
  /** What is known of them; other configurations may share it. */
  readonly known: KnownSessions;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  /** Makes the identity of a session, and the headers that tell of it. */
  readonly prepare: (session: Session) => PreparedIdentity;
  /** How long a session lasts without use, in milliseconds; null: as long as it lasts. */
  readonly idleMs: number | null;
  /** Entity id of the identity provider whose sessions count; null: it is not known, and those of any do. */
  readonly provider: () => string | null;
}

/**
 * The sessions of one configuration: those of the store, with a memory of the recent ones before it, so that a
 * request costs a look into that in the usual case. No method rejects.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #known: KnownSessions;
  readonly #lastSeen: LastSeenWriter;
  /** A session that is used in other processes as well must not look idle here. */
  readonly #recheckMs: number;

  constructor(parts: SessionsParts) {
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

  /** What a session id has come to; a session that is active counts as seen. At once where it is remembered. */
  check(sessionId: string): SessionCheckResult | Promise<SessionCheckResult> {
    if (!isSessionId(sessionId)) return unknownSession;
    const idHash = this.#parts.digest.sha256Hex(sessionId);
    const remembered = this.#known.recall(idHash);
    if (remembered !== null && this.#parts.clock.monotonicMs() < this.#countsUntilMs(remembered)) {
      return this.#judge(remembered);
    }
    if (remembered === null && this.#known.isUnknown(idHash)) return unknownSession;
    return this.#ask(idHash);
  }

  /** Whether the session of this hash counts, as the store has it. It does not count as seen by that. */
  async isActive(idHash: string): Stored<boolean> {
    const { store, clock, idleMs, provider } = this.#parts;
    const found = await store.find(idHash);
    if (!found.ok) return found;
    const rules = { nowMs: clock.wallMs(), idleMs, provider: provider() };
    return ok(found.value !== null && sessionState(found.value, rules) === 'active');
  }

  /** Begins a session: it succeeds once the store has it. */
  async open(session: Session): Stored<void> {
    const askedMs = this.#parts.clock.monotonicMs();
    const inserted = await this.#parts.store.insert(session);
    if (inserted.ok) this.#known.begun(session, askedMs);
    else this.#known.mayHaveBegun(session.idHash);
    return inserted;
  }

  /** Ends the session of an id, whether or not it is over; null: there is none. */
  async end(sessionId: string): Stored<Session | null> {
    if (!isSessionId(sessionId)) return ok(null);
    const { digest, store } = this.#parts;
    const idHash = digest.sha256Hex(sessionId);
    this.#forget(idHash);
    const found = await store.find(idHash);
    if (!found.ok || found.value === null) return found;
    const removed = await store.remove(idHash);
    // Again, for a request may have found it meanwhile; and where it is not sure that it is gone, the store is to be
    // asked.
    this.#forget(idHash);
    if (!removed.ok) return err(removed.error);
    return ok(removed.value ? found.value : null);
  }

  /** Ends the sessions that the identity provider names; the result are the hashes of their ids. */
  async endOfSubject(subject: SubjectSessions): Stored<readonly string[]> {
    const removed = await this.#parts.store.removeOfSubject(subject);
    if (removed.ok) for (const idHash of removed.value) this.#forget(idHash);
    // Where it is not sure which are gone, the store is to be asked about each.
    else this.#known.endedOfSubject(subject);
    return removed;
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
    const found = await this.#known.find(idHash);
    if (found === 'crowded' || found === 'failed') return this.#withoutStore(idHash);
    // What was found may have ended since it was read.
    if (found === 'superseded') return this.#ask(idHash);
    if (found !== 'unknown') return this.#judge(found);
    this.#lastSeen.forget(idHash);
    return unknownSession;
  }

  /** What is remembered, if it is not too old; the store is not asked about it again for a moment. */
  #withoutStore(idHash: string): SessionCheckResult {
    const remembered = this.#known.recall(idHash);
    if (remembered === null) return unavailable;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs >= remembered.confirmedMs + longestWithoutStoreMs) return unavailable;
    remembered.askedMs = nowMs;
    return this.#judge(remembered);
  }

  /** Until when it counts without the store being asked. */
  #countsUntilMs({ askedMs, confirmedMs }: RememberedSession): number {
    return Math.min(askedMs + this.#recheckMs, confirmedMs + longestWithoutStoreMs);
  }

  #judge(remembered: RememberedSession): SessionCheckResult {
    const { clock, idleMs, provider } = this.#parts;
    const nowMs = clock.wallMs();
    this.#catchUp(remembered);
    const standing = sessionState(remembered.session, { nowMs, idleMs, provider: provider() });
    if (standing === 'other_provider') return unknownSession;
    if (standing !== 'active') return expired;
    if (nowMs > remembered.session.lastSeenMs) {
      remembered.session = { ...remembered.session, lastSeenMs: nowMs };
      this.#lastSeen.note(remembered.session.idHash, nowMs);
    }
    return { kind: 'active', prepared: this.#preparedOf(remembered), session: remembered.session };
  }

  /** It may have been forgotten after a use that the store has not been told of. */
  #catchUp(remembered: RememberedSession): void {
    const unwrittenMs = this.#lastSeen.unwritten(remembered.session.idHash);
    if (unwrittenMs === null || unwrittenMs <= remembered.session.lastSeenMs) return;
    remembered.session = { ...remembered.session, lastSeenMs: unwrittenMs };
  }

  /** As this configuration makes it: another one may have remembered the session. */
  #preparedOf({ session, prepared }: RememberedSession): PreparedIdentity {
    const known = prepared.get(this);
    if (known !== undefined) return known;
    const made = this.#parts.prepare(session);
    prepared.set(this, made);
    return made;
  }

  #forget(idHash: string): void {
    this.#known.ended(idHash);
    this.#lastSeen.forget(idHash);
  }
}
