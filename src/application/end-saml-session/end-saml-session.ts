import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { LogoutService } from '../../domain/saml/identity-provider.js';
import { logoutRequestXml } from '../../domain/saml/messages/logout-request.js';
import type { Session } from '../../domain/saml/session/session.js';
import { newSignOnRequest } from '../../domain/saml/sign-on/new-sign-on-request.js';
import type { RedirectMessages } from '../single-sign-on/redirect-messages.js';
import { redirectAnswer } from '../single-sign-on/sign-on-answers.js';
import type { SignOnCookies } from '../single-sign-on/sign-on-cookies.js';
import type { SignOnRefusals } from '../single-sign-on/sign-on-refusals.js';
import type { SingleSignOnParts } from '../single-sign-on/single-sign-on-parts.js';
import { signedOutAnswer } from './signed-out-answers.js';

type EndParts = Pick<
  SingleSignOnParts,
  'options' | 'trust' | 'sessions' | 'requests' | 'random' | 'digest' | 'clock' | 'logger'
>;

/** Ends the session that a browser shows, and goes on to sign its user out at the identity provider, if that can be asked. */
export class EndSamlSession {
  readonly #parts: EndParts;
  readonly #messages: RedirectMessages;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;

  constructor(parts: EndParts, messages: RedirectMessages, cookies: SignOnCookies, refusals: SignOnRefusals) {
    this.#parts = parts;
    this.#messages = messages;
    this.#cookies = cookies;
    this.#refusals = refusals;
  }

  async end(event: RequestHeadersEvent): Promise<AgentAnswer> {
    const { options, trust, sessions, logger } = this.#parts;
    const shown = this.#cookies.sessionIds(event.headers);
    if (shown.length === 0) return signedOutAnswer(options.signedOutPath, []);
    let session: Session | null = null;
    for (const sessionId of shown) {
      const ended = await sessions.end(sessionId);
      // The cookie stays: who is told that it failed can try again.
      if (!ended.ok) return this.#refusals.refuse(event, 'store_unavailable', 'sign-out', ended.error.reason);
      session ??= ended.value;
    }
    const cookies = [this.#cookies.clearSession()];
    if (session === null) return signedOutAnswer(options.signedOutPath, cookies);
    logger.info('session ended by its user', {
      user: session.userId,
      session: session.idHash.slice(0, 12),
      correlation_id: event.correlationId,
    });
    const provider = trust.current();
    // Another provider knows nothing of the session.
    if (provider === null || provider.logout === null || provider.entityId !== session.issuer) {
      return signedOutAnswer(options.signedOutPath, cookies);
    }
    return this.#askProvider(event, session, provider.logout, cookies);
  }

  async #askProvider(
    { correlationId }: RequestHeadersEvent,
    { nameId, sessionIndex }: Session,
    { location }: LogoutService,
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
    return redirectAnswer(this.#messages.url({ location, parameter: 'SAMLRequest', xml, relayState: handle }), cookies);
  }
}
