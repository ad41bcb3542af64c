import type { AgentAnswer, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { AcceptedAssertion } from '../../domain/saml/checks/judge-assertion.js';
import { judgeResponse } from '../../domain/saml/checks/judge-response.js';
import type { IdentityProvider } from '../../domain/saml/identity-provider.js';
import { newSession } from '../../domain/saml/session/new-session.js';
import type { Session } from '../../domain/saml/session/session.js';
import { allowedReturn } from '../../domain/saml/sign-on/return-to.js';
import type { SignOnRequest } from '../../domain/saml/sign-on/sign-on-request.js';
import { parseForm } from '../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { eventTraceId } from '../../domain/tracing/event-trace-id.js';
import { withRemarks } from '../agent-service/with-remarks.js';
import { isCancelled } from '../cancellation/is-cancelled.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { AwaitedAnswers } from '../single-sign-on/awaited-answers.js';
import { documentKeys } from '../single-sign-on/document-keys.js';
import { RefusedAttempts } from '../single-sign-on/refused-attempts.js';
import { replayKey } from '../single-sign-on/replay-key.js';
import { sessionRemarks } from '../single-sign-on/session-remarks.js';
import { sharedVerification } from '../single-sign-on/shared-verification.js';
import { onwardPage, redirectAnswer } from '../single-sign-on/sign-on-answers.js';
import type { SignOnCookies } from '../single-sign-on/sign-on-cookies.js';
import type { SignOnRefusal } from '../single-sign-on/sign-on-refusal.js';
import type { SignOnRefusals } from '../single-sign-on/sign-on-refusals.js';
import type { SingleSignOnParts } from '../single-sign-on/single-sign-on-parts.js';
import type { VerificationShares } from '../single-sign-on/verification-shares.js';

type CompleteParts = Pick<
  SingleSignOnParts,
  | 'options'
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
>;

interface Refused {
  readonly reason: SignOnRefusal;
  /** Of a store, for the log. */
  readonly detail: string | null;
  /** The request can no longer be answered, so its binding cookie is of no use. */
  readonly isOver?: boolean;
}

const refused = (reason: SignOnRefusal): Result<never, Refused> => err({ reason, detail: null });
const refusedForGood = (reason: SignOnRefusal): Result<never, Refused> => err({ reason, detail: null, isOver: true });
const storeFailed = (detail: string): Result<never, Refused> => err({ reason: 'store_unavailable', detail });

/** Says nothing against the document: the next one, or the same, may be in order. */
const isNoFault = (reason: SignOnRefusal): boolean =>
  reason === 'overloaded' || reason === 'cancelled' || reason === 'verifier_failed';

/** The fields of the form that the identity provider has the browser post. */
interface PostedResponse {
  readonly encoded: string;
  readonly relayState: string;
}

interface OpenedSession {
  /** The secret of the cookie. */
  readonly id: string;
  readonly session: Session;
}

/** Takes the identity provider's Response at the consumer path (SAML profiles, section 4.1.4) and opens a session. */
export class CompleteSamlSignOn {
  readonly #parts: CompleteParts;
  readonly #awaited: AwaitedAnswers;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;
  readonly #shares: VerificationShares;
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
  }

  /** Where nobody waits for the answer any more no session is opened. */
  async complete(event: RequestHeadersEvent, form: Uint8Array, cancellation: Cancellation): Promise<AgentAnswer> {
    const fields = parseForm(form);
    const encoded = fields.ok ? (fields.value.get('SAMLResponse') ?? '') : '';
    if (!fields.ok || encoded === '') return this.#refusals.refuse(event, 'malformed_form', 'sign-on');
    const relayState = fields.value.get('RelayState') ?? '';
    const outcome = await this.#answer(event, { encoded, relayState }, cancellation);
    return outcome.ok ? outcome.value : this.#refuse(event, outcome.error, relayState);
  }

  #refuse(event: RequestHeadersEvent, { reason, detail, isOver = false }: Refused, relayState: string): AgentAnswer {
    const handleHash = this.#parts.digest.sha256Hex(relayState);
    const cookies = isOver ? this.#cookies.clearShownBinding(event.headers, handleHash) : [];
    return this.#refusals.refuse(event, reason, 'sign-on', detail, cookies);
  }

  async #answer(
    event: RequestHeadersEvent,
    { encoded, relayState }: PostedResponse,
    cancellation: Cancellation,
  ): Promise<Result<AgentAnswer, Refused>> {
    const provider = this.#parts.trust.current();
    if (provider === null) {
      this.#parts.trust.hurry();
      return refused('provider_unavailable');
    }
    const request = await this.#requestOf(event, relayState);
    if (!request.ok) return request;
    const judged = await this.#judge(event, encoded, provider, request.value, cancellation);
    if (!judged.ok) return this.#countRefusal(judged, request.value, relayState);
    const taken = request.value === null ? ok(null) : await this.#take(relayState);
    if (!taken.ok) return taken;
    const accepted = await this.#acceptOnce(judged.value, provider, taken.value, cancellation);
    if (!accepted.ok) return accepted;
    const opened = await this.#open(accepted.value, provider, cancellation);
    if (!opened.ok) return opened;
    await this.#endShownSessions(event);
    if (isCancelled(cancellation)) return this.#endAgain(opened.value.id);
    return ok(this.#goOn(event, request.value, allowedReturn(relayState), opened.value));
  }

  /** The request that is answered; null: there was none, and none is needed. */
  async #requestOf(event: RequestHeadersEvent, relayState: string): Promise<Result<SignOnRequest | null, Refused>> {
    const found = await this.#awaited.find(relayState, 'sign_on');
    if (!found.ok) return storeFailed(found.error.reason);
    const request = found.value;
    if (request === null) {
      if (this.#parts.options.allowIdpInitiated) return ok(null);
      return relayState === '' ? refused('unsolicited') : refusedForGood('unknown_request');
    }
    return this.#isOfBrowser(event, request) ? ok(request) : refused('other_browser');
  }

  #isOfBrowser(event: RequestHeadersEvent, { handleHash, bindingHash }: SignOnRequest): boolean {
    // One that began while browsers were not bound yet is no good either.
    if (bindingHash === null) return !this.#parts.options.browserBinding;
    const secret = this.#cookies.binding(event.headers, handleHash);
    const { digest } = this.#parts;
    return secret !== null && digest.equal(digest.sha256Hex(secret), bindingHash);
  }

  async #judge(
    event: RequestHeadersEvent,
    encoded: string,
    provider: IdentityProvider,
    request: SignOnRequest | null,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedAssertion, Refused>> {
    const { options, key, verifier, clock } = this.#parts;
    const verified = await sharedVerification(this.#shares, event, () =>
      verifier.verifyResponse(encoded, documentKeys(provider, key), cancellation),
    );
    if (!verified.ok) return refused(verified.error);
    const nowMs = clock.wallMs();
    const judged = judgeResponse(verified.value, {
      nowMs,
      clockSkewMs: options.clockSkewMs,
      idpEntityId: provider.entityId,
      spEntityId: options.entityId,
      acsUrl: options.acsUrl,
      requestId: request?.requestId ?? null,
      allowIdpInitiated: options.allowIdpInitiated,
      nameIdFormat: options.nameIdFormat,
      authnContexts: options.authnContexts,
      authenticatedSinceMs: options.forceAuthn ? (request?.createdMs ?? nowMs) : null,
      userIdAttribute: options.userIdAttribute,
    });
    if (!judged.ok) return refused(judged.error);
    return isCancelled(cancellation) ? refused('cancelled') : judged;
  }

  /** A request outlasts a few documents that are refused, for the answer that is meant for it, and no more of them than that. */
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

  /** From now on the request is over, unless it is put back. */
  async #take(relayState: string): Promise<Result<SignOnRequest, Refused>> {
    const taken = await this.#awaited.take(relayState, 'sign_on');
    if (!taken.ok) return storeFailed(taken.error.reason);
    return taken.value === null ? refusedForGood('unknown_request') : ok(taken.value);
  }

  /** Sees to it that an assertion is accepted once. The request is put back where the assertion could still be. */
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

  /** Where that fails too the browser has to begin anew. */
  async #putBack(request: SignOnRequest | null, refusal: Refused): Promise<Result<never, Refused>> {
    if (request === null) return err(refusal);
    const stored = await this.#parts.requests.insert(request);
    return err(stored.ok ? refusal : { reason: refusal.reason, detail: refusal.detail ?? stored.error.reason });
  }

  async #open(
    accepted: AcceptedAssertion,
    { entityId }: IdentityProvider,
    cancellation: Cancellation,
  ): Promise<Result<OpenedSession, Refused>> {
    const { options, sessions, random, digest, clock } = this.#parts;
    if (isCancelled(cancellation)) return refused('cancelled');
    const id = random.token();
    const session = newSession({
      accepted,
      idHash: digest.sha256Hex(id),
      issuer: entityId,
      nowMs: clock.wallMs(),
      ttlMs: options.sessionTtlMs,
    });
    // The skew lets one through that is over by our clock: it would send the browser back to the identity provider for ever.
    if (session.expiresMs <= session.createdMs) return refusedForGood('session_over');
    const opened = await sessions.open(session);
    if (!opened.ok) return storeFailed(opened.error.reason);
    return isCancelled(cancellation) ? this.#endAgain(id) : ok({ id, session });
  }

  /** Nobody gets the cookie of the session. */
  async #endAgain(id: string): Promise<Result<never, Refused>> {
    const ended = await this.#parts.sessions.end(id);
    return ended.ok ? refused('cancelled') : err({ reason: 'cancelled', detail: ended.error.reason });
  }

  /** Rotation: the browser forgets the session that it had, so nobody else goes on with it either. */
  async #endShownSessions({ headers, correlationId }: RequestHeadersEvent): Promise<void> {
    for (const sessionId of this.#cookies.sessionIds(headers)) {
      const ended = await this.#parts.sessions.end(sessionId);
      if (ended.ok) continue;
      const fields = { correlation_id: correlationId, detail: ended.error.reason };
      this.#parts.logger.warn('the session before a sign-on could not be ended', fields);
    }
  }

  /** @param wish where an identity provider that began by itself has the browser go */
  #goOn(
    event: RequestHeadersEvent,
    request: SignOnRequest | null,
    wish: string,
    { id, session }: OpenedSession,
  ): AgentAnswer {
    const { options, outcomes, logger } = this.#parts;
    outcomes.completed();
    logger.info('sign-on completed', {
      user: session.userId,
      session: session.idHash.slice(0, 12),
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    const cookies = [this.#cookies.setSession(id, session.expiresMs - session.createdMs)];
    if (request !== null && request.bindingHash !== null) cookies.push(this.#cookies.clearBinding(request.handleHash));
    const returnTo = request?.returnTo ?? wish;
    const isStrict = options.cookie.sameSite === 'Strict';
    const answer = isStrict ? onwardPage(returnTo, cookies) : redirectAnswer(returnTo, cookies);
    return withRemarks(answer, { event: 'sign_on', outcome: 'succeeded', ...sessionRemarks([session]) });
  }
}
