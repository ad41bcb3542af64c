import { isBrowserNavigation } from '../../../../domain/agent/sign-on/browser-navigation.js';
import { combinedProtection, type PathProtection } from '../../../../domain/agent/sign-on/protected-paths.js';
import { allowedReturn, returnTarget } from '../../../../domain/agent/sign-on/return-target.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { AllowedOrigins } from '../../../../domain/http/allowed-origins.js';
import { requestPath } from '../../../../domain/http/path-normalisation.js';
import { parseQuery } from '../../../../domain/shared/form-urlencoded.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import {
  formRefusal,
  methodNotAllowed,
  type ProblemKind,
  problemAnswer,
  undecidedAnswer,
  withNoStore,
} from '../../agent-service/refusal.js';
import type { StepUpRules } from '../../sessions/step-up-rules.js';
import { chooseWayPage, loginUrl } from './choose-way-page.js';
import { redirectAnswer } from './sign-on-answers.js';
import type { SignOnWay } from './sign-on-way.js';

const malformed: ProblemKind = {
  status: 400,
  title: 'The message is malformed',
  detail: 'The query of the login path must name a provider of this agent once, or none.',
  code: 'sign_on_malformed',
};

/** The ways that can begin at the host of the request. If there are none, one way, which refuses the request. */
const waysAt = (event: RequestHeadersEvent, ways: readonly SignOnWay[]): readonly SignOnWay[] => {
  const here = ways.filter((way) => way.beginsAt(event));
  return here.length === 0 ? ways.slice(0, 1) : here;
};

export interface SignOnOptions {
  /** At least one. Their names are distinct. */
  readonly ways: readonly SignOnWay[];
  /** Normalised paths that begin a sign-on. Not empty if there are several ways. */
  readonly loginPaths: readonly string[];
  /** The headers with credentials, other than Authorization. */
  readonly secretHeaders: readonly string[];
  readonly returnOrigins: Pick<AllowedOrigins, 'has'>;
  /** What pages require of sessions. */
  readonly stepUp: Pick<StepUpRules, 'requirementFor'>;
}

/**
 * Decides which way to sign on begins: the only one that protects the path, or the one that the user chooses. Serves
 * the login path, where users choose.
 */
export class SignOn implements AgentEndpoint {
  readonly paths: readonly string[];
  /** The login path takes no form. */
  readonly formOctets = 0;
  readonly #parts: SignOnOptions;

  constructor(parts: SignOnOptions) {
    this.#parts = parts;
    this.paths = [...new Set(parts.loginPaths)];
  }

  /** The protection of a normalised path by all ways; null means a path without a normal form. */
  protection(path: string | null): PathProtection {
    const { ways } = this.#parts;
    const [first] = ways;
    // Every request asks this, and most agents have one way.
    if (first !== undefined && ways.length === 1) return first.protection(path);
    return combinedProtection(ways.map((way) => way.protection(path)));
  }

  /** Whether to answer an unauthenticated request with `begin`: a browser navigates to a protected path. */
  begins({ method, headers }: RequestHeadersEvent, protection: PathProtection): boolean {
    return protection === 'protected' && isBrowserNavigation(method, headers, this.#parts.secretHeaders);
  }

  /** Whether every way that protects the path of the request leads back to its host. */
  returnsTo(event: RequestHeadersEvent): boolean {
    const path = requestPath(event.uri);
    return this.#parts.ways.every((way) => way.protection(path) !== 'protected' || way.returnsTo(event));
  }

  /** Begins the way that protects the path of the request. Redirects to the page to choose if there are several. */
  async begin(event: RequestHeadersEvent): Promise<AgentAnswer> {
    const { ways } = this.#parts;
    const path = requestPath(event.uri);
    const returnTo = returnTarget(event.uri);
    const suitable = this.#suitableWays(returnTo);
    const protecting = suitable.filter((way) => way.protection(path) === 'protected');
    // A requirement may name a way that does not protect the path itself.
    const candidates = protecting.length === 0 && suitable.length < ways.length ? suitable : protecting;
    const [first, ...others] = waysAt(event, candidates);
    if (first !== undefined && others.length === 0) return first.begin(event, returnTo);
    const [loginPath] = this.paths;
    return loginPath === undefined
      ? withNoStore(undecidedAnswer(event))
      : redirectAnswer(loginUrl(loginPath, null, returnTo), []);
  }

  answer(event: RequestHeadersEvent, path: string): AgentAnswer | Promise<AgentAnswer> {
    if (event.method !== 'GET' && event.method !== 'HEAD') return methodNotAllowed(event, 'GET, HEAD');
    const mark = event.uri.indexOf('?');
    const query = parseQuery(mark < 0 ? '' : event.uri.slice(mark + 1));
    if (!query.ok) return this.#malformed(event);
    const { ways, returnOrigins } = this.#parts;
    const returnTo = allowedReturn(query.value.get('return_to')?.value ?? '/', returnOrigins);
    const name = query.value.get('provider')?.value ?? null;
    if (name !== null && !ways.some((way) => way.name === name)) return this.#malformed(event);
    const suitable = this.#suitableWays(returnTo);
    const chosen = suitable.find((way) => way.name === name);
    if (chosen !== undefined) return chosen.begin(event, returnTo);
    const shown = waysAt(event, suitable);
    const [first, ...others] = shown;
    if (first !== undefined && others.length === 0) return first.begin(event, returnTo);
    return chooseWayPage(shown, path, returnTo);
  }

  /** The ways whose sessions can open the page; all of them if none can, because the page refuses all sessions. */
  #suitableWays(returnTo: string): readonly SignOnWay[] {
    const { ways, stepUp } = this.#parts;
    const suitable = ways.filter(({ requirement }) => stepUp.requirementFor(requirement, returnTo).canOpenPage);
    return suitable.length === 0 ? ways : suitable;
  }

  /** The login path asks for no form. */
  async answerForm(event: RequestHeadersEvent): Promise<AgentAnswer> {
    return withNoStore(undecidedAnswer(event));
  }

  refuseForm(form: RefusedForm): AgentAnswer {
    return formRefusal(form);
  }

  #malformed(event: RequestHeadersEvent): AgentAnswer {
    return withNoStore(problemAnswer(malformed, event, [], ['malformed_form']));
  }
}
