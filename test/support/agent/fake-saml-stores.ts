import type { SignOnSessions } from '../../../src/application/agent/sign-on/saml/single-sign-on-options.js';
import type { ReplayStore } from '../../../src/application/ports/agent/replay-store.js';
import type { Stored, SubjectSessions } from '../../../src/application/ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../src/application/ports/agent/sign-on-request-store.js';
import type { Session } from '../../../src/domain/agent/sessions/session.js';
import type { SignOnRequest } from '../../../src/domain/agent/sign-on/sign-on-request.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

/** What a store says that a test has let fail. */
export const storeTrouble = 'the disk is gone';

/** Fails in a turn of its own, as stores do. */
class Failing {
  /** Names of the methods that fail. */
  readonly failing = new Set<string>();

  protected async answer<Value>(method: string, value: () => Value): Promise<Result<Value, { reason: string }>> {
    await Promise.resolve();
    return this.failing.has(method) ? err({ reason: storeTrouble }) : ok(value());
  }
}

/** Requests that await an answer, and those that were answered, in memory. */
export class FakeRequestStore extends Failing implements Pick<SignOnRequestStore, 'insert' | 'find' | 'take'> {
  /** Those that await an answer. */
  readonly held = new Map<string, SignOnRequest>();
  readonly answered = new Map<string, SignOnRequest>();
  /** Calls of `find` and `take`. */
  asked = 0;

  insert(request: SignOnRequest): Stored<void> {
    const kept = request.kind === 'answered' ? this.answered : this.held;
    return this.answer('insert', () => void kept.set(request.handleHash, request));
  }

  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    this.asked += 1;
    return this.answer('find', () => {
      const request = this.held.get(handleHash) ?? this.answered.get(handleHash) ?? null;
      return request !== null && request.expiresMs > nowMs ? request : null;
    });
  }

  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    this.asked += 1;
    return this.answer('take', () => {
      const request = this.held.get(handleHash) ?? this.answered.get(handleHash) ?? null;
      this.held.delete(handleHash);
      this.answered.delete(handleHash);
      return request !== null && request.expiresMs > nowMs ? request : null;
    });
  }
}

/** Remembers keys in memory, for ever. */
export class FakeReplayStore extends Failing implements Pick<ReplayStore, 'has' | 'remember'> {
  readonly held = new Map<string, number>();

  has(key: string): Stored<boolean> {
    return this.answer('has', () => this.held.has(key));
  }

  remember(key: string, untilMs: number): Stored<'first' | 'seen'> {
    return this.answer('remember', () => {
      if (this.held.has(key)) return 'seen';
      this.held.set(key, untilMs);
      return 'first';
    });
  }
}

/** Sessions in memory. */
export class FakeSessions extends Failing implements SignOnSessions {
  readonly held = new Map<string, Session>();
  readonly #hash: (sessionId: string) => string;

  constructor(hash: (sessionId: string) => string) {
    super();
    this.#hash = hash;
  }

  of(sessionId: string): Session | undefined {
    return this.held.get(this.#hash(sessionId));
  }

  open(session: Session): Stored<void> {
    return this.answer('open', () => void this.held.set(session.idHash, session));
  }

  isActive(idHash: string): Stored<boolean> {
    return this.answer('isActive', () => this.held.has(idHash));
  }

  end(sessionId: string): Stored<Session | null> {
    return this.answer('end', () => {
      const session = this.of(sessionId) ?? null;
      this.held.delete(this.#hash(sessionId));
      return session;
    });
  }

  endOfSubject({ method, provider, subject, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    return this.answer('endOfSubject', () => {
      const named = [...this.held.values()].filter(
        (session) =>
          session.method === method &&
          session.provider === provider &&
          session.logout?.subject === subject &&
          (sessionIndexes.length === 0 || sessionIndexes.includes(session.logout.session ?? '')),
      );
      for (const { idHash } of named) this.held.delete(idHash);
      return named.map(({ idHash }) => idHash);
    });
  }
}
