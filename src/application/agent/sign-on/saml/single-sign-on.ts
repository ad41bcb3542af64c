import type { LogoutService } from '../../../../domain/agent/saml/identity-provider.js';
import { type LogoutRequestToSend, logoutRequestXml } from '../../../../domain/agent/saml/messages/logout-request.js';
import { nameIdOfSession } from '../../../../domain/agent/saml/session-of-assertion.js';
import { isBrowserNavigation, isFromOtherSite } from '../../../../domain/agent/sign-on/browser-navigation.js';
import {
  compileSamlPaths,
  type SamlPathKind,
  type SamlPaths,
  samlPathKind,
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
import {
  formRefusal,
  type ProblemKind,
  problemAnswer,
  undecidedAnswer,
  withNoStore,
} from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { AwaitedAnswers } from './awaited-answers.js';
import { BeginSamlSignOn } from './begin-saml-sign-on.js';
import { CompleteSamlSignOn } from './complete-saml-sign-on.js';
import { EndShownSessions } from './end-shown-sessions.js';
import { FinishSignOut } from './finish-sign-out.js';
import { FollowLogoutRequest } from './follow-logout-request.js';
import { type LogoutMessage, logoutMessageOfForm, logoutMessageOfUri } from './logout-message.js';
import { ProviderMessages } from './provider-messages.js';
import { metadataOf } from './service-provider.js';
import { sessionRemarks } from './session-remarks.js';
import { documentAnswer, signedOutAnswer } from './sign-on-answers.js';
import { SignOnCookies } from './sign-on-cookies.js';
import { SignOnRefusals } from './sign-on-refusals.js';
import type { SingleSignOnParts } from './single-sign-on-parts.js';

type EndParts = Pick<SingleSignOnParts, 'options' | 'trust' | 'requests' | 'random' | 'digest' | 'clock' | 'logger'>;

/**
 * Ends the session that a browser shows, and goes on to sign its user out at the identity provider, if that can be
 * asked.
 */
class EndSamlSession {
  readonly #parts: EndParts;
  readonly #messages: ProviderMessages;
  readonly #cookies: SignOnCookies;
  readonly #shown: EndShownSessions;

  constructor(parts: EndParts, messages: ProviderMessages, cookies: SignOnCookies, shown: EndShownSessions) {
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
    // Also where none was shown: coming from another site, the browser may have kept the cookie back.
    const cookies = [this.#cookies.clearSession()];
    const provider = trust.current();
    // Another provider knows nothing of the session, and a LogoutRequest has to name the user.
    const nameId = session === null ? null : nameIdOfSession(session);
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

const methodNotAllowed: ProblemKind = {
  status: 405,
  title: 'The endpoint does not have this method',
  detail: 'The endpoint is not made for requests with this method.',
  code: 'method_not_allowed',
};

/** Reasons of forms that could not be had, as they are logged and counted. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

/**
 * SAML single sign-on of one service provider: the flow with its endpoints. Who has a session already is judged
 * elsewhere.
 */
export class SingleSignOn implements AgentEndpoint {
  readonly paths: readonly string[];
  /** Room for a response with many attributes, in base64. */
  readonly formOctets = 1_048_576;
  readonly #paths: SamlPaths;
  readonly #apiKeyHeader: string | null;
  readonly #metadata: AgentAnswer;
  readonly #refusals: SignOnRefusals;
  readonly #cookies: SignOnCookies;
  /** No response is read but from a browser that shows a cookie, or may hold one back. */
  readonly #needsBinding: boolean;
  readonly #sessions: SingleSignOnParts['sessions'];
  readonly #digest: SingleSignOnParts['digest'];
  readonly #begin: BeginSamlSignOn;
  readonly #complete: CompleteSamlSignOn;
  readonly #end: EndSamlSession;
  readonly #follow: FollowLogoutRequest;
  readonly #finish: FinishSignOut;

  constructor(parts: SingleSignOnParts) {
    const { options, key, shares } = parts;
    this.paths = [options.acsPath, options.metadataPath, options.logoutPath];
    this.#paths = compileSamlPaths(options);
    this.#apiKeyHeader = parts.apiKeyHeader;
    this.#metadata = documentAnswer('application/samlmetadata+xml', metadataOf(options, key));
    this.#refusals = new SignOnRefusals(parts.logger, parts.outcomes);
    const cookies = new SignOnCookies(options);
    this.#cookies = cookies;
    this.#sessions = parts.sessions;
    this.#digest = parts.digest;
    this.#needsBinding = options.browserBinding && !options.allowIdpInitiated;
    const messages = new ProviderMessages(parts.keys, key);
    const awaited = new AwaitedAnswers(parts);
    this.#begin = new BeginSamlSignOn(parts, messages, cookies, this.#refusals);
    this.#complete = new CompleteSamlSignOn(parts, awaited, cookies, this.#refusals, shares);
    const shown = new EndShownSessions(parts, cookies, this.#refusals);
    this.#end = new EndSamlSession(parts, messages, cookies, shown);
    this.#follow = new FollowLogoutRequest(parts, messages, cookies, this.#refusals, shares);
    this.#finish = new FinishSignOut(parts, awaited, cookies, shown, this.#refusals, shares);
  }

  /** What the path of a request, normalised, is to single sign-on; null where it has no normal form. */
  pathKind(path: string | null): SamlPathKind {
    return samlPathKind(this.#paths, path);
  }

  /**
   * Whether a request that no method has authenticated is to be answered with `begin`: a browser goes to a protected
   * path.
   */
  begins({ method, headers }: RequestHeadersEvent, pathKind: SamlPathKind): boolean {
    return pathKind === 'protected' && isBrowserNavigation(method, headers, this.#apiKeyHeader);
  }

  /** Sends the browser to the identity provider. */
  begin(event: RequestHeadersEvent): Promise<AgentAnswer> {
    return this.#begin.begin(event);
  }

  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer> {
    const { method } = event;
    switch (this.pathKind(path)) {
      case 'metadata':
        return method === 'GET' || method === 'HEAD' ? this.#metadata : this.#otherMethod(event, 'GET, HEAD');
      case 'acs':
        return method === 'POST' ? this.#responseFormOf(event, path) : this.#otherMethod(event, 'POST');
      case 'logout':
        if (method === 'GET') return this.#signOut(event, cancellation);
        return method === 'POST' ? this.#formOf(event, path) : this.#otherMethod(event, 'GET, POST');
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
    switch (this.pathKind(path)) {
      case 'acs':
        return this.#complete.complete(event, form, cancellation);
      case 'logout': {
        const message = logoutMessageOfForm(form);
        return message.ok
          ? this.#answerMessage(event, message.value, cancellation)
          : this.#malformed(event, 'sign-out');
      }
      // The endpoints have changed since it began.
      default:
        return withNoStore(undecidedAnswer(event));
    }
  }

  refuseForm(form: RefusedForm, path: string): AgentAnswer {
    const reason = formReasons[form.kind];
    this.#refusals.note(form.event, reason, this.#deed(path), null);
    return formRefusal(form);
  }

  #formOf(event: RequestHeadersEvent, path: string): AgentAnswer {
    const fault = formHeadFault(event.headers, this.formOctets);
    if (fault === null) return wantsForm;
    if (fault === 'too_large') return this.refuseForm({ kind: fault, event }, path);
    return this.#malformed(event, this.#deed(path));
  }

  /**
   * Reads nothing of what cannot end well: a sign-on ends in the browser that began it, which has a cookie of it. A
   * browser that is signed on, or may be, may have posted its form before.
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

  #deed(path: string): 'sign-on' | 'sign-out' {
    return this.pathKind(path) === 'logout' ? 'sign-out' : 'sign-on';
  }

  #malformed(event: RequestHeadersEvent, deed: 'sign-on' | 'sign-out'): AgentAnswer {
    return this.#refusals.refuse(event, 'malformed_form', deed);
  }

  #otherMethod(event: RequestHeadersEvent, allowed: string): AgentAnswer {
    return withNoStore(problemAnswer(methodNotAllowed, event, ['Allow', allowed], ['method_not_allowed']));
  }
}
