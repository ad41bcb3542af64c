import { authorizationRemarks, identityRemarks } from '../../../domain/agent/identity/identity.js';
import { removalOperations } from '../../../domain/agent/identity/identity-headers.js';
import type { AuthenticationMethod } from '../../../domain/agent/identity/request-credentials.js';
import { isCrossSiteRequest, opensWebSocket } from '../../../domain/agent/sign-on/cross-site-request.js';
import type { PathProtection } from '../../../domain/agent/sign-on/protected-paths.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type HeaderOperation,
  type RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { withoutCookies } from '../../../domain/http/cookies.js';
import { mergeObjects } from '../../../domain/shared/merge-objects.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import { thenMaybe } from '../../ports/shared/maybe-promise.js';
import type { AuthenticationOutcome, RefusedAuthentication } from '../authenticate/authenticate-request.js';
import type { AcceptedCredential } from '../authenticate/authentication-check.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';
import type { AuthorizationOutcome } from '../authorize/authorization-outcome.js';
import type { PreparedAgent } from '../configure-agent/prepared-agent.js';
import type { InsufficientSession } from '../sessions/step-up-rules.js';
import type { AgentServiceCounters } from './agent-service-counters.js';
import { crossSiteAnswer, deniedAnswer, insufficientSessionAnswer, refusalAnswer } from './refusal.js';

const noOperations: readonly HeaderOperation[] = [];

/**
 * Whether signing on may help. An undecided credential may be valid; contradicting cookies would persist after a
 * sign-on.
 */
const maySignOn = ({ undecided, failure }: RefusedAuthentication): boolean =>
  undecided === null && failure.reason !== 'ambiguous_credentials';

/** The log text of a refused request. Only an invalid credential is a failed authentication. */
const refusalText = ({ undecided, failure: { method, reason } }: RefusedAuthentication): string => {
  if (undecided !== null) return 'authentication could not be decided';
  if (reason === 'missing_credentials') return 'the request carries no credential';
  const isEnded = reason === 'session_expired' || (method === 'saml' && reason === 'unknown_credentials');
  return isEnded ? 'the session of the request has ended' : 'authentication failed';
};

const fieldsOf = (event: RequestHeadersEvent, { failure }: RefusedAuthentication): LogFields => ({
  trace_id: eventTraceId(event),
  correlation_id: event.correlationId,
  method: failure.method ?? 'none',
  reason: failure.reason,
  client_ip: event.metadata.clientIp,
  route: event.metadata.routeId,
});

/** The methods whose credential is in Authorization. */
const authorizationMethods: ReadonlySet<AuthenticationMethod> = new Set(['oidc', 'jwt', 'basic']);

/** Whether Authorization authenticates the request. */
const isByAuthorization = (passing: AcceptedCredential | null): boolean =>
  passing !== null &&
  passing.byCookie !== true &&
  passing.byTokenHeader !== true &&
  authorizationMethods.has(passing.prepared.identity.method);

/** `token`: the header with the signed identity; null: there is none. */
const allowed = (
  event: RequestHeadersEvent,
  { removable, removableUnverified, removesCookie }: PreparedAgent,
  passing: AcceptedCredential | null,
  authorized: AuthorizationOutcome | null,
  token: HeaderOperation | null,
): AgentAnswer => {
  const prepared = passing?.prepared ?? null;
  // INVARIANT: client-supplied headers with identity names are removed before any is set.
  const changes = removalOperations(event.headers, isByAuthorization(passing) ? removable : removableUnverified);
  const cookies = removesCookie === null ? null : withoutCookies(event.headers, removesCookie);
  const isPlain = changes.length === 0 && cookies === null && token === null;
  if (prepared !== null && isPlain && authorized === null) return prepared.answer;
  const requestHeaders = isPlain
    ? (prepared?.operations ?? noOperations)
    : [...changes, ...(prepared?.operations ?? []), ...(token === null ? [] : [token]), ...(cookies ?? [])];
  const custom = identityRemarks(prepared?.identity ?? null);
  if (authorized === null) {
    return { ...allowAnswer, requestHeaders, audit: { ...emptyAudit, custom } };
  }
  const audit = { ...emptyAudit, ruleIds: authorized.policies, custom: mergeObjects(authorizationRemarks, custom) };
  return { ...allowAnswer, requestHeaders, audit };
};

/** Answers a request from the result of its authentication and the decision of the policies, and counts both. */
export class RequestAnswers {
  readonly #counters: AgentServiceCounters;
  readonly #logger: Logger;

  constructor(counters: AgentServiceCounters, logger: Logger) {
    this.#counters = counters;
    this.#logger = logger;
  }

  /** `durationMs`: duration of the authentication. `protection`: that of the path by the ways to sign on. */
  answer(
    event: RequestHeadersEvent,
    agent: PreparedAgent,
    outcome: Exclude<AuthenticationOutcome, { kind: 'cancelled' }>,
    durationMs: number,
    protection: PathProtection,
  ): AgentAnswer | Promise<AgentAnswer> {
    if (outcome.kind === 'refused') return this.#withoutIdentity(event, agent, outcome, durationMs, protection);
    const { prepared } = outcome;
    if (outcome.byCookie === true && isCrossSiteRequest(event, agent.trustedOrigins)) {
      return this.#crossSite(event, prepared, durationMs);
    }
    this.#counters.succeeded(prepared.identity.method, durationMs / 1000);
    return this.#authorize(event, agent, outcome);
  }

  #crossSite(event: RequestHeadersEvent, { identity }: PreparedIdentity, durationMs: number): AgentAnswer {
    const failure = { method: identity.method, reason: 'cross_site_request' } as const;
    this.#counters.refusedRequest();
    this.#counters.failed(failure, durationMs / 1000);
    this.#logger.info('a page of another site sent a request with a credential in a cookie', {
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      ...failure,
      client_ip: event.metadata.clientIp,
      route: event.metadata.routeId,
    });
    return crossSiteAnswer(event, identity);
  }

  #withoutIdentity(
    event: RequestHeadersEvent,
    agent: PreparedAgent,
    outcome: RefusedAuthentication,
    durationMs: number,
    protection: PathProtection,
  ): AgentAnswer | Promise<AgentAnswer> {
    const { failure, insufficient } = outcome;
    const { signOn } = agent;
    const fields = fieldsOf(event, outcome);
    if (insufficient !== undefined) {
      return this.#withInsufficientSession(event, agent, { ...outcome, insufficient }, durationMs, protection);
    }
    const isProtected = protection === 'protected';
    if (agent.failOpen && !isProtected) {
      this.#counters.failed(failure, durationMs / 1000);
      const goesOn = agent.authorization === null ? 'passes without an identity' : 'is anonymous';
      this.#logger.warn(`authentication failed, and the request ${goesOn} (fail-open)`, fields);
      return this.#authorize(event, agent, null);
    }
    this.#counters.refusedRequest();
    if (signOn !== null && maySignOn(outcome) && signOn.begins(event, protection)) {
      this.#counters.beganSignOn(durationMs / 1000);
      this.#logger.info('the request starts single sign-on', fields);
      return signOn.begin(event);
    }
    this.#counters.failed(failure, durationMs / 1000);
    this.#logger.info(refusalText(outcome), fields);
    return refusalAnswer(event, outcome);
  }

  /** Begins a sign-on for a navigation, once; any other request fails. Fail-open does not apply. */
  #withInsufficientSession(
    event: RequestHeadersEvent,
    { signOn }: PreparedAgent,
    outcome: RefusedAuthentication & { readonly insufficient: InsufficientSession },
    durationMs: number,
    protection: PathProtection,
  ): AgentAnswer | Promise<AgentAnswer> {
    const { insufficient, failure } = outcome;
    const { session, unmet, required, maySignOn: mayHelp } = insufficient;
    const fields = { ...fieldsOf(event, outcome), unmet, user: session.userId, session: session.idHash.slice(0, 12) };
    const isNavigation = signOn?.begins(event, protection) === true && !opensWebSocket(event.headers);
    this.#counters.refusedRequest();
    if (signOn !== null && isNavigation && mayHelp) {
      this.#counters.beganSignOn(durationMs / 1000);
      this.#logger.info('the request starts a sign-on that its path requires', fields);
      return signOn.begin(event);
    }
    this.#counters.failed(failure, durationMs / 1000);
    this.#logger.info('the session does not meet what the path requires', fields);
    const isRefused = isNavigation || required === null;
    return insufficientSessionAnswer(event, insufficient, isRefused);
  }

  /** Without policies, every request that gets here may pass. */
  #authorize(
    event: RequestHeadersEvent,
    agent: PreparedAgent,
    passing: AcceptedCredential | null,
  ): AgentAnswer | Promise<AgentAnswer> {
    const { authorization, identityTokens } = agent;
    const identity = passing?.prepared.identity ?? null;
    const authorized = authorization?.authorize(event, identity) ?? null;
    if (authorized !== null) this.#counters.authorized(authorized.decision, authorized.shadow);
    if (authorized?.decision === 'deny') {
      this.#counters.refusedRequest();
      return deniedAnswer(event, authorized, identity);
    }
    const { upstreamId } = event.metadata;
    if (identityTokens === null || identity === null || upstreamId === null) {
      return allowed(event, agent, passing, authorized, null);
    }
    const token = identityTokens.headerFor(identity, upstreamId);
    return thenMaybe(token, (header) => allowed(event, agent, passing, authorized, header));
  }
}
