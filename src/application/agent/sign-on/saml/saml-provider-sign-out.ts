import type { LogoutService } from '../../../../domain/agent/saml/identity-provider.js';
import { type LogoutRequestToSend, logoutRequestXml } from '../../../../domain/agent/saml/messages/logout-request.js';
import { nameIdOfSession } from '../../../../domain/agent/saml/session-of-assertion.js';
import { newSignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { EndedSession } from '../shared/end-presented-sessions.js';
import { signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOutPage } from '../shared/sign-out.js';
import type { ProviderMessages } from './provider-messages.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

type LeaveParts = Pick<
  SingleSignOnOptions,
  'options' | 'returnOrigins' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger'
>;

/** Signs the user of an ended session out at the identity provider (SAML profiles, section 4.4.3.1). */
export class SamlProviderSignOut {
  readonly #parts: LeaveParts;
  readonly #messages: ProviderMessages;

  constructor(parts: LeaveParts, messages: ProviderMessages) {
    this.#parts = parts;
    this.#messages = messages;
  }

  async signOutAtProvider(
    event: RequestHeadersEvent,
    { session }: EndedSession,
    cookies: readonly HeaderOperation[],
  ): Promise<SignOutPage | null> {
    const { options, trust } = this.#parts;
    if (session.method !== 'saml') return null;
    const provider = trust.current();
    // The session must be from the current provider, and a LogoutRequest must name the user.
    const nameId = nameIdOfSession(session);
    const logout = provider?.entityId === session.provider ? provider.logout : null;
    if (nameId === null || logout === null) {
      return { answer: signedOutAnswer(options.signedOutPath, cookies), returns: false };
    }
    const named = { nameId, sessionIndex: session.logout?.session ?? null };
    return { answer: await this.#askProvider(event, named, logout, cookies), returns: true };
  }

  async #askProvider(
    { correlationId }: RequestHeadersEvent,
    { nameId, sessionIndex }: Pick<LogoutRequestToSend, 'nameId' | 'sessionIndex'>,
    { location, byPost }: LogoutService,
    cookies: readonly HeaderOperation[],
  ): Promise<AgentAnswer> {
    const { options, returnOrigins, requests, random, digest, clock, logger } = this.#parts;
    const nowMs = clock.wallMs();
    const requestId = `_${random.uuid()}`;
    const handle = random.token();
    const handleHash = digest.sha256Hex(handle);
    const stored = await requests.insert(
      newSignOnRequest(
        { kind: 'sign_out', handleHash, requestId, bindingHash: null, returnTo: '/' },
        nowMs,
        returnOrigins,
      ),
    );
    // The provider signs the user out anyway; only its answer finds no request.
    if (!stored.ok) {
      const fields = { correlation_id: correlationId, detail: stored.error.reason };
      logger.warn('a sign-out was not stored; the answer of the identity provider will not be recognised', fields);
    }
    const xml = logoutRequestXml({
      id: requestId,
      issueInstantMs: nowMs,
      destination: location,
      entityId: options.entityId,
      nameId,
      sessionIndex,
    });
    const message = {
      id: requestId,
      location,
      byPost: byPost === true,
      parameter: 'SAMLRequest',
      xml,
      relayState: handle,
    } as const;
    return this.#messages.answer(message, cookies);
  }
}
