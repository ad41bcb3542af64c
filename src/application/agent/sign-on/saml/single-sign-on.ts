import { samlRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import { samlProviderName } from '../../../../domain/agent/saml/session-of-assertion.js';
import type { SessionRequirement } from '../../../../domain/agent/sessions/session-requirements.js';
import { isFromOtherSite } from '../../../../domain/agent/sign-on/browser-navigation.js';
import { ownOrigin } from '../../../../domain/agent/sign-on/cross-site-request.js';
import {
  compileProtectedPaths,
  type PathProtection,
  type ProtectedPaths,
  pathProtection,
} from '../../../../domain/agent/sign-on/protected-paths.js';
import {
  type AgentAnswer,
  allowAnswer,
  type HeaderOperation,
  type RequestHeadersEvent,
} from '../../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import { formRefusal, methodNotAllowed, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { type EndedSession, EndPresentedSessions, type SignOutFailure } from '../shared/end-presented-sessions.js';
import { documentAnswer, signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { SignOnWay } from '../shared/sign-on-way.js';
import type { SignOutPage, SignOutWay } from '../shared/sign-out.js';
import { AwaitedAnswers } from './awaited-answers.js';
import { BeginSamlSignOn } from './begin-saml-sign-on.js';
import { CompleteSamlSignOn } from './complete-saml-sign-on.js';
import { FinishSignOut } from './finish-sign-out.js';
import { FollowLogoutRequest } from './follow-logout-request.js';
import { type LogoutMessage, logoutMessageOfForm, logoutMessageOfUri } from './logout-message.js';
import { ProviderMessages } from './provider-messages.js';
import { SamlProviderSignOut } from './saml-provider-sign-out.js';
import { metadataOf } from './service-provider.js';
import { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

/** What a path of single sign-on is for. */
type SamlEndpoint = 'acs' | 'metadata' | 'logout';

/** The reasons in logs and metrics for forms that the agent did not receive. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

/**
 * The endpoints and the flow of SAML single sign-on for one service provider. `FindSession` checks existing sessions.
 */
export class SingleSignOn implements AgentEndpoint, SignOnWay, SignOutWay {
  readonly name = samlProviderName;
  readonly label = 'Single sign-on (SAML)';
  readonly requirement: SessionRequirement;
  readonly paths: readonly string[];
  /** Fits a response with many attributes, in base64. */
  readonly formOctets = 1_048_576;
  readonly #endpoints: ReadonlyMap<string, SamlEndpoint>;
  readonly #protected: ProtectedPaths;
  readonly #metadata: AgentAnswer;
  readonly #acsOrigin: string;
  readonly #refusals: SignOnRefusals;
  readonly #cookies: SignOnCookies;
  /** Whether the agent reads responses only from browsers with a binding cookie. */
  readonly #needsBinding: boolean;
  readonly #sessions: SingleSignOnOptions['sessions'];
  readonly #digest: SingleSignOnOptions['digest'];
  readonly #begin: BeginSamlSignOn;
  readonly #complete: CompleteSamlSignOn;
  readonly #providerSignOut: SamlProviderSignOut;
  readonly #signOutHere: SingleSignOnOptions['signOut'];
  readonly #signedOutPath: string | null;
  readonly #follow: FollowLogoutRequest;
  readonly #finish: FinishSignOut;

  constructor(parts: SingleSignOnOptions) {
    const { options, key, shares } = parts;
    this.requirement = samlRequirement(options);
    this.paths = [options.acsPath, options.metadataPath, options.logoutPath];
    this.#endpoints = new Map([
      [options.metadataPath, 'metadata'],
      [options.logoutPath, 'logout'],
      [options.acsPath, 'acs'],
    ]);
    this.#protected = compileProtectedPaths(options);
    this.#acsOrigin = new URL(options.acsUrl).origin;
    this.#metadata = documentAnswer('application/samlmetadata+xml', metadataOf(options, key));
    this.#refusals = new SignOnRefusals(parts.logger, parts.outcomes);
    const { cookies } = parts;
    this.#cookies = cookies;
    this.#sessions = parts.sessions;
    this.#digest = parts.digest;
    this.#needsBinding = options.browserBinding && !options.allowIdpInitiated;
    const messages = new ProviderMessages(parts.keys, key);
    const awaited = new AwaitedAnswers(parts);
    this.#begin = new BeginSamlSignOn(parts, messages, cookies, this.#refusals);
    this.#complete = new CompleteSamlSignOn(parts, awaited, cookies, this.#refusals, shares);
    this.#providerSignOut = new SamlProviderSignOut(parts, messages);
    this.#signOutHere = parts.signOut;
    this.#signedOutPath = options.signedOutPath;
    this.#follow = new FollowLogoutRequest(parts, messages, cookies, this.#refusals, shares);
    this.#finish = new FinishSignOut(parts, awaited, cookies, new EndPresentedSessions(parts), this.#refusals, shares);
  }

  protection(path: string | null): PathProtection {
    return pathProtection(this.#protected, path);
  }

  /** At every host: the response comes to the host of `acs-url`. */
  beginsAt(): boolean {
    return true;
  }

  /** The response comes to the host of `acs-url`, and leads to a path of it. */
  returnsTo(event: RequestHeadersEvent): boolean {
    return ownOrigin(event) === this.#acsOrigin;
  }

  /** Sends the browser to the identity provider. */
  begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer> {
    return this.#begin.begin(event, returnTo);
  }

  signOutAtProvider(
    event: RequestHeadersEvent,
    ended: EndedSession,
    cookies: readonly HeaderOperation[],
  ): Promise<SignOutPage | null> {
    return this.#providerSignOut.signOutAtProvider(event, ended, cookies);
  }

  signedOut(cookies: readonly HeaderOperation[]): AgentAnswer {
    return signedOutAnswer(this.#signedOutPath, cookies);
  }

  refuseSignOut(event: RequestHeadersEvent, { reason, detail }: SignOutFailure): AgentAnswer {
    return this.#refusals.refuse(event, reason, 'sign-out', detail);
  }

  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer> {
    const { method } = event;
    switch (this.#endpoints.get(path)) {
      case 'metadata':
        return method === 'GET' || method === 'HEAD' ? this.#metadata : methodNotAllowed(event, 'GET, HEAD');
      case 'acs':
        return method === 'POST' ? this.#responseFormOf(event, path) : methodNotAllowed(event, 'POST');
      case 'logout':
        if (method === 'GET') return this.#signOut(event, cancellation);
        return method === 'POST' ? this.#formOf(event, path) : methodNotAllowed(event, 'GET, POST');
      default:
        return withNoStore(undecidedAnswer(event));
    }
  }

  async answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    switch (this.#endpoints.get(path)) {
      case 'acs':
        return this.#complete.complete(event, form, cancellation);
      case 'logout': {
        const message = logoutMessageOfForm(form);
        return message.ok
          ? this.#answerMessage(event, message.value, cancellation)
          : this.#malformed(event, 'sign-out');
      }
      // The endpoints have changed since the request began.
      default:
        return withNoStore(undecidedAnswer(event));
    }
  }

  refuseForm(form: RefusedForm, path: string): AgentAnswer {
    const reason = formReasons[form.kind];
    this.#refusals.note(form.event, reason, this.#action(path), null);
    return formRefusal(form);
  }

  #formOf(event: RequestHeadersEvent, path: string): AgentAnswer {
    const fault = formHeadFault(event.headers, this.formOctets);
    if (fault === null) return wantsForm;
    if (fault === 'too_large') return this.refuseForm({ kind: fault, event }, path);
    return this.#malformed(event, this.#action(path));
  }

  /**
   * Refuses a form that cannot succeed, before its body arrives. The browser that began a sign-on has a binding cookie.
   * A browser without one can only repeat the form of a completed sign-on. It then has an active session, or it
   * withholds the session cookie because another site posts the form.
   */
  #responseFormOf(event: RequestHeadersEvent, path: string): AgentAnswer | Promise<AgentAnswer> {
    const answer = this.#formOf(event, path);
    const { headers } = event;
    if (!answer.needsMore || !this.#needsBinding || this.#cookies.hasBinding(headers)) return answer;
    const shown = this.#cookies.sessionIds(headers);
    if (shown.length === 0) return isFromOtherSite(headers) ? answer : this.#otherBrowser(event);
    return this.#ofSignedOn(event, shown, answer);
  }

  async #ofSignedOn(event: RequestHeadersEvent, shown: readonly string[], answer: AgentAnswer): Promise<AgentAnswer> {
    for (const sessionId of shown) {
      const active = await this.#sessions.isActive(this.#digest.sha256Hex(sessionId));
      if (!active.ok) return this.#refusals.refuse(event, 'store_unavailable', 'sign-on', active.error.reason);
      if (active.value) return answer;
    }
    return this.#otherBrowser(event);
  }

  #otherBrowser(event: RequestHeadersEvent): AgentAnswer {
    return this.#refusals.refuse(event, 'other_browser', 'sign-on');
  }

  #signOut(event: RequestHeadersEvent, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer> {
    const message = logoutMessageOfUri(event.uri);
    if (!message.ok) return this.#malformed(event, 'sign-out');
    return message.value === null
      ? this.#signOutHere.signOut(event, this)
      : this.#answerMessage(event, message.value, cancellation);
  }

  #answerMessage(event: RequestHeadersEvent, message: LogoutMessage, cancellation: Cancellation): Promise<AgentAnswer> {
    return message.kind === 'request'
      ? this.#follow.follow(event, message, cancellation)
      : this.#finish.finish(event, message, cancellation);
  }

  #action(path: string): 'sign-on' | 'sign-out' {
    return this.#endpoints.get(path) === 'logout' ? 'sign-out' : 'sign-on';
  }

  #malformed(event: RequestHeadersEvent, action: 'sign-on' | 'sign-out'): AgentAnswer {
    return this.#refusals.refuse(event, 'malformed_form', action);
  }
}
