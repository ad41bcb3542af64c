import type { Session } from '../../../../domain/agent/sessions/session.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Stored } from '../../../ports/agent/session-store.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { SignOnCookies } from './sign-on-cookies.js';

/** A session of a browser that has ended. */
export interface EndedSession {
  /** The secret that was in the cookie. */
  readonly id: string;
  readonly session: Session;
}

/** Why a sign-out did not end all sessions of a browser. Its cookies stay, so that it can retry. */
export interface SignOutFailure {
  readonly reason: 'malformed_form' | 'store_unavailable';
  /** One clause for the log. */
  readonly detail: string;
}

export interface SessionEndServices {
  readonly cookies: SignOnCookies;
  readonly sessions: {
    /** Ends the session of a cookie; null: there was none. */
    end(sessionId: string): Stored<Session | null>;
  };
  readonly logger: Logger;
}

/** Ends every session whose cookie a browser presents, so that the answer "signed out" is true. */
export class EndPresentedSessions {
  readonly #parts: SessionEndServices;

  constructor(parts: SessionEndServices) {
    this.#parts = parts;
  }

  /** The sessions that were active or expired; empty: there was none. */
  async end(event: RequestHeadersEvent): Promise<Result<readonly EndedSession[], SignOutFailure>> {
    const { cookies, sessions, logger } = this.#parts;
    const shown = cookies.allSessionIds(event.headers);
    if (shown === null) {
      return err({ reason: 'malformed_form', detail: 'the request has too many session cookies' });
    }
    const all: EndedSession[] = [];
    for (const id of shown) {
      const ended = await sessions.end(id);
      if (!ended.ok) return err({ reason: 'store_unavailable', detail: ended.error.reason });
      const session = ended.value;
      if (session === null) continue;
      all.push({ id, session });
      logger.info('session ended by its user', {
        user: session.userId,
        session: session.idHash.slice(0, 12),
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
      });
    }
    return ok(all);
  }
}
