import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { SignOnMethod } from '../../../domain/agent/sessions/session.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { SessionCheckResult } from '../sessions/session-check-result.js';
import type { StepUpRules } from '../sessions/step-up-rules.js';
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

const outcomeOf = (result: SessionCheckResult, stepUp: StepUpCheck, uri: string): CheckOutcome => {
  switch (result.kind) {
    case 'active': {
      const insufficient = stepUp.insufficiency(result.session, uri);
      return insufficient === null
        ? { kind: 'authenticated', prepared: result.prepared, byCookie: true }
        : { kind: 'failed', reason: 'insufficient_user_authentication', insufficient };
    }
    case 'unknown':
      return failedCheck('unknown_credentials');
    case 'expired':
      return failedCheck('session_expired');
    case 'unavailable':
      return undecided('store_unavailable');
    case 'not_refreshed':
      return undecided('provider_unavailable');
  }
};

/** Decides whether a session suffices for a page. */
export type StepUpCheck = Pick<StepUpRules, 'insufficiency'>;

/** Session cookies of users who have signed on, in any way. */
export class SessionCheck implements AuthenticationCheck {
  readonly method: SignOnMethod;
  readonly isSession = true;
  readonly #sessions: SessionChecks;
  readonly #stepUp: StepUpCheck;

  /** @param method the method of failures: the session that a cookie does not open has none */
  constructor(sessions: SessionChecks, stepUp: StepUpCheck, method: SignOnMethod) {
    this.#sessions = sessions;
    this.#stepUp = stepUp;
    this.method = method;
  }

  check(
    { sessionCookies }: RequestCredentials,
    cancellation: Cancellation,
    request: ProvenRequest | null = null,
  ): CheckOutcome | Promise<CheckOutcome> {
    const [sessionId] = sessionCookies;
    if (sessionId === undefined) return absent;
    // Another host of the domain has set a second cookie. Choosing one would be a guess.
    if (sessionCookies.length > 1) return failedCheck('ambiguous_credentials');
    // Without a request, its path may be any.
    const uri = request?.uri ?? '';
    const result = this.#sessions.check(sessionId);
    return result instanceof Promise ? this.#wait(result, cancellation, uri) : outcomeOf(result, this.#stepUp, uri);
  }

  #wait(result: Promise<SessionCheckResult>, cancellation: Cancellation, uri: string): Promise<CheckOutcome> {
    return new Promise((resolve) => {
      const endListening = cancellation.onCancel(() => resolve(cancelled));
      void result.then((reached) => {
        endListening();
        resolve(outcomeOf(reached, this.#stepUp, uri));
      });
    });
  }
}
