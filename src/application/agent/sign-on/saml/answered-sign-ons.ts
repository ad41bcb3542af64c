import type { Session } from '../../../../domain/agent/sessions/session.js';
import {
  type AnsweredSignOn,
  answeredRecord,
  readAnsweredRecord,
  sessionsOfReplay,
} from '../../../../domain/agent/sign-on/answered-sign-on.js';
import { isFromOtherSite } from '../../../../domain/agent/sign-on/browser-navigation.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { type AgentAnswer, emptyAudit, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { ok, type Result } from '../../../../domain/shared/result.js';
import type { Stored, StoreFailure } from '../../../ports/agent/session-store.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { onwardPage, redirectAnswer, usedUpPage } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import { isHandle } from './awaited-answers.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

/** The replay key of an assertion, common to sign-on and token endpoint. */
export const replayKey = (digest: Pick<SecretDigest, 'sha256Hex'>, idpEntityId: string, assertionId: string): string =>
  digest.sha256Hex(`${idpEntityId}\n${assertionId}`);

/** The form fields that the browser posts for the identity provider. */
export interface PostedResponse {
  readonly encoded: string;
  readonly relayState: string;
}

type AnsweredParts = Pick<SingleSignOnOptions, 'options' | 'sessions' | 'requests' | 'digest' | 'clock' | 'logger'>;

/**
 * Remembers completed sign-ons. Redirects a browser to its page if it posts the form again, for example with its back
 * button.
 */
export class AnsweredSignOns {
  readonly #parts: AnsweredParts;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;

  constructor(parts: AnsweredParts, cookies: SignOnCookies, refusals: SignOnRefusals) {
    this.#parts = parts;
    this.#cookies = cookies;
    this.#refusals = refusals;
  }

  /** If the store fails, the sign-on still succeeds, but the agent refuses its form the second time. */
  async remember(
    posted: PostedResponse,
    request: SignOnRequest | null,
    { idHash: sessionHash }: Session,
    returnTo: string,
    correlationId: string,
  ): Promise<void> {
    const { requests, clock, logger } = this.#parts;
    const key = this.#keyOf(posted);
    const documentHash = this.documentHash(posted);
    const answered = { key, requestId: request?.requestId ?? '', documentHash, sessionHash, returnTo };
    const stored = await requests.insert(answeredRecord(answered, clock.wallMs()));
    if (stored.ok) return;
    const fields = { correlation_id: correlationId, detail: stored.error.reason };
    logger.warn('a completed sign-on was not stored; its form will be refused if it is posted again', fields);
  }

  /** The completed sign-on of a form; null if there is none or another browser posted the form. */
  async find(event: RequestHeadersEvent, posted: PostedResponse): Promise<Result<AnsweredSignOn | null, StoreFailure>> {
    const { options, requests, clock } = this.#parts;
    // The agent remembers forms with a handle; with IdP-initiated sign-on, all forms.
    if (!isHandle(posted.relayState) && !options.allowIdpInitiated) return ok(null);
    const found = await requests.find(this.#keyOf(posted), clock.wallMs());
    if (!found.ok) return found;
    const answered = found.value === null ? null : readAnsweredRecord(found.value);
    return ok(answered !== null && this.#sessionsOf(event, answered).length > 0 ? answered : null);
  }

  /** Forgets a completed sign-on, so that its form no longer redirects. */
  async forget({ key }: AnsweredSignOn): Stored<void> {
    const taken = await this.#parts.requests.take(key, this.#parts.clock.wallMs());
    return taken.ok ? ok(undefined) : taken;
  }

  documentHash({ encoded }: PostedResponse): string {
    return this.#parts.digest.sha256Hex(encoded);
  }

  /**
   * Answers a repeated form: redirects to its page if the browser has an active session, otherwise 403 with a link to
   * the page. Opens no session and sets no cookie.
   */
  async answer(event: RequestHeadersEvent, answered: AnsweredSignOn): Promise<Result<AgentAnswer, StoreFailure>> {
    const isSignedOn = await this.#isOneActive(this.#sessionsOf(event, answered));
    if (!isSignedOn.ok) return isSignedOn;
    this.#refusals.note(event, 'replayed', 'sign-on', null);
    const page = isSignedOn.value ? this.#onward(answered) : usedUpPage(answered.returnTo);
    const refused = { ...page, audit: { ...emptyAudit, reasonCodes: ['replayed'] } };
    return ok(withRemarks(refused, { event: 'sign_on', outcome: 'failed' }));
  }

  #onward({ returnTo }: AnsweredSignOn): AgentAnswer {
    return this.#cookies.isStrict ? onwardPage(returnTo, []) : redirectAnswer(returnTo, [], 303);
  }

  #sessionsOf({ headers }: RequestHeadersEvent, answered: AnsweredSignOn): readonly string[] {
    const shown = this.#cookies.sessionIds(headers).map((id) => this.#parts.digest.sha256Hex(id));
    return sessionsOfReplay(shown, isFromOtherSite(headers), answered);
  }

  async #isOneActive(idHashes: readonly string[]): Stored<boolean> {
    for (const idHash of idHashes) {
      const active = await this.#parts.sessions.isActive(idHash);
      if (!active.ok || active.value) return active;
    }
    return ok(false);
  }

  /** Depends on the handle; without one on the document, because a RelayState of the provider may repeat. */
  #keyOf({ encoded, relayState }: PostedResponse): string {
    const { digest } = this.#parts;
    return digest.sha256Hex(isHandle(relayState) ? `answered\n${relayState}` : `answered\n\n${encoded}`);
  }
}
