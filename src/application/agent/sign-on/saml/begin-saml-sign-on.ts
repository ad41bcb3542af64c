import { samlRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import { authnRequestXml } from '../../../../domain/agent/saml/messages/authn-request.js';
import { bindingCookieValue } from '../../../../domain/agent/sign-on/binding-cookies.js';
import { newSignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import { undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { allowanceLimits, SignOnAllowance } from '../shared/sign-on-allowance.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { ProviderMessages } from './provider-messages.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

type BeginParts = Pick<
  SingleSignOnOptions,
  'options' | 'returnOrigins' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger' | 'outcomes' | 'stepUp'
>;

/**
 * Redirects a browser to the identity provider with an AuthnRequest (SAML profiles, section 4.1.3.3), and stores the
 * request.
 */
export class BeginSamlSignOn {
  readonly #parts: BeginParts;
  readonly #messages: ProviderMessages;
  readonly #cookies: SignOnCookies;
  readonly #refusals: SignOnRefusals;
  readonly #allowance: SignOnAllowance;
  readonly #refusalLog: OncePerPeriod;

  constructor(parts: BeginParts, messages: ProviderMessages, cookies: SignOnCookies, refusals: SignOnRefusals) {
    this.#parts = parts;
    this.#messages = messages;
    this.#cookies = cookies;
    this.#refusals = refusals;
    this.#allowance = new SignOnAllowance(parts.clock);
    this.#refusalLog = new OncePerPeriod(parts.clock, allowanceLimits.periodMs);
  }

  /** `returnTo`: path and query of this host, or a URL at one of the return origins. */
  async begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer> {
    const { options, returnOrigins, trust, requests, random, digest, clock, stepUp } = this.#parts;
    const provider = trust.current();
    if (provider === null) {
      trust.hurry();
      return this.#refusals.refuse(event, 'provider_unavailable', 'sign-on');
    }
    if (!this.#allowance.take(event.metadata.clientIp)) return this.#refuseOneMore(event);
    const nowMs = clock.wallMs();
    const requestId = `_${random.uuid()}`;
    const handle = random.token();
    const handleHash = digest.sha256Hex(handle);
    const secret = options.browserBinding ? bindingCookieValue(random.token(), nowMs) : null;
    const request = newSignOnRequest(
      {
        kind: 'sign_on',
        handleHash,
        requestId,
        bindingHash: secret === null ? null : digest.sha256Hex(secret),
        returnTo,
      },
      nowMs,
      returnOrigins,
    );
    const stored = await requests.insert(request);
    if (!stored.ok) return this.#refusals.refuse(event, 'store_unavailable', 'sign-on', stored.error.reason);
    const { acrValues, maxAgeSecs } = stepUp.requirementFor(samlRequirement(options), request.returnTo);
    const xml = authnRequestXml({
      id: requestId,
      issueInstantMs: nowMs,
      destination: provider.ssoUrl,
      entityId: options.entityId,
      acsUrl: options.acsUrl,
      nameIdFormat: options.nameIdFormat,
      authnContexts: acrValues,
      // SAML has no maximum age.
      forceAuthn: options.forceAuthn || maxAgeSecs !== null,
    });
    const surplus = this.#cookies.clearSurplusBindings(event.headers, nowMs);
    const cookies = secret === null ? surplus : [...surplus, this.#cookies.setBinding(handleHash, secret)];
    const message = {
      id: requestId,
      location: provider.ssoUrl,
      parameter: 'SAMLRequest',
      xml,
      relayState: handle,
    } as const;
    const answer = await this.#messages.answer({ ...message, byPost: provider.ssoByPost === true }, cookies);
    return withRemarks(answer, { event: 'sign_on', outcome: 'begun' });
  }

  /** Refuses a sign-on above the limit. Logs at most once per period. */
  #refuseOneMore(event: RequestHeadersEvent): AgentAnswer {
    const { logger, outcomes } = this.#parts;
    outcomes.refused('overloaded');
    const keptBack = this.#refusalLog.take();
    if (keptBack !== null) {
      logger.warn('a client address has reached its limit of sign-ons', {
        reason: 'overloaded',
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
        client_ip: event.metadata.clientIp,
        not_logged_before: keptBack,
      });
    }
    return withNoStore(undecidedAnswer(event, 'overloaded'));
  }
}
