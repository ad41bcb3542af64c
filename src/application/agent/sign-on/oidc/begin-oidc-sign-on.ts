import { loginRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import { authorizationUrl } from '../../../../domain/agent/oidc/authorization-request.js';
import { codeVerifierText, loginRequestId, nonceText } from '../../../../domain/agent/oidc/pending-login.js';
import type { ProviderMetadata } from '../../../../domain/agent/oidc/provider-metadata.js';
import { PublicOrigins } from '../../../../domain/agent/oidc/public-origin.js';
import { bindingCookieValue } from '../../../../domain/agent/sign-on/binding-cookies.js';
import { newSignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { allHeaders } from '../../../../domain/http/header-list.js';
import { encodeBase64Url } from '../../../../domain/shared/base64.js';
import { refusalAnswer } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { loginUrl } from '../shared/choose-way-page.js';
import { redirectAnswer } from '../shared/sign-on-answers.js';
import { readyProvider } from './discovery/ready-provider.js';
import type { OidcRefusals } from './oidc-refusal.js';
import type { PreparedLogin } from './oidc-sign-on-options.js';

/** The host that a request names; null: none, or several. */
const hostOf = ({ headers }: RequestHeadersEvent): string | null => {
  const hosts = allHeaders(headers, 'host');
  return hosts.length === 1 ? (hosts[0] as string) : null;
};

/** 401 for a host at which no browser can sign on. */
const foreignHost = (event: RequestHeadersEvent): AgentAnswer =>
  refusalAnswer(event, {
    kind: 'refused',
    failure: { method: null, reason: 'missing_credentials' },
    undecided: null,
    bearer: null,
    requiredScope: null,
    mayUseBasic: false,
  });

/**
 * Redirects a browser to the authorization endpoint of the provider (OpenID Connect Core, section 3.1.2.1), and stores
 * the request. The store holds neither nonce nor code verifier: both are made from the secret in the binding cookie.
 */
export class BeginOidcSignOn {
  readonly #parts: PreparedLogin;
  readonly #refusals: OidcRefusals;
  readonly #origins: PublicOrigins;

  constructor(parts: PreparedLogin, refusals: OidcRefusals) {
    this.#parts = parts;
    this.#refusals = refusals;
    this.#origins = new PublicOrigins(parts.options.publicOrigins, parts.cookieDomain);
  }

  /** Whether the request came in at a host from which a sign-on leads back. */
  returnsTo(event: RequestHeadersEvent): boolean {
    return this.#origins.placeOf(hostOf(event)).kind !== 'foreign';
  }

  /** @param returnTo path and query of the host of the request, or an https URL */
  async begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer> {
    const host = hostOf(event);
    const place = this.#origins.placeOf(host);
    if (place.kind === 'cookie_domain') return this.#elsewhere(host ?? '', returnTo);
    if (place.kind === 'foreign') {
      this.#refusals.note(event, { reason: 'foreign_host', detail: 'the host is not among public-url' });
      return foreignHost(event);
    }
    const ready = readyProvider(this.#parts);
    if (!ready.ok) return this.#refusals.refuse(event, { reason: 'provider_unavailable', detail: ready.error });
    if (!this.#parts.allowance.take(event.metadata.clientIp)) {
      return this.#refusals.refuse(event, { reason: 'overloaded', detail: 'a client address has reached its limit' });
    }
    return this.#ask(event, ready.value, place.origin, returnTo);
  }

  /** The cookie that binds a sign-on belongs to one host, so the sign-on begins where the callback is. */
  #elsewhere(host: string, returnTo: string): AgentAnswer {
    const { loginPath, name } = this.#parts.options;
    const target = returnTo.startsWith('/') ? `https://${host.toLowerCase()}${returnTo}` : returnTo;
    return redirectAnswer(this.#origins.first + loginUrl(loginPath, name, target), []);
  }

  async #ask(
    event: RequestHeadersEvent,
    metadata: ProviderMetadata,
    origin: string,
    returnTo: string,
  ): Promise<AgentAnswer> {
    const { options, cookies, returnOrigins, requests, random, digest, hashes, clock, stepUp } = this.#parts;
    const nowMs = clock.wallMs();
    const state = random.token();
    const handleHash = digest.sha256Hex(state);
    const secret = bindingCookieValue(random.token(), nowMs);
    const request = newSignOnRequest(
      {
        kind: 'sign_on',
        handleHash,
        requestId: loginRequestId({ login: options.name, origin }),
        bindingHash: digest.sha256Hex(secret),
        returnTo,
      },
      nowMs,
      returnOrigins,
    );
    const stored = await requests.insert(request);
    if (!stored.ok) return this.#refusals.refuse(event, { reason: 'store_unavailable', detail: stored.error.reason });
    const codeVerifier = digest.sha256Hex(codeVerifierText(secret, state));
    const { acrValues, maxAgeSecs } = stepUp.requirementFor(loginRequirement(options), request.returnTo);
    const parameters = { ...options, acrValues, maxAgeSecs };
    const url = authorizationUrl(metadata.authorizationUrl, parameters, {
      redirectUri: origin + options.callbackPath,
      state,
      nonce: digest.sha256Hex(nonceText(secret, state)),
      codeChallenge: encodeBase64Url(hashes.hash('sha256', codeVerifier)),
    });
    const operations = [...cookies.clearSurplusBindings(event.headers, nowMs), cookies.setBinding(handleHash, secret)];
    const answer = redirectAnswer(url, operations);
    return withRemarks(answer, { event: 'sign_on', outcome: 'begun', auth_method: 'oidc' });
  }
}
