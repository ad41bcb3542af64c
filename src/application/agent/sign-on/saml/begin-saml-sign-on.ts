import { authnRequestXml } from '../../../../domain/agent/saml/messages/authn-request.js';
import { bindingCookieValue } from '../../../../domain/agent/sign-on/binding-cookies.js';
import { newSignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../../domain/http/ip-address.js';
import type { Clock } from '../../../ports/shared/clock.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import { undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import type { ProviderMessages } from './provider-messages.js';
import type { SignOnCookies } from './sign-on-cookies.js';
import type { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnParts } from './single-sign-on-parts.js';

interface AllowanceLimits {
  /** Sign-ons that one address group may begin in a period. */
  readonly signOns: number;
  readonly periodMs: number;
  /** Groups that are remembered; the one that has not come for longest makes way. */
  readonly addresses: number;
}

/**
 * A sign-on that begins is under way for five minutes, and the stores that keep it are bounded: none may fill them
 * alone.
 */
const allowanceLimits: AllowanceLimits = { signOns: 5_000, periodMs: 5 * 60_000, addresses: 10_000 };

/** A period is counted in so many parts; it is over by a part at a time. */
const parts = 5;

interface PartCount {
  readonly part: number;
  count: number;
}

/** Says whether a client may begin one more sign-on: in no period does an address group begin more than it may. */
export class SignOnAllowance {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: AllowanceLimits;
  readonly #begun = new Map<string, PartCount[]>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: AllowanceLimits = allowanceLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** False: the group of the address has begun so many already. True counts. */
  take(address: string): boolean {
    const { signOns, periodMs, addresses } = this.#limits;
    const group = addressGroup(address);
    const part = Math.floor((this.#clock.monotonicMs() * parts) / periodMs);
    // The part that is cut by the beginning of the period counts whole.
    const counts = (this.#begun.get(group) ?? []).filter((counted) => counted.part >= part - parts);
    const isAllowed = counts.reduce((sum, { count }) => sum + count, 0) < signOns;
    if (isAllowed) {
      const last = counts.at(-1);
      if (last?.part === part) last.count += 1;
      else counts.push({ part, count: 1 });
    }
    this.#begun.delete(group);
    this.#begun.set(group, counts);
    if (this.#begun.size > addresses) this.#begun.delete(this.#begun.keys().next().value as string);
    return isAllowed;
  }
}

type BeginParts = Pick<
  SingleSignOnParts,
  'options' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger' | 'outcomes'
>;

/**
 * Sends a browser to the identity provider with an AuthnRequest (SAML profiles, section 4.1.3.3), and remembers that
 * it did.
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

  async begin(event: RequestHeadersEvent): Promise<AgentAnswer> {
    const { options, trust, requests, random, digest, clock } = this.#parts;
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
    const stored = await requests.insert(
      newSignOnRequest(
        {
          kind: 'sign_on',
          handleHash,
          requestId,
          bindingHash: secret === null ? null : digest.sha256Hex(secret),
          returnTo: event.uri,
        },
        nowMs,
      ),
    );
    if (!stored.ok) return this.#refusals.refuse(event, 'store_unavailable', 'sign-on', stored.error.reason);
    const xml = authnRequestXml({
      id: requestId,
      issueInstantMs: nowMs,
      destination: provider.ssoUrl,
      entityId: options.entityId,
      acsUrl: options.acsUrl,
      nameIdFormat: options.nameIdFormat,
      authnContexts: options.authnContexts,
      forceAuthn: options.forceAuthn,
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

  /** Whoever goes on all the same does not fill the log as well. */
  #refuseOneMore(event: RequestHeadersEvent): AgentAnswer {
    const { logger, outcomes } = this.#parts;
    outcomes.refused('overloaded');
    const keptBack = this.#refusalLog.take();
    if (keptBack !== null) {
      logger.warn('a client address has begun as many sign-ons as it may', {
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
