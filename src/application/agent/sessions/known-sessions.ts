import type { Session } from '../../../domain/agent/sessions/session.js';
import type { SessionStore, SubjectSessions } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import { TtlSet } from '../authenticate/ttl-set.js';
import { type RememberedSession, SessionMemory, type SessionMemoryLimits } from './session-memory.js';

/** Sessions that are looked up at the same time, at most: anybody can make up an id. */
export const maximumLookUps = 1_000;

/** Asks the store about a session; calling the result says what it has come to, and has it remembered. */
type LookUp<Outcome> = (idHash: string) => Promise<() => Outcome>;

interface PendingLookUp<Outcome> {
  readonly result: Promise<Outcome | 'superseded'>;
  isSuperseded: boolean;
}

/** Look-ups in a store. Everyone who asks for the same session while one lasts waits for that one. */
class SessionLookUps<Outcome> {
  readonly #lookUp: LookUp<Outcome>;
  readonly #pending = new Map<string, PendingLookUp<Outcome>>();

  constructor(lookUp: LookUp<Outcome>) {
    this.#lookUp = lookUp;
  }

  /**
   * `superseded`: the session may have begun or ended while it was read, so that this says nothing; `crowded`: too
   * many are looked up already.
   */
  find(idHash: string): Promise<Outcome | 'superseded'> | 'crowded' {
    const pending = this.#pending.get(idHash);
    if (pending !== undefined) return pending.result;
    return this.#pending.size >= maximumLookUps ? 'crowded' : this.#begin(idHash);
  }

  /** What is being read of the session counts no more. */
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
        // Not a turn later: what ends the session in between would not find it, and it would be remembered.
        return settle();
      }),
      isSuperseded: false,
    };
    this.#pending.set(idHash, pending);
    return pending.result;
  }
}

/** How long it is remembered that there is no such session. */
export const unknownRememberedMs = 2_000;
const rememberedUnknown = 10_000;
const defaultLimits: SessionMemoryLimits = { maximumEntries: 10_000, maximumSize: 64 * 1024 * 1024 };

/** What a look into the store has come to. */
export type FoundSession = RememberedSession | 'unknown' | 'failed';

/**
 * What is known of the sessions of an opened store, and what is being looked up there. It belongs to the store: a
 * configuration that takes over from another goes on with it, and what one of them ends counts with none.
 */
export class KnownSessions {
  readonly #store: Pick<SessionStore, 'find'>;
  readonly #clock: Clock;
  readonly #memory: SessionMemory;
  readonly #unknown: TtlSet;
  readonly #lookUps: SessionLookUps<FoundSession>;

  /** Limits, by default: 10 000 sessions, and 64 Mi characters. */
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

  /** Whether the store said a moment ago that there is no such session. */
  isUnknown(idHash: string): boolean {
    return this.#unknown.has(idHash);
  }

  /**
   * Asks the store. `superseded`: the session may have begun or ended while it was read, so that this says nothing;
   * `crowded`: too many are looked up already.
   */
  find(idHash: string): Promise<FoundSession | 'superseded'> | 'crowded' {
    return this.#lookUps.find(idHash);
  }

  /** It has begun, as of `askedMs` of the monotonic clock. */
  begun(session: Session, askedMs: number): void {
    this.mayHaveBegun(session.idHash);
    this.#remember(session, askedMs);
  }

  /** What was said of it before says nothing any more. */
  mayHaveBegun(idHash: string): void {
    this.#unknown.forget(idHash);
    this.#lookUps.supersede(idHash);
  }

  /** It has ended, or may have. */
  ended(idHash: string): void {
    this.#memory.forget(idHash);
    this.#lookUps.supersede(idHash);
  }

  /** Every one that a sign-out of the subject may mean has ended, or may have. */
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
      // A session never changes but for when it was seen.
      prepared: before?.prepared ?? new WeakMap(),
      confirmedMs: askedMs,
      askedMs,
    };
    this.#memory.remember(remembered);
    return remembered;
  }
}
