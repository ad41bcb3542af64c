import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { SignOnMethod } from '../../../domain/agent/sessions/session.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { SessionCheckResult } from '../sessions/session-check-result.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  cancelled,
  failedCheck,
  undecided,
} from './authentication-check.js';

/** Checks session ids. */
export interface SessionChecks {
  check(sessionId: string): SessionCheckResult | Promise<SessionCheckResult>;
}

const outcomeOf = (result: SessionCheckResult): CheckOutcome => {
  switch (result.kind) {
    case 'active':
      return { kind: 'authenticated', prepared: result.prepared, byCookie: true };
    case 'unknown':
      return failedCheck('unknown_credentials');
    case 'expired':
      return failedCheck('session_expired');
    case 'unavailable':
      return undecided('store_unavailable');
  }
};

/** Session cookies of users who have signed on, in any way. */
export class SessionCheck implements AuthenticationCheck {
  readonly method: SignOnMethod;
  readonly isSession = true;
  readonly #sessions: SessionChecks;

  /** @param method the method of failures: the session that a cookie does not open has none */
  constructor(sessions: SessionChecks, method: SignOnMethod) {
    this.#sessions = sessions;
    this.method = method;
  }

  check({ sessionCookies }: RequestCredentials, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const [sessionId] = sessionCookies;
    if (sessionId === undefined) return absent;
    // Another host of the domain has set a second cookie. Choosing one would be a guess.
    if (sessionCookies.length > 1) return failedCheck('ambiguous_credentials');
    const result = this.#sessions.check(sessionId);
    return result instanceof Promise ? this.#wait(result, cancellation) : outcomeOf(result);
  }

  #wait(result: Promise<SessionCheckResult>, cancellation: Cancellation): Promise<CheckOutcome> {
    return new Promise((resolve) => {
      const endListening = cancellation.onCancel(() => resolve(cancelled));
      void result.then((reached) => {
        endListening();
        resolve(outcomeOf(reached));
      });
    });
  }
}
