import type { Session } from '../../../../domain/agent/sessions/session.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

type ShownParts = Pick<SingleSignOnOptions, 'sessions' | 'logger'>;

/** Ends every session whose cookie a browser presents, so that the answer "signed out" is true. */
export class EndPresentedSessions {
  readonly #parts: ShownParts;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;

  constructor(parts: ShownParts, cookies: SignOnCookies, refusals: SignOnRefusals) {
    this.#parts = parts;
    this.#cookies = cookies;
    this.#refusals = refusals;
  }

  /**
   * Returns the first session that was active; null: none was. The error is the response if the store cannot end all of
   * them. The cookie then stays, so that the browser can retry.
   */
  async end(event: RequestHeadersEvent): Promise<Result<Session | null, AgentAnswer>> {
    const { sessions, logger } = this.#parts;
    const shown = this.#cookies.allSessionIds(event.headers);
    if (shown === null) {
      return err(
        this.#refusals.refuse(event, 'malformed_form', 'sign-out', 'the request has too many session cookies'),
      );
    }
    let first: Session | null = null;
    for (const sessionId of shown) {
      const ended = await sessions.end(sessionId);
      if (!ended.ok) {
        return err(this.#refusals.refuse(event, 'store_unavailable', 'sign-out', ended.error.reason));
      }
      const session = ended.value;
      if (session === null) continue;
      first ??= session;
      logger.info('session ended by its user', {
        user: session.userId,
        session: session.idHash.slice(0, 12),
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
      });
    }
    return ok(first);
  }
}
