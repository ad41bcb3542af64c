import { validateLogoutResponse } from '../../../../domain/agent/saml/checks/validate-logout.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { ReceivedMessage } from '../../../ports/agent/saml-document-verifier.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import type { EndPresentedSessions } from '../shared/end-presented-sessions.js';
import { signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { AwaitedAnswers } from './awaited-answers.js';
import type { LogoutMessage } from './logout-message.js';
import { documentKeys, logoutUrlOf } from './service-provider.js';
import type { SignOnRefusal } from './sign-on-refusal.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';
import { sharedVerification, type VerificationShares } from './verification-shares.js';

type FinishParts = Pick<SingleSignOnOptions, 'options' | 'key' | 'trust' | 'verifier' | 'logger' | 'outcomes'>;

/**
 * Handles the identity provider's answer to a sign-out that began here (SAML profiles, section 4.4.3.5). The session
 * has already ended, so the agent only logs the answer.
 *
 * Anyone can send an unsolicited answer through a browser. By redirect, it acts like a sign-out link: the agent ends
 * the sessions of the browser before it answers "signed out". By POST, a browser withholds a SameSite=Lax cookie, so
 * the agent does not know the sessions and refuses the answer.
 */
export class FinishSignOut {
  readonly #parts: FinishParts;
  readonly #awaited: AwaitedAnswers;
  readonly #cookies: SignOnCookies;
  readonly #shown: EndPresentedSessions;
  readonly #refusals: SignOnRefusals;
  readonly #shares: VerificationShares;

  constructor(
    parts: FinishParts,
    awaited: AwaitedAnswers,
    cookies: SignOnCookies,
    shown: EndPresentedSessions,
    refusals: SignOnRefusals,
    shares: VerificationShares,
  ) {
    this.#parts = parts;
    this.#awaited = awaited;
    this.#cookies = cookies;
    this.#shown = shown;
    this.#refusals = refusals;
    this.#shares = shares;
  }

  async finish(
    event: RequestHeadersEvent,
    { message, relayState }: LogoutMessage,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { options, logger, outcomes } = this.#parts;
    const unawaited = message.binding === 'post' ? await this.#refusalOfUnawaited(event, relayState) : null;
    if (unawaited !== null) return unawaited;
    const ended = await this.#shown.end(event);
    if (!ended.ok) return this.#refusals.refuse(event, ended.error.reason, 'sign-out', ended.error.detail);
    const reason = await this.#fault(event, message, relayState, cancellation);
    const fields = {
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      client_ip: event.metadata.clientIp,
    };
    if (reason === null)
      logger.info('sign-out completed', { trace_id: eventTraceId(event), correlation_id: event.correlationId });
    else {
      outcomes.refused(reason);
      logger.warn('the identity provider did not confirm a sign-out', { reason, ...fields });
    }
    const answer = signedOutAnswer(options.signedOutPath, this.#cookies.clearSession(event.headers));
    return withRemarks(answer, { event: 'sign_out', outcome: reason === null ? 'succeeded' : 'failed' });
  }

  /**
   * The refusal of an answer without a stored request; null: the request exists. It stays stored until the sessions of
   * the browser have ended.
   */
  async #refusalOfUnawaited(event: RequestHeadersEvent, relayState: string): Promise<AgentAnswer | null> {
    const found = await this.#awaited.find(relayState, 'sign_out');
    if (!found.ok) return this.#refusals.refuse(event, 'store_unavailable', 'sign-out', found.error.reason);
    return found.value === null ? this.#refusals.refuse(event, 'unknown_request', 'sign-out') : null;
  }

  /** Why the answer does not confirm the sign-out; null if it does. */
  async #fault(
    event: RequestHeadersEvent,
    message: ReceivedMessage,
    relayState: string,
    cancellation: Cancellation,
  ): Promise<SignOnRefusal | null> {
    const taken = await this.#awaited.take(relayState, 'sign_out');
    if (!taken.ok) return 'store_unavailable';
    return taken.value === null ? 'unknown_request' : this.#faultOfAnswer(event, message, taken.value, cancellation);
  }

  async #faultOfAnswer(
    event: RequestHeadersEvent,
    message: ReceivedMessage,
    { requestId }: SignOnRequest,
    cancellation: Cancellation,
  ): Promise<SignOnRefusal | null> {
    const { options, key, trust, verifier } = this.#parts;
    const provider = trust.current();
    if (provider === null) return 'provider_unavailable';
    const verified = await sharedVerification(this.#shares, event, () =>
      verifier.verifyLogoutResponse(message, documentKeys(provider, key), cancellation),
    );
    if (!verified.ok) return verified.error;
    const logoutUrl = logoutUrlOf(options);
    return validateLogoutResponse(verified.value, { idpEntityId: provider.entityId, logoutUrl, requestId });
  }
}
