import { samlRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import { authenticatedSince } from '../../../../domain/agent/saml/checks/check-fresh-authentication.js';
import type { AcceptedAssertion } from '../../../../domain/agent/saml/checks/validate-assertion.js';
import { validateResponse } from '../../../../domain/agent/saml/checks/validate-response.js';
import type { IdentityProvider } from '../../../../domain/agent/saml/identity-provider.js';
import { newSession } from '../../../../domain/agent/saml/session-of-assertion.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import { allowedReturn } from '../../../../domain/agent/sign-on/return-target.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { parseForm } from '../../../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { isCancelled } from '../../../shared/cancellation/cancellation-source.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { sessionRemarks } from '../shared/session-remarks.js';
import { onwardPage, redirectAnswer } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import { AnsweredSignOns, type PostedResponse, replayKey } from './answered-sign-ons.js';
import type { AwaitedAnswers } from './awaited-answers.js';
import { documentKeys } from './service-provider.js';
import type { SignOnRefusal } from './sign-on-refusal.js';
import { RefusedAttempts, type SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';
import { sharedVerification, type VerificationShares } from './verification-shares.js';

type CompleteParts = Pick<
  SingleSignOnOptions,
  | 'options'
  | 'sessionTtlMs'
  | 'returnOrigins'
  | 'key'
  | 'trust'
  | 'verifier'
  | 'sessions'
  | 'requests'
  | 'replays'
  | 'random'
  | 'digest'
  | 'clock'
  | 'logger'
  | 'outcomes'
  | 'stepUp'
>;

interface Refused {
  readonly reason: SignOnRefusal;
  /** The failure of a store, for the log. */
  readonly detail: string | null;
  /** Whether the request accepts no answer any more, so that its binding cookie is useless. */
  readonly isOver?: boolean;
  /** The user did not authenticate as the page of this sign-on requires. */
  readonly isStepUp?: boolean;
}

const refused = (reason: SignOnRefusal): Result<never, Refused> => err({ reason, detail: null });
const refusedForGood = (reason: SignOnRefusal): Result<never, Refused> => err({ reason, detail: null, isOver: true });
const storeFailed = (detail: string): Result<never, Refused> => err({ reason: 'store_unavailable', detail });

/** Whether the document is not at fault, so that a retry may succeed. */
const isNoFault = (reason: SignOnRefusal): boolean =>
  reason === 'overloaded' || reason === 'cancelled' || reason === 'verifier_failed';

/** Whether a document is valid, but the user did not authenticate as required. */
const isAboutAuthentication = (reason: SignOnRefusal): boolean =>
  reason === 'authentication_not_fresh' || reason === 'wrong_authentication_context';

/** The request that a response must answer. */
interface AskedFor extends Pick<SignOnRequest, 'requestId'> {
  /** The earliest authentication instant if the request demanded a new authentication; null: any time. */
  readonly createdMs: number | null;
  /** The page for whose requirement the request asked; null: none. */
  readonly returnTo: string | null;
}

interface OpenedSession {
  /** The secret in the cookie. */
  readonly id: string;
  readonly session: Session;
}

/**
 * Accepts the identity provider's Response at the consumer path (SAML profiles, section 4.1.4), and opens a session.
 */
export class CompleteSamlSignOn {
  readonly #parts: CompleteParts;
  readonly #awaited: AwaitedAnswers;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;
  readonly #shares: VerificationShares;
  readonly #answered: AnsweredSignOns;
  readonly #attempts = new RefusedAttempts();

  constructor(
    parts: CompleteParts,
    awaited: AwaitedAnswers,
    cookies: SignOnCookies,
    refusals: SignOnRefusals,
    shares: VerificationShares,
  ) {
    this.#parts = parts;
    this.#awaited = awaited;
    this.#cookies = cookies;
    this.#refusals = refusals;
    this.#shares = shares;
    this.#answered = new AnsweredSignOns(parts, cookies, refusals);
  }

  /** A cancelled request opens no session. */
  async complete(event: RequestHeadersEvent, form: Uint8Array, cancellation: Cancellation): Promise<AgentAnswer> {
    const fields = parseForm(form);
    const encoded = fields.ok ? (fields.value.get('SAMLResponse') ?? '') : '';
    if (!fields.ok || encoded === '') return this.#refusals.refuse(event, 'malformed_form', 'sign-on');
    const relayState = fields.value.get('RelayState') ?? '';
    const outcome = await this.#answer(event, { encoded, relayState }, cancellation);
    return outcome.ok ? outcome.value : this.#refuse(event, outcome.error, relayState);
  }

  #refuse(
    event: RequestHeadersEvent,
    { reason, detail, isOver = false, isStepUp = false }: Refused,
    relayState: string,
  ): AgentAnswer {
    const handleHash = this.#parts.digest.sha256Hex(relayState);
    const cookies = isOver ? this.#cookies.clearShownBinding(event.headers, handleHash) : [];
    return this.#refusals.refuse(event, reason, 'sign-on', detail, cookies, isStepUp);
  }

  async #answer(
    event: RequestHeadersEvent,
    posted: PostedResponse,
    cancellation: Cancellation,
  ): Promise<Result<AgentAnswer, Refused>> {
    const provider = this.#parts.trust.current();
    if (provider === null) {
      this.#parts.trust.hurry();
      return refused('provider_unavailable');
    }
    const { relayState } = posted;
    const found = await this.#awaited.find(relayState, 'sign_on');
    if (!found.ok) return storeFailed(found.error.reason);
    const again = found.value === null ? await this.#answerAgain(event, posted, provider, cancellation) : ok(null);
    if (!again.ok) return again;
    if (again.value !== null) return ok(again.value);
    const request = this.#acceptable(event, found.value, relayState);
    if (!request.ok) return request;
    const validated = await this.#validate(event, posted.encoded, provider, request.value, cancellation);
    if (!validated.ok) return this.#countRefusal(validated, request.value, relayState);
    const taken = request.value === null ? ok(null) : await this.#awaited.take(relayState, 'sign_on');
    if (!taken.ok) return storeFailed(taken.error.reason);
    // The browser posted the same form twice concurrently, and the other request was faster.
    if (request.value !== null && taken.value === null) {
      const other = await this.#answerAgain(event, posted, provider, cancellation);
      if (!other.ok) return other;
      return other.value === null ? refusedForGood('unknown_request') : ok(other.value);
    }
    const accepted = await this.#acceptOnce(validated.value, provider, taken.value, cancellation);
    if (!accepted.ok) return accepted;
    const opened = await this.#open(accepted.value, provider, taken.value, cancellation);
    if (!opened.ok) return opened;
    await this.#endShownSessions(event);
    if (isCancelled(cancellation)) return this.#endAgain(opened.value.id);
    const returnTo = request.value?.returnTo ?? allowedReturn(relayState, this.#parts.returnOrigins);
    await this.#answered.remember(posted, request.value, opened.value.session, returnTo, event.correlationId);
    return ok(this.#goOn(event, request.value, returnTo, opened.value));
  }

  /**
   * The answer to a form that already completed a sign-on; null if it has not. The completed sign-on verified the same
   * document. A different document for that request must pass verification first, so that a forger learns nothing.
   */
  async #answerAgain(
    event: RequestHeadersEvent,
    posted: PostedResponse,
    provider: IdentityProvider,
    cancellation: Cancellation,
  ): Promise<Result<AgentAnswer | null, Refused>> {
    const found = await this.#answered.find(event, posted);
    if (!found.ok) return storeFailed(found.error.reason);
    const answered = found.value;
    if (answered === null) return ok(null);
    if (answered.documentHash !== this.#answered.documentHash(posted)) {
      const asked = { requestId: answered.requestId, createdMs: null, returnTo: null };
      const validated = await this.#validate(event, posted.encoded, provider, asked, cancellation);
      if (!validated.ok) {
        if (isNoFault(validated.error.reason) || !this.#attempts.noted(answered.key)) return validated;
        const forgotten = await this.#answered.forget(answered);
        return forgotten.ok ? validated : err({ ...validated.error, detail: forgotten.error.reason });
      }
    }
    const answer = await this.#answered.answer(event, answered);
    return answer.ok ? answer : storeFailed(answer.error.reason);
  }

  /** The request, if this browser may answer it; null: an unsolicited response, which the options allow. */
  #acceptable(
    event: RequestHeadersEvent,
    request: SignOnRequest | null,
    relayState: string,
  ): Result<SignOnRequest | null, Refused> {
    if (request === null) {
      if (this.#parts.options.allowIdpInitiated) return ok(null);
      return relayState === '' ? refused('unsolicited') : refusedForGood('unknown_request');
    }
    return this.#isOfBrowser(event, request) ? ok(request) : refused('other_browser');
  }

  #isOfBrowser(event: RequestHeadersEvent, { handleHash, bindingHash }: SignOnRequest): boolean {
    // Without a binding, the request is from before browser binding was enabled, so refuse it too.
    if (bindingHash === null) return !this.#parts.options.browserBinding;
    const secret = this.#cookies.binding(event.headers, handleHash);
    const { digest } = this.#parts;
    return secret !== null && digest.equal(digest.sha256Hex(secret), bindingHash);
  }

  async #validate(
    event: RequestHeadersEvent,
    encoded: string,
    provider: IdentityProvider,
    request: AskedFor | null,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedAssertion, Refused>> {
    const { options, key, verifier, clock, stepUp } = this.#parts;
    const verified = await sharedVerification(this.#shares, event, () =>
      verifier.verifyResponse(encoded, documentKeys(provider, key), cancellation),
    );
    if (!verified.ok) return refused(verified.error);
    const nowMs = clock.wallMs();
    const returnTo = request?.returnTo ?? null;
    const own = samlRequirement(options);
    const requirement = returnTo === null ? { ...own, isForPage: false } : stepUp.requirementFor(own, returnTo);
    const forcedMs = options.forceAuthn ? (request === null ? nowMs : request.createdMs) : null;
    const validated = validateResponse(verified.value, {
      nowMs,
      clockSkewMs: options.clockSkewMs,
      idpEntityId: provider.entityId,
      spEntityId: options.entityId,
      acsUrl: options.acsUrl,
      requestId: request?.requestId ?? null,
      allowIdpInitiated: options.allowIdpInitiated,
      nameIdFormat: options.nameIdFormat,
      authnContexts: requirement.acrValues,
      authenticatedSinceMs: authenticatedSince({ nowMs, forcedMs, maxAgeSecs: requirement.maxAgeSecs }),
      userIdAttribute: options.userIdAttribute,
    });
    if (!validated.ok) {
      return err({
        reason: validated.error,
        detail: null,
        isStepUp: requirement.isForPage && isAboutAuthentication(validated.error),
      });
    }
    return isCancelled(cancellation) ? refused('cancelled') : validated;
  }

  /** Removes the request after a few refused documents. Until then the genuine answer can still arrive. */
  async #countRefusal(
    refusal: { readonly ok: false; readonly error: Refused },
    request: SignOnRequest | null,
    relayState: string,
  ): Promise<Result<never, Refused>> {
    const { reason } = refusal.error;
    if (request === null || isNoFault(reason) || !this.#attempts.noted(request.handleHash)) return refusal;
    const taken = await this.#awaited.take(relayState, 'sign_on');
    return taken.ok ? refusal : err({ reason, detail: taken.error.reason });
  }

  /** Accepts an assertion once. If a retry can still succeed, restores the request. */
  async #acceptOnce(
    accepted: AcceptedAssertion,
    { entityId }: IdentityProvider,
    request: SignOnRequest | null,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedAssertion, Refused>> {
    const { replays, digest, clock } = this.#parts;
    if (isCancelled(cancellation)) return this.#putBack(request, { reason: 'cancelled', detail: null });
    const key = replayKey(digest, entityId, accepted.assertionId);
    const remembered = await replays.remember(key, accepted.replayUntilMs, clock.wallMs());
    if (!remembered.ok) {
      return this.#putBack(request, { reason: 'store_unavailable', detail: remembered.error.reason });
    }
    return remembered.value === 'first' ? ok(accepted) : refusedForGood('replayed');
  }

  /** If restoring fails too, the browser must start again. */
  async #putBack(request: SignOnRequest | null, refusal: Refused): Promise<Result<never, Refused>> {
    if (request === null) return err(refusal);
    const stored = await this.#parts.requests.insert(request);
    return err(stored.ok ? refusal : { reason: refusal.reason, detail: refusal.detail ?? stored.error.reason });
  }

  async #open(
    accepted: AcceptedAssertion,
    { entityId }: IdentityProvider,
    request: SignOnRequest | null,
    cancellation: Cancellation,
  ): Promise<Result<OpenedSession, Refused>> {
    const { options, sessionTtlMs, sessions, random, digest, clock, stepUp } = this.#parts;
    if (isCancelled(cancellation)) return refused('cancelled');
    const id = random.token();
    const session = newSession({
      accepted,
      idHash: digest.sha256Hex(id),
      issuer: entityId,
      clockSkewMs: options.clockSkewMs,
      pageHash: request === null ? null : stepUp.pageHash(request.returnTo),
      nowMs: clock.wallMs(),
      ttlMs: sessionTtlMs,
    });
    // The allowed clock skew accepts an assertion that has expired by this clock. Its session would end at once, and
    // the browser would loop.
    if (session.expiresMs <= session.createdMs) return refusedForGood('session_over');
    const opened = await sessions.open(session);
    if (!opened.ok) return storeFailed(opened.error.reason);
    return isCancelled(cancellation) ? this.#endAgain(id) : ok({ id, session });
  }

  /** Ends a session whose cookie the browser does not get. */
  async #endAgain(id: string): Promise<Result<never, Refused>> {
    const ended = await this.#parts.sessions.end(id);
    return ended.ok ? refused('cancelled') : err({ reason: 'cancelled', detail: ended.error.reason });
  }

  /** Session rotation: ends the previous sessions of the browser, because the new cookie replaces theirs. */
  async #endShownSessions({ headers, correlationId }: RequestHeadersEvent): Promise<void> {
    for (const sessionId of this.#cookies.sessionIds(headers)) {
      const ended = await this.#parts.sessions.end(sessionId);
      if (ended.ok) continue;
      const fields = { correlation_id: correlationId, detail: ended.error.reason };
      this.#parts.logger.warn('the previous session could not be ended after a sign-on', fields);
    }
  }

  #goOn(
    event: RequestHeadersEvent,
    request: SignOnRequest | null,
    returnTo: string,
    { id, session }: OpenedSession,
  ): AgentAnswer {
    const { outcomes, logger } = this.#parts;
    outcomes.completed();
    logger.info('sign-on completed', {
      user: session.userId,
      session: session.idHash.slice(0, 12),
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    const cookies = [...this.#cookies.setSession(event.headers, id, session)];
    if (request !== null && request.bindingHash !== null) cookies.push(this.#cookies.clearBinding(request.handleHash));
    const answer = this.#cookies.isStrict ? onwardPage(returnTo, cookies) : redirectAnswer(returnTo, cookies);
    return withRemarks(answer, { event: 'sign_on', outcome: 'succeeded', ...sessionRemarks([session]) });
  }
}
