import type { Session } from '../../../../domain/agent/sessions/session.js';
import {
  type AnsweredSignOn,
  answeredRecord,
  readAnsweredRecord,
  sessionsOfReplay,
} from '../../../../domain/agent/sign-on/answered-sign-on.js';
import { isFromOtherSite } from '../../../../domain/agent/sign-on/browser-navigation.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { ok, type Result } from '../../../../domain/shared/result.js';
import type { Stored, StoreFailure } from '../../../ports/agent/session-store.js';
import { onwardPage, redirectAnswer, usedUpPage } from '../shared/sign-on-answers.js';
import type { LoginServices } from './oidc-sign-on-options.js';

/** The state and the code of a callback. */
export interface ShownCode {
  readonly state: string;
  readonly code: string;
}

type AnsweredParts = Pick<LoginServices, 'cookies' | 'sessions' | 'requests' | 'digest' | 'clock' | 'logger'>;

/**
 * Remembers completed sign-ons. Redirects a browser to its page if its callback comes again, for example by the back
 * button.
 */
export class AnsweredLogins {
  readonly #parts: AnsweredParts;

  constructor(parts: AnsweredParts) {
    this.#parts = parts;
  }

  /** If the store fails, the sign-on still succeeds, but its callback is refused the second time. */
  async remember(
    shown: ShownCode,
    { requestId, returnTo }: SignOnRequest,
    { idHash: sessionHash }: Session,
    correlationId: string,
  ): Promise<void> {
    const { requests, clock, logger } = this.#parts;
    const record = { key: this.#keyOf(shown), requestId, documentHash: this.#hashOf(shown), sessionHash, returnTo };
    const stored = await requests.insert(answeredRecord(record, clock.wallMs()));
    if (stored.ok) return;
    const fields = { correlation_id: correlationId, detail: stored.error.reason };
    logger.warn('a completed sign-on was not stored; its callback will be refused if it comes again', fields);
  }

  /**
   * The answer to a callback that has completed a sign-on: a redirect to its page if the browser has an active session,
   * otherwise 403 with a link to the page. Null: there was no such sign-on, the code differs, or the browser is
   * another.
   */
  async answerAgain(event: RequestHeadersEvent, shown: ShownCode): Promise<Result<AgentAnswer | null, StoreFailure>> {
    const { requests, clock, digest, cookies } = this.#parts;
    const found = await requests.find(this.#keyOf(shown), clock.wallMs());
    if (!found.ok) return found;
    const answered = found.value === null ? null : readAnsweredRecord(found.value);
    if (answered === null || answered.documentHash !== this.#hashOf(shown)) return ok(null);
    const ids = cookies.sessionIds(event.headers).map((id) => digest.sha256Hex(id));
    const sessions = sessionsOfReplay(ids, isFromOtherSite(event.headers), answered);
    const isSignedOn = await this.#isOneActive(sessions);
    if (!isSignedOn.ok) return isSignedOn;
    if (isSignedOn.value) return ok(this.#onward(answered));
    return ok(sessions.length === 0 ? null : usedUpPage(answered.returnTo));
  }

  #onward({ returnTo }: AnsweredSignOn): AgentAnswer {
    return this.#parts.cookies.isStrict ? onwardPage(returnTo, []) : redirectAnswer(returnTo, [], 303);
  }

  async #isOneActive(idHashes: readonly string[]): Stored<boolean> {
    for (const idHash of idHashes) {
      const active = await this.#parts.sessions.isActive(idHash);
      if (!active.ok || active.value) return active;
    }
    return ok(false);
  }

  #keyOf({ state }: ShownCode): string {
    return this.#parts.digest.sha256Hex(`answered\n${state}`);
  }

  #hashOf({ code }: ShownCode): string {
    return this.#parts.digest.sha256Hex(code);
  }
}
