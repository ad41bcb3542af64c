import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import {
  type EndedSession,
  EndPresentedSessions,
  type SessionEndServices,
  type SignOutFailure,
} from './end-presented-sessions.js';
import { sessionRemarks } from './session-remarks.js';

/** The next page of a browser whose session has ended. */
export interface SignOutPage {
  readonly answer: AgentAnswer;
  /** Whether the browser returns here with an answer of the identity provider. */
  readonly returns: boolean;
}

/** A way to sign on, as a sign-out uses it. */
export interface SignOutWay {
  /**
   * Leads the browser to the identity provider of an ended session, to sign out there. If the provider has no endpoint
   * for that: to the page after a sign-out. Null: the session belongs to another way.
   * @param cookies clear the session cookie
   */
  signOutAtProvider(
    event: RequestHeadersEvent,
    ended: EndedSession,
    cookies: readonly HeaderOperation[],
  ): SignOutPage | null | Promise<SignOutPage | null>;
  /** The page after a sign-out without a session. */
  signedOut(cookies: readonly HeaderOperation[]): AgentAnswer;
  refuseSignOut(event: RequestHeadersEvent, failure: SignOutFailure): AgentAnswer;
}

/**
 * Signs a browser out, at the logout path of any way: ends every session whose cookie it presents, then leads it to the
 * provider of the first one, whichever way began that.
 */
export class SignOut {
  readonly #parts: SessionEndServices;
  readonly #presented: EndPresentedSessions;
  readonly #ways: SignOutWay[] = [];

  constructor(parts: SessionEndServices) {
    this.#parts = parts;
    this.#presented = new EndPresentedSessions(parts);
  }

  /** Call once for each way of the agent. */
  add(way: SignOutWay): void {
    this.#ways.push(way);
  }

  /** @param at the way with the logout path of the request */
  async signOut(event: RequestHeadersEvent, at: SignOutWay): Promise<AgentAnswer> {
    const ended = await this.#presented.end(event);
    if (!ended.ok) return at.refuseSignOut(event, ended.error);
    // Clears the cookie even without a session: after a cross-site navigation the browser may have withheld it.
    const cookies = this.#parts.cookies.clearSession(event.headers);
    const next = (await this.#next(event, ended.value, cookies)) ?? { answer: at.signedOut(cookies), returns: false };
    return withRemarks(next.answer, {
      event: 'sign_out',
      outcome: next.returns ? 'begun' : 'succeeded',
      ...sessionRemarks(ended.value.map(({ session }) => session)),
    });
  }

  async #next(
    event: RequestHeadersEvent,
    ended: readonly EndedSession[],
    cookies: readonly HeaderOperation[],
  ): Promise<SignOutPage | null> {
    for (const each of ended) {
      for (const way of this.#ways) {
        const next = await way.signOutAtProvider(event, each, cookies);
        if (next !== null) return next;
      }
    }
    return null;
  }
}
