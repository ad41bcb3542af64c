import type { Session } from '../../../domain/agent/sessions/session.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { SubjectSessions } from '../../ports/agent/session-store.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';

/** A session that the store had. Moments are of the monotonic clock. */
export interface RememberedSession {
  /** As the store has it, but for the moment at which it was last seen: that is the latest that is known. */
  session: Session;
  /** What the configurations that have met it made of it, each by what it makes it with. */
  readonly prepared: WeakMap<object, PreparedIdentity>;
  /** When the store was asked, the last time that it said that the session is there. */
  readonly confirmedMs: number;
  /** When it was asked the last time, whatever came of that. */
  askedMs: number;
}

export interface SessionMemoryLimits {
  readonly maximumEntries: number;
  /** Characters of all remembered sessions together, roughly. */
  readonly maximumSize: number;
}

interface Entry {
  readonly remembered: RememberedSession;
  readonly size: number;
}

/** What an entry takes beside its texts. */
const entryOverhead = 512;

/** With the headers that tell of it, which are made of its texts. */
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

/** Sessions by the hash of their id, the least recently used of which make way for others. */
export class SessionMemory {
  readonly #limits: SessionMemoryLimits;
  /** In the order of use, the latest last. */
  readonly #entries = new TransientMap<Entry>();
  #size = 0;

  constructor(limits: SessionMemoryLimits) {
    this.#limits = limits;
  }

  /** Asking counts as a use. */
  find(idHash: string): RememberedSession | null {
    const entry = this.#entries.get(idHash);
    if (entry === undefined) return null;
    this.#entries.delete(idHash);
    this.#entries.set(idHash, entry);
    return entry.remembered;
  }

  /** In place of what is remembered of that session; one that is larger than all may be together is not. */
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

  /** Every one that a sign-out of the subject may mean. */
  forgetSubject({ provider, subject }: SubjectSessions): void {
    for (const { remembered } of this.#entries.values()) {
      const { session } = remembered;
      if (session.provider === provider && session.logout?.subject === subject) this.forget(session.idHash);
    }
  }
}
