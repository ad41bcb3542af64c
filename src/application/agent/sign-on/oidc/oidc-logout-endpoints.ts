import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import { formRefusal, methodNotAllowed, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import type { OidcLogin } from './oidc-login.js';
import type { LoginServices } from './oidc-sign-on-options.js';
import { SignOut } from './sign-out.js';

/** The logout paths of all logins of an agent. */
export class OidcLogoutEndpoints implements AgentEndpoint {
  readonly paths: readonly string[];
  readonly formOctets = 0;
  readonly #logins: readonly OidcLogin[];
  readonly #signOut: SignOut;

  /** @param logins at least one, with distinct names */
  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.paths = [...new Set(logins.map(({ logoutPath }) => logoutPath))];
    this.#logins = logins;
    this.#signOut = new SignOut(logins, parts);
  }

  answer(event: RequestHeadersEvent, path: string): AgentAnswer | Promise<AgentAnswer> {
    const login = this.#logins.find(({ logoutPath }) => logoutPath === path) as OidcLogin;
    return event.method === 'GET' ? this.#signOut.signOut(event, login) : methodNotAllowed(event, 'GET');
  }

  /** The endpoints have changed since the request began: this one takes no form. */
  async answerForm(event: RequestHeadersEvent): Promise<AgentAnswer> {
    return withNoStore(undecidedAnswer(event));
  }

  refuseForm(form: RefusedForm): AgentAnswer {
    return formRefusal(form);
  }
}
