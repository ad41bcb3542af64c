import type { LogoutService } from '../../../../domain/agent/saml/identity-provider.js';
import { type LogoutRequestToSend, logoutRequestXml } from '../../../../domain/agent/saml/messages/logout-request.js';
import { newSignOnRequest } from '../../../../domain/agent/saml/sign-on/new-sign-on-request.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import type { EndShownSessions } from './end-shown-sessions.js';
import type { ProviderMessages } from './provider-messages.js';
import { sessionRemarks } from './session-remarks.js';
import type { SignOnCookies } from './sign-on-cookies.js';
import { signedOutAnswer } from './signed-out-answers.js';
import type { SingleSignOnParts } from './single-sign-on-parts.js';

type EndParts = Pick<SingleSignOnParts, 'options' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger'>;

/** Ends the session that a browser shows, and goes on to sign its user out at the identity provider, if that can be asked. */
export class EndSamlSession {
  readonly #parts: EndParts;
  readonly #messages: ProviderMessages;
  readonly #cookies: SignOnCookies;
  readonly #shown: EndShownSessions;

  constructor(parts: EndParts, messages: ProviderMessages, cookies: SignOnCookies, shown: EndShownSessions) {
    this.#parts = parts;
    this.#messages = messages;
    this.#cookies = cookies;
    this.#shown = shown;
  }

  async end(event: RequestHeadersEvent): Promise<AgentAnswer> {
    const { options, trust } = this.#parts;
    const ended = await this.#shown.end(event);
    if (!ended.ok) return ended.error;
    const session = ended.value;
    const shownSessions = session === null ? [] : [session];
    // Also where none was shown: coming from another site, the browser may have kept the cookie back.
    const cookies = [this.#cookies.clearSession()];
    const provider = trust.current();
    // Another provider knows nothing of the session, and a LogoutRequest has to name the user.
    const nameId = session?.nameId ?? null;
    const logout = provider?.entityId === session?.issuer ? (provider?.logout ?? null) : null;
    if (session === null || nameId === null || logout === null) {
      const answer = signedOutAnswer(options.signedOutPath, cookies);
      return withRemarks(answer, { event: 'sign_out', outcome: 'succeeded', ...sessionRemarks(shownSessions) });
    }
    const answer = await this.#askProvider(event, { nameId, sessionIndex: session.sessionIndex }, logout, cookies);
    return withRemarks(answer, { event: 'sign_out', outcome: 'begun', ...sessionRemarks(shownSessions) });
  }

  async #askProvider(
    { correlationId }: RequestHeadersEvent,
    { nameId, sessionIndex }: Pick<LogoutRequestToSend, 'nameId' | 'sessionIndex'>,
    { location, byPost }: LogoutService,
    cookies: readonly HeaderOperation[],
  ): Promise<AgentAnswer> {
    const { options, requests, random, digest, clock, logger } = this.#parts;
    const nowMs = clock.wallMs();
    const requestId = `_${random.uuid()}`;
    const handle = random.token();
    const handleHash = digest.sha256Hex(handle);
    const stored = await requests.insert(
      newSignOnRequest({ kind: 'sign_out', handleHash, requestId, bindingHash: null, returnTo: '/' }, nowMs),
    );
    // The provider signs the user out all the same; it is its answer that nobody will know what to make of.
    if (!stored.ok) {
      const fields = { correlation_id: correlationId, detail: stored.error.reason };
      logger.warn('a sign-out cannot be followed to its end', fields);
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
