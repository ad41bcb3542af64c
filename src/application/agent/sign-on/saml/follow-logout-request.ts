import type { LogoutRequest } from '../../../../domain/agent/saml/assertion.js';
import { logoutReplayUntilMs, validateLogoutRequest } from '../../../../domain/agent/saml/checks/validate-logout.js';
import type { IdentityProvider } from '../../../../domain/agent/saml/identity-provider.js';
import { logoutResponseXml } from '../../../../domain/agent/saml/messages/logout-response.js';
import { remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { endSessionsOnce } from '../shared/end-sessions-once.js';
import { sessionNames } from '../shared/session-remarks.js';
import { othersSignedOutAnswer, signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { LogoutMessage } from './logout-message.js';
import type { ProviderMessages } from './provider-messages.js';
import { documentKeys, logoutUrlOf } from './service-provider.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';
import { sharedVerification, type VerificationShares } from './verification-shares.js';

type FollowParts = Pick<
  SingleSignOnOptions,
  'options' | 'key' | 'trust' | 'verifier' | 'sessions' | 'replays' | 'random' | 'digest' | 'clock' | 'logger'
>;

/** Ends the sessions that a LogoutRequest names, and answers it (SAML profiles, section 4.4.3). */
export class FollowLogoutRequest {
  readonly #parts: FollowParts;
  readonly #messages: ProviderMessages;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;
  readonly #shares: VerificationShares;

  constructor(
    parts: FollowParts,
    messages: ProviderMessages,
    cookies: SignOnCookies,
    refusals: SignOnRefusals,
    shares: VerificationShares,
  ) {
    this.#parts = parts;
    this.#messages = messages;
    this.#cookies = cookies;
    this.#refusals = refusals;
    this.#shares = shares;
  }

  async follow(
    event: RequestHeadersEvent,
    { message, relayState }: LogoutMessage,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { options, key: ownKey, trust, verifier, sessions, replays, digest, clock, logger } = this.#parts;
    const provider = trust.current();
    if (provider === null) return this.#refusals.refuse(event, 'provider_unavailable', 'sign-out');
    const verified = await sharedVerification(this.#shares, event, () =>
      verifier.verifyLogoutRequest(message, documentKeys(provider, ownKey), cancellation),
    );
    if (!verified.ok) return this.#refusals.refuse(event, verified.error, 'sign-out');
    const request = verified.value;
    const nowMs = clock.wallMs();
    const fault = validateLogoutRequest(request, {
      nowMs,
      clockSkewMs: options.clockSkewMs,
      idpEntityId: provider.entityId,
      logoutUrl: logoutUrlOf(options),
    });
    if (fault !== null) return this.#refusals.refuse(event, fault, 'sign-out');
    const key = digest.sha256Hex(`logout\n${provider.entityId}\n${request.id}`);
    const { issuer, nameId, sessionIndexes } = request;
    const ended = await endSessionsOnce(replays, { key, untilMs: logoutReplayUntilMs(request), nowMs }, () =>
      sessions.endOfSubject({ method: 'saml', provider: issuer, subject: nameId.value, sessionIndexes }),
    );
    if (!ended.ok) {
      return ended.error === 'replayed'
        ? this.#refusals.refuse(event, 'replayed', 'sign-out')
        : this.#refusals.refuse(event, 'store_unavailable', 'sign-out', ended.error.reason);
    }
    logger.info('sessions ended by the identity provider', {
      sessions: ended.value.length,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    return this.#answer(event, request, provider, relayState, ended.value);
  }

  /** @param endedHashes of the sessions that the request has ended */
  async #answer(
    event: RequestHeadersEvent,
    { id: requestId, nameId }: LogoutRequest,
    provider: IdentityProvider,
    relayState: string,
    endedHashes: readonly string[],
  ): Promise<AgentAnswer> {
    const { options, random, clock } = this.#parts;
    const isSignedOut = this.#hasOnlyEndedSessions(event, endedHashes);
    const cookies = isSignedOut ? this.#cookies.clearSession(event.headers) : [];
    const remarks = {
      event: 'sign_out',
      outcome: 'succeeded',
      subject: remarkText(nameId.value),
      session: sessionNames(endedHashes),
    } as const;
    if (provider.logout === null) {
      const answer = isSignedOut ? signedOutAnswer(options.signedOutPath, cookies) : othersSignedOutAnswer();
      return withRemarks(answer, remarks);
    }
    const location = provider.logout.responseLocation ?? provider.logout.location;
    const id = `_${random.uuid()}`;
    const xml = logoutResponseXml({
      id,
      issueInstantMs: clock.wallMs(),
      destination: location,
      entityId: options.entityId,
      inResponseTo: requestId,
    });
    const message = { id, location, parameter: 'SAMLResponse', xml, relayState: relayState || null } as const;
    const answer = await this.#messages.answer({ ...message, byPost: provider.logout.byPost === true }, cookies);
    return withRemarks(answer, remarks);
  }

  /**
   * Whether the message ended every session of the browser. Otherwise it named another session, and the cookie stays.
   */
  #hasOnlyEndedSessions({ headers }: RequestHeadersEvent, endedHashes: readonly string[]): boolean {
    const { digest } = this.#parts;
    const shown = this.#cookies.allSessionIds(headers);
    return shown?.every((sessionId) => endedHashes.includes(digest.sha256Hex(sessionId))) ?? false;
  }
}
