import type { AgentAnswer, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import { judgeLogoutResponse } from '../../domain/saml/checks/judge-logout.js';
import type { SignOnRequest } from '../../domain/saml/sign-on/sign-on-request.js';
import type { ReceivedMessage } from '../ports/saml-document-verifier.js';
import type { AwaitedAnswers } from '../single-sign-on/awaited-answers.js';
import { documentKeys } from '../single-sign-on/document-keys.js';
import { logoutUrlOf } from '../single-sign-on/service-provider.js';
import type { SignOnRefusal } from '../single-sign-on/sign-on-refusal.js';
import type { SingleSignOnParts } from '../single-sign-on/single-sign-on-parts.js';
import type { LogoutMessage } from './logout-message.js';
import { signedOutAnswer } from './signed-out-answers.js';

type FinishParts = Pick<SingleSignOnParts, 'options' | 'key' | 'trust' | 'verifier' | 'logger' | 'outcomes'>;

/**
 * Takes the identity provider's answer to a sign-out that began here (SAML profiles, section 4.4.3.5). The session ended before
 * it was asked, so whatever it says, the browser is signed out here: what it says is for the log.
 */
export class FinishSignOut {
  readonly #parts: FinishParts;
  readonly #awaited: AwaitedAnswers;

  constructor(parts: FinishParts, awaited: AwaitedAnswers) {
    this.#parts = parts;
    this.#awaited = awaited;
  }

  async finish(event: RequestHeadersEvent, { message, relayState }: LogoutMessage): Promise<AgentAnswer> {
    const { options, logger, outcomes } = this.#parts;
    const reason = await this.#fault(message, relayState);
    const fields = { correlation_id: event.correlationId, client_ip: event.metadata.clientIp };
    if (reason === null) logger.info('sign-out completed', { correlation_id: event.correlationId });
    else {
      outcomes.refused(reason);
      logger.warn('the identity provider has not confirmed a sign-out', { reason, ...fields });
    }
    return signedOutAnswer(options.signedOutPath, []);
  }

  /** Why it does not say that the user is signed out; null where it does. */
  async #fault(message: ReceivedMessage, relayState: string): Promise<SignOnRefusal | null> {
    const taken = await this.#awaited.take(relayState, 'sign_out');
    if (!taken.ok) return 'store_unavailable';
    return taken.value === null ? 'unknown_request' : this.#faultOfAnswer(message, taken.value);
  }

  async #faultOfAnswer(message: ReceivedMessage, { requestId }: SignOnRequest): Promise<SignOnRefusal | null> {
    const { options, key, trust, verifier } = this.#parts;
    const provider = trust.current();
    if (provider === null) return 'provider_unavailable';
    const verified = await verifier.verifyLogoutResponse(message, documentKeys(provider, key));
    if (!verified.ok) return verified.error;
    const logoutUrl = logoutUrlOf(options);
    return judgeLogoutResponse(verified.value, { idpEntityId: provider.entityId, logoutUrl, requestId });
  }
}
