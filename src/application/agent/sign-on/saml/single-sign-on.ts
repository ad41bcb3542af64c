import { samlDemand } from '../../../../domain/agent/configuration/step-up-rules.js';
import type { LogoutService } from '../../../../domain/agent/saml/identity-provider.js';
import { type LogoutRequestToSend, logoutRequestXml } from '../../../../domain/agent/saml/messages/logout-request.js';
import { nameIdOfSession, samlProviderName } from '../../../../domain/agent/saml/session-of-assertion.js';
import type { SessionRequirement } from '../../../../domain/agent/sessions/session-requirements.js';
import { isFromOtherSite } from '../../../../domain/agent/sign-on/browser-navigation.js';
import {
  compileProtectedPaths,
  type PathProtection,
  type ProtectedPaths,
  pathProtection,
} from '../../../../domain/agent/sign-on/protected-paths.js';
import { newSignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
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
import { withRemarks } from '../../agent-service/with-remarks.js';
import { documentAnswer, signedOutAnswer } from '../shared/sign-on-answers.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { SignOnWay } from '../shared/sign-on-way.js';
import { AwaitedAnswers } from './awaited-answers.js';
import { BeginSamlSignOn } from './begin-saml-sign-on.js';
import { CompleteSamlSignOn } from './complete-saml-sign-on.js';
import { EndPresentedSessions } from './end-presented-sessions.js';
import { FinishSignOut } from './finish-sign-out.js';
import { FollowLogoutRequest } from './follow-logout-request.js';
import { type LogoutMessage, logoutMessageOfForm, logoutMessageOfUri } from './logout-message.js';
import { ProviderMessages } from './provider-messages.js';
import { metadataOf } from './service-provider.js';
import { sessionRemarks } from './session-remarks.js';
import { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

type EndParts = Pick<
  SingleSignOnOptions,
  'options' | 'returnOrigins' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger'
>;

/** Ends the sessions of a browser, and then signs its user out at the identity provider if possible. */
class EndSamlSession {
  readonly #parts: EndParts;
  readonly #messages: ProviderMessages;
  readonly #cookies: SignOnCookies;
  readonly #shown: EndPresentedSessions;

  constructor(parts: EndParts, messages: ProviderMessages, cookies: SignOnCookies, shown: EndPresentedSessions) {
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
    // Clears the cookie even without a session: after a cross-site navigation the browser may have withheld it.
    const cookies = this.#cookies.clearSession(event.headers);
    const provider = trust.current();
    // The session must be from the current provider, and a LogoutRequest must name the user.
    const nameId = session?.method === 'saml' ? nameIdOfSession(session) : null;
    const logout = provider?.entityId === session?.provider ? (provider?.logout ?? null) : null;
    if (session === null || nameId === null || logout === null) {
      const answer = signedOutAnswer(options.signedOutPath, cookies);
      return withRemarks(answer, { event: 'sign_out', outcome: 'succeeded', ...sessionRemarks(shownSessions) });
    }
    const answer = await this.#askProvider(
      event,
      { nameId, sessionIndex: session.logout?.session ?? null },
      logout,
      cookies,
    );
    return withRemarks(answer, { event: 'sign_out', outcome: 'begun', ...sessionRemarks(shownSessions) });
  }

  async #askProvider(
    { correlationId }: RequestHeadersEvent,
    { nameId, sessionIndex }: Pick<LogoutRequestToSend, 'nameId' | 'sessionIndex'>,
    { location, byPost }: LogoutService,
    cookies: readonly HeaderOperation[],
  ): Promise<AgentAnswer> {
    const { options, returnOrigins, requests, random, digest, clock, logger } = this.#parts;
    const nowMs = clock.wallMs();
    const requestId = `_${random.uuid()}`;
    const handle = random.token();
    const handleHash = digest.sha256Hex(handle);
    const stored = await requests.insert(
      newSignOnRequest(
        { kind: 'sign_out', handleHash, requestId, bindingHash: null, returnTo: '/' },
        nowMs,
        returnOrigins,
      ),
    );
    // The provider signs the user out anyway; only its answer finds no request.
    if (!stored.ok) {
      const fields = { correlation_id: correlationId, detail: stored.error.reason };
      logger.warn('a sign-out was not stored; the answer of the identity provider will not be recognised', fields);
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

/** What a path of single sign-on is for. */
type SamlEndpoint = 'acs' | 'metadata' | 'logout';

/** The reasons in logs and metrics for forms that the agent did not receive. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

/**
 * The endpoints and the flow of SAML single sign-on for one service provider. `FindSession` checks existing sessions.
 */
export class SingleSignOn implements AgentEndpoint, SignOnWay {
  readonly name = samlProviderName;
  readonly label = 'Single sign-on (SAML)';
  readonly demand: SessionRequirement;
  readonly paths: readonly string[];
  /** Fits a response with many attributes, in base64. */
  readonly formOctets = 1_048_576;
  readonly #endpoints: ReadonlyMap<string, SamlEndpoint>;
  readonly #protected: ProtectedPaths;
  readonly #metadata: AgentAnswer;
  readonly #refusals: SignOnRefusals;
  readonly #cookies: SignOnCookies;
  /** Whether the agent reads responses only from browsers with a binding cookie. */
  readonly #needsBinding: boolean;
  readonly #sessions: SingleSignOnOptions['sessions'];
  readonly #digest: SingleSignOnOptions['digest'];
  readonly #begin: BeginSamlSignOn;
  readonly #complete: CompleteSamlSignOn;
  readonly #end: EndSamlSession;
  readonly #follow: FollowLogoutRequest;
  readonly #finish: FinishSignOut;

  constructor(parts: SingleSignOnOptions) {
    const { options, key, shares } = parts;
    this.demand = samlDemand(options);
    this.paths = [options.acsPath, options.metadataPath, options.logoutPath];
    this.#endpoints = new Map([
      [options.metadataPath, 'metadata'],
      [options.logoutPath, 'logout'],
      [options.acsPath, 'acs'],
    ]);
    this.#protected = compileProtectedPaths(options);
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
    const shown = new EndPresentedSessions(parts, cookies, this.#refusals);
    this.#end = new EndSamlSession(parts, messages, cookies, shown);
    this.#follow = new FollowLogoutRequest(parts, messages, cookies, this.#refusals, shares);
    this.#finish = new FinishSignOut(parts, awaited, cookies, shown, this.#refusals, shares);
  }

  protection(path: string | null): PathProtection {
    return pathProtection(this.#protected, path);
  }

  /** Sends the browser to the identity provider. */
  begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer> {
    return this.#begin.begin(event, returnTo);
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
    return message.value === null ? this.#end.end(event) : this.#answerMessage(event, message.value, cancellation);
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
