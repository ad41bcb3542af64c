import type { AgentAnswer, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import { judgeLogoutResponse } from '../../domain/saml/checks/judge-logout.js';
import type { SignOnRequest } from '../../domain/saml/sign-on/sign-on-request.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { ReceivedMessage } from '../ports/saml-document-verifier.js';
import type { AwaitedAnswers } from '../single-sign-on/awaited-answers.js';
import { documentKeys } from '../single-sign-on/document-keys.js';
import { logoutUrlOf } from '../single-sign-on/service-provider.js';
import type { SignOnCookies } from '../single-sign-on/sign-on-cookies.js';
import type { SignOnRefusal } from '../single-sign-on/sign-on-refusal.js';
import type { SingleSignOnParts } from '../single-sign-on/single-sign-on-parts.js';
import type { EndShownSessions } from './end-shown-sessions.js';
import type { LogoutMessage } from './logout-message.js';
import { signedOutAnswer } from './signed-out-answers.js';

type FinishParts = Pick<SingleSignOnParts, 'options' | 'key' | 'trust' | 'verifier' | 'logger' | 'outcomes'>;

/**
 * Takes the identity provider's answer to a sign-out that began here (SAML profiles, section 4.4.3.5). The session ended before
 * it was asked, so what it says is for the log. Anybody can have a browser bring one that answers nothing, though, as
 * anybody can have it follow a link that signs out: whatever session is shown ends, before the browser is told that it has.
 */
export class FinishSignOut {
  readonly #parts: FinishParts;
  readonly #awaited: AwaitedAnswers;
  readonly #cookies: SignOnCookies;
  readonly #shown: EndShownSessions;

  constructor(parts: FinishParts, awaited: AwaitedAnswers, cookies: SignOnCookies, shown: EndShownSessions) {
    this.#parts = parts;
    this.#awaited = awaited;
    this.#cookies = cookies;
    this.#shown = shown;
  }

  async finish(
    event: RequestHeadersEvent,
    { message, relayState }: LogoutMessage,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { options, logger, outcomes } = this.#parts;
    const ended = await this.#shown.end(event);
    if (!ended.ok) return ended.error;
    const reason = await this.#fault(message, relayState, cancellation);
    const fields = { correlation_id: event.correlationId, client_ip: event.metadata.clientIp };
    if (reason === null) logger.info('sign-out completed', { correlation_id: event.correlationId });
    else {
      outcomes.refused(reason);
      logger.warn('the identity provider has not confirmed a sign-out', { reason, ...fields });
    }
    return signedOutAnswer(options.signedOutPath, [this.#cookies.clearSession()]);
  }

  /** Why it does not say that the user is signed out; null where it does. */
  async #fault(
    message: ReceivedMessage,
    relayState: string,
    cancellation: Cancellation,
  ): Promise<SignOnRefusal | null> {
    const taken = await this.#awaited.take(relayState, 'sign_out');
    if (!taken.ok) return 'store_unavailable';
    return taken.value === null ? 'unknown_request' : this.#faultOfAnswer(message, taken.value, cancellation);
  }

  async #faultOfAnswer(
    message: ReceivedMessage,
    { requestId }: SignOnRequest,
    cancellation: Cancellation,
  ): Promise<SignOnRefusal | null> {
    const { options, key, trust, verifier } = this.#parts;
    const provider = trust.current();
    if (provider === null) return 'provider_unavailable';
    const verified = await verifier.verifyLogoutResponse(message, documentKeys(provider, key), cancellation);
    if (!verified.ok) return verified.error;
    const logoutUrl = logoutUrlOf(options);
    return judgeLogoutResponse(verified.value, { idpEntityId: provider.entityId, logoutUrl, requestId });
  }
}
