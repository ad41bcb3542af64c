import type { OidcLoginOptions } from '../../../../domain/agent/configuration/oidc-login-options.js';
import { loginRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import type { OidcCallback } from '../../../../domain/agent/oidc/callback.js';
import { logoutUrl } from '../../../../domain/agent/oidc/logout-request.js';
import { idTokenDetail, providerOfLogin } from '../../../../domain/agent/oidc/session-of-id-token.js';
import type { RefreshPolicy } from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { SessionRequirement } from '../../../../domain/agent/sessions/session-requirements.js';
import {
  compileProtectedPaths,
  type PathProtection,
  type ProtectedPaths,
  pathProtection,
} from '../../../../domain/agent/sign-on/protected-paths.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { ReadToken } from '../../verify-tokens/token-verdict.js';
import type { EndedSession, SignOutFailure } from '../shared/end-presented-sessions.js';
import { redirectAnswer, signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOnWay } from '../shared/sign-on-way.js';
import type { SignOutPage, SignOutWay } from '../shared/sign-out.js';
import { BeginOidcSignOn } from './begin-oidc-sign-on.js';
import { CompleteOidcSignOn, type OwnRequest } from './complete-oidc-sign-on.js';
import type { ProviderEndpointLookup } from './discovery/provider-endpoint-lookup.js';
import { OidcRefusals } from './oidc-refusal.js';
import type { PreparedLogin } from './oidc-sign-on-options.js';
import { ProviderTokenEndpoint } from './provider-token-endpoint.js';
import { type RefreshOutcome, RefreshSessionTokens } from './refresh-session-tokens.js';
import type { LoginRefresher } from './session-refreshes.js';
import { VerifyTokens } from './verify-tokens.js';

/** One `oidc-login` block: a way to sign on. */
export class OidcLogin implements SignOnWay, SignOutWay, LoginRefresher {
  readonly name: string;
  readonly label: string;
  readonly requirement: SessionRequirement;
  readonly callbackPath: string;
  readonly options: OidcLoginOptions;
  readonly logoutPath: string;
  /** The provider in its sessions. */
  readonly provider: string;
  /** Whether the provider posts its answers. */
  readonly takesForms: boolean;
  readonly refusals: OidcRefusals;
  readonly policy: RefreshPolicy;
  readonly #metadata: ProviderEndpointLookup;
  readonly #secrets: PreparedLogin['secrets'];
  readonly #random: PreparedLogin['random'];
  readonly #paths: ProtectedPaths;
  readonly #begin: BeginOidcSignOn;
  readonly #verify: VerifyTokens;
  readonly #refresh: RefreshSessionTokens;
  readonly #complete: CompleteOidcSignOn;

  constructor(parts: PreparedLogin) {
    const { options, logger, outcomes } = parts;
    this.name = options.name;
    this.label = options.name;
    this.requirement = loginRequirement(options);
    this.callbackPath = options.callbackPath;
    this.options = options;
    this.logoutPath = options.logoutPath;
    this.provider = providerOfLogin(options);
    this.#metadata = parts.provider;
    this.#secrets = parts.secrets;
    this.#random = parts.random;
    this.takesForms = options.responseMode === 'form_post';
    this.refusals = new OidcRefusals(logger, outcomes, options.name);
    this.#paths = compileProtectedPaths(options);
    this.#begin = new BeginOidcSignOn(parts, this.refusals);
    this.#verify = new VerifyTokens(parts);
    const tokens = new ProviderTokenEndpoint({ ...parts, clientId: options.clientId });
    this.policy = { forwards: options.forwardsAccessToken, graceMs: options.refreshGraceMs };
    this.#refresh = new RefreshSessionTokens(parts, tokens, this.#verify);
    this.#complete = new CompleteOidcSignOn(parts, this.refusals, tokens);
  }

  /** Verifies the signature of a logout token of the provider. */
  verifyLogoutToken(read: ReadToken, cancellation: Cancellation): ReturnType<VerifyTokens['verifyLogoutToken']> {
    return this.#verify.verifyLogoutToken(read, cancellation);
  }

  protection(path: string | null): PathProtection {
    return pathProtection(this.#paths, path);
  }

  beginsAt(event: RequestHeadersEvent): boolean {
    return this.#begin.returnsTo(event);
  }

  returnsTo(event: RequestHeadersEvent): boolean {
    return this.#begin.returnsTo(event);
  }

  begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer> {
    return this.#begin.begin(event, returnTo);
  }

  /** Leads to the provider, so that the session there ends too (OpenID Connect RP-Initiated Logout 1.0). */
  signOutAtProvider(
    _event: RequestHeadersEvent,
    ended: EndedSession,
    cookies: readonly HeaderOperation[],
  ): SignOutPage | null {
    const { method, provider } = ended.session;
    if (method !== 'oidc' || provider !== this.provider) return null;
    const url = this.#logoutUrl(ended);
    return { answer: url === null ? this.signedOut(cookies) : redirectAnswer(url, cookies), returns: false };
  }

  signedOut(cookies: readonly HeaderOperation[]): AgentAnswer {
    const { postLogoutUrl } = this.options;
    return postLogoutUrl === null ? signedOutAnswer(null, cookies) : redirectAnswer(postLogoutUrl, cookies);
  }

  refuseSignOut(event: RequestHeadersEvent, failure: SignOutFailure): AgentAnswer {
    return this.refusals.refuse(event, failure, 'sign-out');
  }

  /** Completes the sign-on that the callback answers. Null: an equal callback came at the same time. */
  complete(
    event: RequestHeadersEvent,
    callback: OidcCallback,
    own: OwnRequest,
    cancellation: Cancellation,
  ): Promise<AgentAnswer | null> {
    return this.#complete.complete(event, callback, own, cancellation);
  }

  /** Asks the provider for fresh tokens of a session. */
  refresh(sessionId: string, session: Session, cancellation: Cancellation): Promise<RefreshOutcome> {
    return this.#refresh.refresh(sessionId, session, cancellation);
  }

  /** Null: the provider has no endpoint for a sign-out, or it is not known yet. */
  #logoutUrl({ id, session: { details } }: EndedSession): string | null {
    const { clientId, postLogoutUrl } = this.options;
    const endSessionUrl = this.#metadata.current()?.endSessionUrl ?? null;
    if (endSessionUrl === null) return null;
    const sealed = details[idTokenDetail];
    const idToken = sealed === undefined ? null : this.#secrets.open(id, idTokenDetail, sealed);
    return logoutUrl(endSessionUrl, { clientId, idToken, postLogoutUrl, state: this.#random.token() });
  }
}
