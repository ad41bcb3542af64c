import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import { methodNotAllowed, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { FollowLogoutToken } from './follow-logout-token.js';
import { FrontChannelLogout } from './front-channel-logout.js';
import type { OidcLogin } from './oidc-login.js';
import type { LoginServices } from './oidc-sign-on-options.js';

/** The reasons in logs and metrics for forms that the agent did not receive. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

/** The logout paths of all logins of an agent: of browsers, of providers, and of frames of providers. */
export class OidcLogoutEndpoints implements AgentEndpoint {
  readonly paths: readonly string[];
  /** Fits a logout token. */
  readonly formOctets = 32_768;
  readonly #logins: readonly OidcLogin[];
  readonly #backChannelPaths: ReadonlySet<string>;
  readonly #frontChannelPaths: ReadonlySet<string>;
  readonly #signOut: LoginServices['signOut'];
  readonly #tokens: FollowLogoutToken;
  readonly #frames: FrontChannelLogout;

  /** @param logins at least one, with distinct names */
  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.#backChannelPaths = new Set(logins.map(({ options }) => options.backchannelLogoutPath));
    this.#frontChannelPaths = new Set(logins.map(({ options }) => options.frontchannelLogoutPath));
    const own = logins.map(({ logoutPath }) => logoutPath);
    this.paths = [...new Set([...own, ...this.#backChannelPaths, ...this.#frontChannelPaths])];
    this.#logins = logins;
    this.#signOut = parts.signOut;
    this.#tokens = new FollowLogoutToken(logins, parts);
    this.#frames = new FrontChannelLogout(logins, parts);
  }

  answer(event: RequestHeadersEvent, path: string): AgentAnswer | Promise<AgentAnswer> {
    if (this.#backChannelPaths.has(path)) return this.#posted(event, path);
    if (event.method !== 'GET') return methodNotAllowed(event, 'GET');
    if (this.#frontChannelPaths.has(path)) return this.#frames.end(event, path);
    return this.#signOut.signOut(event, this.#logins.find(({ logoutPath }) => logoutPath === path) as OidcLogin);
  }

  async answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    // The endpoints may have changed since the request began.
    if (!this.#backChannelPaths.has(path)) return withNoStore(undecidedAnswer(event));
    return this.#tokens.follow(event, path, form, cancellation);
  }

  refuseForm({ event, kind }: RefusedForm, path: string): AgentAnswer {
    return this.#tokens.refuse(event, path, { reason: formReasons[kind], detail: null });
  }

  #posted(event: RequestHeadersEvent, path: string): AgentAnswer {
    if (event.method !== 'POST') return methodNotAllowed(event, 'POST');
    const fault = formHeadFault(event.headers, this.formOctets);
    if (fault === null) return { ...allowAnswer, needsMore: true };
    const reason = fault === 'too_large' ? 'form_too_large' : 'malformed_form';
    return this.#tokens.refuse(event, path, { reason, detail: null });
  }
}
