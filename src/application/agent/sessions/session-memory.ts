import type { Session } from '../../../domain/agent/sessions/session.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { SubjectSessions } from '../../ports/agent/session-store.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';

/** A session that the store returned. Times are of the monotonic clock. */
export interface RememberedSession {
  /** As stored, with the latest known last-seen time. */
  session: Session;
  /** The identity that each configuration has prepared for it, by the object that prepared it. */
  readonly prepared: WeakMap<object, PreparedIdentity>;
  /** When the last query began that confirmed the session. */
  readonly confirmedMs: number;
  /** When the last query began, whatever its outcome. */
  askedMs: number;
}

export interface SessionMemoryLimits {
  readonly maximumEntries: number;
  /** Approximate limit for the characters of all cached sessions. */
  readonly maximumSize: number;
}

interface Entry {
  readonly remembered: RememberedSession;
  readonly size: number;
}

/** Size of an entry without its texts. */
const entryOverhead = 512;

/** Counts the texts twice: the prepared headers repeat them. */
const sizeOf = ({ session }: RememberedSession): number => {
  const { userId, logout, provider, attributes, details } = session;
  let texts = userId.length + provider.length + (logout?.subject.length ?? 0) + (logout?.session?.length ?? 0);
  for (const name in details) texts += name.length + (details[name]?.length ?? 0);
  for (const { name, values } of attributes) {
    texts += name.length;
    for (const value of values) texts += value.length;
  }
  return entryOverhead + 2 * texts;
};

/** An LRU cache of sessions by the hash of their id. */
export class SessionMemory {
  readonly #limits: SessionMemoryLimits;
  /** Least recently used first. */
  readonly #entries = new TransientMap<Entry>();
  #size = 0;

  constructor(limits: SessionMemoryLimits) {
    this.#limits = limits;
  }

  /** Counts as a use. */
  find(idHash: string): RememberedSession | null {
    const entry = this.#entries.get(idHash);
    if (entry === undefined) return null;
    this.#entries.delete(idHash);
    this.#entries.set(idHash, entry);
    return entry.remembered;
  }

  /** Replaces the cached session. Skips a session that is larger than the whole cache. */
  remember(remembered: RememberedSession): void {
    const { idHash } = remembered.session;
    this.forget(idHash);
    const size = sizeOf(remembered);
    const { maximumEntries, maximumSize } = this.#limits;
    if (size > maximumSize) return;
    this.#entries.set(idHash, { remembered, size });
    this.#size += size;
    while (this.#entries.size > maximumEntries || this.#size > maximumSize) {
      const oldest = this.#entries.firstKey;
      if (oldest === null) return;
      this.forget(oldest);
    }
  }

  forget(idHash: string): void {
    const entry = this.#entries.get(idHash);
    if (entry === undefined) return;
    this.#entries.delete(idHash);
    this.#size -= entry.size;
  }

  /** Evicts all sessions that a logout of the subject may end. */
  forgetSubject({ method, provider, subject }: SubjectSessions): void {
    for (const { remembered } of this.#entries.values()) {
      const { session } = remembered;
      if (session.method !== method || session.provider !== provider || session.logout === null) continue;
      if (subject === null || session.logout.subject === subject) this.forget(session.idHash);
    }
  }
}
