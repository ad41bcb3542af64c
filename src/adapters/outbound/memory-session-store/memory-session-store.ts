import type {
  EndedRefresh,
  LeaseOutcome,
  RefreshLease,
  SessionCounts,
  SessionPage,
  SessionStore,
  Stored,
  SubjectSessions,
} from '../../../application/ports/agent/session-store.js';
import type { Session, SignOnMethod } from '../../../domain/agent/sessions/session.js';
import { err, ok } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import type { MemoryStoreLimits } from './memory-limits.js';
import type { OpenState } from './open-state.js';

const full = { reason: 'the memory session store is full' } as const;

/** Overhead of the object, its numbers and its map entry. */
const overhead = 200;

/** Approximate characters of a session. */
const sessionCharacters = (session: Session): number => {
  let characters = overhead + session.idHash.length + session.userId.length + session.provider.length;
  characters += (session.logout?.subject.length ?? 0) + (session.logout?.session?.length ?? 0);
  for (const [name, text] of Object.entries(session.details)) characters += name.length + text.length;
  for (const { name, values } of session.attributes) {
    characters += name.length;
    for (const value of values) characters += value.length;
  }
  return characters;
};

/** Finds the hashes of sessions by a key. */
class HashIndex {
  readonly #hashes = new Map<string, Set<string>>();

  add(key: string, idHash: string): void {
    const hashes = this.#hashes.get(key);
    if (hashes === undefined) this.#hashes.set(key, new Set([idHash]));
    else hashes.add(idHash);
  }

  delete(key: string, idHash: string): void {
    const hashes = this.#hashes.get(key);
    if (hashes?.delete(idHash) === true && hashes.size === 0) this.#hashes.delete(key);
  }

  of(key: string): readonly string[] {
    return [...(this.#hashes.get(key) ?? [])];
  }
}

/** A key of a name at a provider. Names with spaces may share one, so what it finds is compared again. */
const nameKey = (provider: string, name: string): string => `${provider} ${name}`;

/** The refresh lease of a session. A null holder: the back-off after a failure. */
interface HeldLease {
  readonly holder: string | null;
  readonly untilMs: number;
}

/** Position of a session in a list. */
const pageToken = ({ createdMs, idHash }: Session): string => `${createdMs}:${idHash}`;

/** Latest first; equal times are ordered by hash. */
const byCreation = (one: Session, other: Session): number =>
  other.createdMs - one.createdMs || (one.idHash < other.idHash ? -1 : 1);

/**
 * Sessions in the memory of this process, lost at its end. Number and size are bounded; a full
 * store refuses new sessions.
 */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new ExpiringMap<Session>(({ expiresMs }) => expiresMs);
  readonly #byUser = new HashIndex();
  /** By the subject at the provider. */
  readonly #bySubject = new HashIndex();
  /** By the session at the provider. */
  readonly #bySession = new HashIndex();
  /** Of stored sessions only. */
  readonly #leases = new Map<string, HeldLease>();
  readonly #limits: MemoryStoreLimits;
  readonly #state: OpenState;
  readonly #counts: Record<SignOnMethod, number> = { saml: 0, oidc: 0 };
  #characters = 0;

  constructor(limits: MemoryStoreLimits, state: OpenState) {
    this.#limits = limits;
    this.#state = state;
  }

  async insert(session: Session): Stored<void> {
    return this.#state.attempt(() => {
      if (this.#sessions.get(session.idHash) !== undefined) return err({ reason: 'the id already exists' });
      const characters = sessionCharacters(session);
      // A new session triggers the removal of expired ones.
      if (!this.#hasRoom(characters)) this.#drop(this.#sessions.expired(session.createdMs, this.#limits.sessions));
      if (!this.#hasRoom(characters)) return err(full);
      this.#sessions.set(session.idHash, session);
      this.#index(session, 'add');
      this.#characters += characters;
      this.#counts[session.method] += 1;
      return ok(undefined);
    });
  }

  async find(idHash: string): Stored<Session | null> {
    return this.#state.answer(() => this.#sessions.get(idHash) ?? null);
  }

  async touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void> {
    return this.#state.answer(() => {
      for (const { idHash, lastSeenMs } of seen) {
        const session = this.#sessions.get(idHash);
        if (session !== undefined && session.lastSeenMs < lastSeenMs)
          this.#sessions.set(idHash, { ...session, lastSeenMs });
      }
    });
  }

  async takeRefreshLease({ idHash, holder, untilMs, nowMs }: RefreshLease): Stored<LeaseOutcome> {
    return this.#state.answer(() => {
      if (this.#sessions.get(idHash) === undefined) return 'gone';
      const held = this.#leases.get(idHash);
      if (held !== undefined && held.untilMs > nowMs) return held.holder === null ? 'backing_off' : 'held';
      this.#leases.set(idHash, { holder, untilMs });
      return 'leased';
    });
  }

  async endRefresh({ idHash, holder, details, backoffUntilMs }: EndedRefresh): Stored<boolean> {
    return this.#state.attempt(() => {
      const session = this.#sessions.get(idHash);
      if (session === undefined || this.#leases.get(idHash)?.holder !== holder) return ok(false);
      const renewed = details === null ? session : { ...session, details };
      const more = sessionCharacters(renewed) - sessionCharacters(session);
      if (more > 0 && this.#characters + more > this.#limits.sessionCharacters) return err(full);
      this.#sessions.set(idHash, renewed);
      this.#characters += more;
      if (backoffUntilMs > 0) this.#leases.set(idHash, { holder: null, untilMs: backoffUntilMs });
      else this.#leases.delete(idHash);
      return ok(true);
    });
  }

  async remove(idHash: string): Stored<boolean> {
    return this.#state.answer(() => this.#drop([idHash]) > 0);
  }

  async removeOfSubject({ method, provider, subject, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    const indexes = new Set(sessionIndexes);
    return this.#state.answer(() => {
      const candidates =
        subject === null
          ? sessionIndexes.flatMap((name) => this.#bySession.of(nameKey(provider, name)))
          : this.#bySubject.of(nameKey(provider, subject));
      return this.#removeWhere(
        candidates,
        (session) =>
          session.method === method &&
          session.provider === provider &&
          session.logout !== null &&
          (subject === null || session.logout.subject === subject) &&
          (indexes.size === 0 && subject !== null
            ? true
            : session.logout.session !== null && indexes.has(session.logout.session)),
      );
    });
  }

  async removeOfUser(userId: string): Stored<readonly string[]> {
    return this.#state.answer(() => this.#removeWhere(this.#byUser.of(userId), () => true));
  }

  async list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Stored<SessionPage> {
    return this.#state.answer(() => {
      const { userId, limit, after } = query;
      const all = userId === null ? [...this.#sessions.values()] : this.#of(this.#byUser.of(userId));
      const found = all.toSorted(byCreation);
      const begin = after === null ? 0 : found.findIndex((session) => this.#isAfter(session, after));
      const rest = begin < 0 ? [] : found.slice(begin);
      const sessions = rest.slice(0, limit);
      const last = sessions.at(-1);
      return { sessions, next: last === undefined || rest.length === sessions.length ? null : pageToken(last) };
    });
  }

  async findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]> {
    return this.#state.answer(() =>
      [...this.#sessions.values()].filter(({ idHash }) => idHash.startsWith(hashPrefix)).slice(0, limit),
    );
  }

  async removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number> {
    return this.#state.answer(() => {
      const removed = this.#drop(this.#sessions.expired(nowMs, limit));
      return seenBeforeMs === null ? removed : removed + this.#dropIdle(seenBeforeMs, limit - removed);
    });
  }

  async count(): Stored<number> {
    return this.#state.answer(() => this.#sessions.size);
  }

  async countByMethod(): Stored<SessionCounts> {
    return this.#state.answer(() => ({ ...this.#counts }));
  }

  #hasRoom(characters: number): boolean {
    return (
      this.#sessions.size < this.#limits.sessions && this.#characters + characters <= this.#limits.sessionCharacters
    );
  }

  #isAfter(session: Session, after: string): boolean {
    const colon = after.indexOf(':');
    const createdMs = Number(after.slice(0, colon));
    return (
      session.createdMs < createdMs || (session.createdMs === createdMs && session.idHash > after.slice(colon + 1))
    );
  }

  #dropIdle(seenBeforeMs: number, limit: number): number {
    const idle: string[] = [];
    for (const { idHash, lastSeenMs } of this.#sessions.values()) {
      if (idle.length >= limit) break;
      if (lastSeenMs < seenBeforeMs) idle.push(idHash);
    }
    return this.#drop(idle);
  }

  #of(hashes: readonly string[]): readonly Session[] {
    return hashes.flatMap((idHash) => this.#sessions.get(idHash) ?? []);
  }

  #removeWhere(candidates: readonly string[], matches: (session: Session) => boolean): string[] {
    const hashes = [...new Set(this.#of(candidates).filter(matches))].map(({ idHash }) => idHash);
    this.#drop(hashes);
    return hashes;
  }

  #index({ idHash, userId, provider, logout }: Session, change: 'add' | 'delete'): void {
    this.#byUser[change](userId, idHash);
    if (logout === null) return;
    this.#bySubject[change](nameKey(provider, logout.subject), idHash);
    if (logout.session !== null) this.#bySession[change](nameKey(provider, logout.session), idHash);
  }

  /** Number of removed sessions. */
  #drop(hashes: readonly string[]): number {
    let dropped = 0;
    for (const hash of hashes) {
      const session = this.#sessions.get(hash);
      if (session === undefined) continue;
      this.#sessions.delete(hash);
      this.#index(session, 'delete');
      this.#leases.delete(hash);
      this.#characters -= sessionCharacters(session);
      this.#counts[session.method] -= 1;
      dropped += 1;
    }
    return dropped;
  }
}
