import type { Session } from '../../../domain/agent/sessions/session.js';
import type { SessionStore, SubjectSessions } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import { TtlSet } from '../authenticate/ttl-set.js';
import { type RememberedSession, SessionMemory, type SessionMemoryLimits } from './session-memory.js';

/** Maximum number of concurrent look-ups: anyone can invent ids. */
export const maximumLookUps = 1_000;

/** Asks the store about a session. Calling the result caches the outcome and returns it. */
type LookUp<Outcome> = (idHash: string) => Promise<() => Outcome>;

interface PendingLookUp<Outcome> {
  readonly result: Promise<Outcome | 'superseded'>;
  isSuperseded: boolean;
}

/** Look-ups in a store. Concurrent look-ups of one session share one query. */
class SessionLookUps<Outcome> {
  readonly #lookUp: LookUp<Outcome>;
  readonly #pending = new Map<string, PendingLookUp<Outcome>>();

  constructor(lookUp: LookUp<Outcome>) {
    this.#lookUp = lookUp;
  }

  /**
   * `superseded`: the session may have begun or ended during the look-up, so the outcome is void. `crowded`: too many
   * look-ups are pending.
   */
  find(idHash: string): Promise<Outcome | 'superseded'> | 'crowded' {
    const pending = this.#pending.get(idHash);
    if (pending !== undefined) return pending.result;
    return this.#pending.size >= maximumLookUps ? 'crowded' : this.#begin(idHash);
  }

  /** Makes a pending look-up of this session void. */
  supersede(idHash: string): void {
    const pending = this.#pending.get(idHash);
    if (pending === undefined) return;
    pending.isSuperseded = true;
    this.#pending.delete(idHash);
  }

  supersedeAll(): void {
    for (const idHash of [...this.#pending.keys()]) this.supersede(idHash);
  }

  #begin(idHash: string): Promise<Outcome | 'superseded'> {
    const pending: PendingLookUp<Outcome> = {
      result: this.#lookUp(idHash).then((settle) => {
        if (pending.isSuperseded) return 'superseded';
        this.#pending.delete(idHash);
        // Synchronous: a session that ends in between would not find this look-up, and would be cached.
        return settle();
      }),
      isSuperseded: false,
    };
    this.#pending.set(idHash, pending);
    return pending.result;
  }
}

/** How long the answer "no such session" is cached, in milliseconds. */
export const unknownRememberedMs = 2_000;
const rememberedUnknown = 10_000;
const defaultLimits: SessionMemoryLimits = { maximumEntries: 10_000, maximumSize: 64 * 1024 * 1024 };

const hasSameDetails = ({ details: one }: Session, { details: other }: Session): boolean => {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
};

/** The outcome of a look-up in the store. */
export type FoundSession = RememberedSession | 'unknown' | 'failed';

/**
 * The cached sessions of one opened store, with its pending look-ups. It belongs to the store, so it survives a change
 * of configuration, and a session that ends is gone for every configuration.
 */
export class SessionCache {
  readonly #store: Pick<SessionStore, 'find'>;
  readonly #clock: Clock;
  readonly #memory: SessionMemory;
  readonly #unknown: TtlSet;
  readonly #lookUps: SessionLookUps<FoundSession>;

  /** Default limits: 10 000 sessions and 64 Mi characters. */
  constructor(store: Pick<SessionStore, 'find'>, clock: Clock, limits: SessionMemoryLimits = defaultLimits) {
    this.#store = store;
    this.#clock = clock;
    this.#memory = new SessionMemory(limits);
    this.#unknown = new TtlSet(clock, unknownRememberedMs, rememberedUnknown);
    this.#lookUps = new SessionLookUps((idHash) => this.#lookUp(idHash));
  }

  recall(idHash: string): RememberedSession | null {
    return this.#memory.find(idHash);
  }

  /** Whether the store recently answered that there is no such session. */
  isUnknown(idHash: string): boolean {
    return this.#unknown.has(idHash);
  }

  /**
   * Asks the store. `superseded`: the session may have begun or ended during the look-up, so the outcome is void.
   * `crowded`: too many look-ups are pending.
   */
  find(idHash: string): Promise<FoundSession | 'superseded'> | 'crowded' {
    return this.#lookUps.find(idHash);
  }

  /** Caches a new session. `askedMs`: when its insertion began, by the monotonic clock. */
  begun(session: Session, askedMs: number): void {
    this.mayHaveBegun(session.idHash);
    this.#remember(session, askedMs);
  }

  /** Discards earlier answers about this session. */
  mayHaveBegun(idHash: string): void {
    this.#unknown.forget(idHash);
    this.#lookUps.supersede(idHash);
  }

  /** Evicts a session that has ended or may have ended. */
  ended(idHash: string): void {
    this.#memory.forget(idHash);
    this.#lookUps.supersede(idHash);
  }

  /** Evicts all sessions that a logout of the subject may end. */
  endedOfSubject(subject: SubjectSessions): void {
    this.#memory.forgetSubject(subject);
    this.#lookUps.supersedeAll();
  }

  async #lookUp(idHash: string): Promise<() => FoundSession> {
    const askedMs = this.#clock.monotonicMs();
    const found = await this.#store.find(idHash);
    return () => {
      if (!found.ok) return 'failed';
      if (found.value !== null) return this.#remember(found.value, askedMs);
      this.ended(idHash);
      this.#unknown.add(idHash);
      return 'unknown';
    };
  }

  #remember(session: Session, askedMs: number): RememberedSession {
    const before = this.#memory.find(session.idHash);
    const lastSeenMs = Math.max(session.lastSeenMs, before?.session.lastSeenMs ?? 0);
    const remembered: RememberedSession = {
      session: { ...session, lastSeenMs },
      // Besides the details, only the last-seen time of a session changes.
      prepared: before !== null && hasSameDetails(before.session, session) ? before.prepared : new WeakMap(),
      confirmedMs: askedMs,
      askedMs,
    };
    this.#memory.remember(remembered);
    return remembered;
  }
}
