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
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { isCancelled } from '../../../shared/cancellation/cancellation-source.js';
import { onwardPage, redirectAnswer, usedUpPage } from '../shared/sign-on-answers.js';
import type { LoginServices } from './oidc-sign-on-options.js';

/** The state and the code of a callback. */
export interface ShownCode {
  readonly state: string;
  readonly code: string;
}

type AnsweredParts = Pick<
  LoginServices,
  'cookies' | 'sessions' | 'requests' | 'digest' | 'clock' | 'scheduler' | 'logger'
>;

/** How long a callback waits for the result of an equal, earlier one, in milliseconds. */
const resultWaitMs = 3_000;
/** Interval of the look-ups in the store, in milliseconds. */
const lookupIntervalMs = 100;
/** Callbacks that may wait at a time in a process; further ones are answered at once. */
const maximumWaiting = 64;

/**
 * Remembers answered sign-ons. Redirects a browser to its page if its callback comes again, for example by the back
 * button or a double click.
 */
export class AnsweredLogins {
  readonly #parts: AnsweredParts;
  #waiting = 0;

  constructor(parts: AnsweredParts) {
    this.#parts = parts;
  }

  /**
   * If the store fails, the sign-on still succeeds, but its callback is refused the second time.
   * @param session null: the callback was refused, or its browser is gone
   */
  async remember(
    shown: ShownCode,
    { requestId, returnTo }: SignOnRequest,
    session: Session | null,
    correlationId: string,
  ): Promise<void> {
    const { requests, clock, logger } = this.#parts;
    const sessionHash = session?.idHash ?? '';
    const record = { key: this.#keyOf(shown), requestId, documentHash: this.#hashOf(shown), sessionHash, returnTo };
    const stored = await requests.insert(answeredRecord(record, clock.wallMs()));
    if (stored.ok) return;
    const fields = { correlation_id: correlationId, detail: stored.error.reason };
    logger.warn('an answered sign-on was not stored; its callback will be refused if it comes again', fields);
  }

  /**
   * The answer to a callback that was answered before: a redirect to its page if the browser has an active session,
   * otherwise 403 with a link to the page. Null: there was no such sign-on, the code differs, or the browser is
   * another. Waits for the first answer if it may still come.
   */
  async answerAgain(
    event: RequestHeadersEvent,
    shown: ShownCode,
    cancellation: Cancellation,
  ): Promise<Result<AgentAnswer | null, StoreFailure>> {
    const { digest, cookies } = this.#parts;
    // The answer clears the binding cookie, so a browser that still has it may not have got the answer.
    const mayBePending = cookies.binding(event.headers, digest.sha256Hex(shown.state)) !== null;
    const found = await this.#find(this.#keyOf(shown), mayBePending, cancellation);
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

  async #find(key: string, waits: boolean, cancellation: Cancellation): Stored<SignOnRequest | null> {
    const { requests, clock } = this.#parts;
    let found = await requests.find(key, clock.wallMs());
    if (!waits || this.#waiting >= maximumWaiting) return found;
    this.#waiting += 1;
    for (let waitedMs = 0; waitedMs < resultWaitMs && !isCancelled(cancellation); waitedMs += lookupIntervalMs) {
      if (!found.ok || found.value !== null) break;
      await this.#pause();
      found = await requests.find(key, clock.wallMs());
    }
    this.#waiting -= 1;
    return found;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.scheduler.after(lookupIntervalMs, resolve);
    });
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
