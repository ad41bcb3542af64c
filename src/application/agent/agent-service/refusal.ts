import type { UndecidedReason } from '../../../domain/agent/identity/authentication-failure.js';
import { authorizationRemarks, type Identity, identityRemarks } from '../../../domain/agent/identity/identity.js';
import { remarkText } from '../../../domain/agent-protocol/audit-remarks.js';
import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type HeaderOperation,
  type RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { acceptCorrelationId } from '../../../domain/http/correlation-id.js';
import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import { mergeObjects } from '../../../domain/shared/merge-objects.js';
import type { RefusedAuthentication } from '../authenticate/authenticate-request.js';
import type { AuthorizationOutcome } from '../authorize/authorization-outcome.js';
import type { InsufficientSession } from '../sessions/step-up-rules.js';
import {
  basicChallenge,
  bearerChallenge,
  insufficientScopeChallenge,
  proofChallenge,
  stepUpChallenge,
} from './challenges.js';
import type { RefusedForm } from './posted-forms.js';
import { withRemarks } from './with-remarks.js';

const tooLarge: ProblemKind = {
  status: 413,
  title: 'The form is too large',
  detail: 'The posted form exceeds the size limit.',
  code: 'form_too_large',
};

const dropped: ProblemKind = {
  status: 408,
  title: 'The form took too long to arrive',
  detail: 'The posted form did not arrive in time.',
  code: 'form_timeout',
};

const problemOf = ({ kind, event }: RefusedForm): AgentAnswer => {
  switch (kind) {
    case 'too_large':
      return problemAnswer(tooLarge, event, [], ['form_too_large']);
    case 'dropped':
      return problemAnswer(dropped, event, [], ['form_timeout']);
    case 'overloaded':
      return undecidedAnswer(event, 'overloaded');
  }
};

/** The answer to a form that could not be received: 413, 408, or 503 if too many are pending. */
export const formRefusal = (form: RefusedForm): AgentAnswer => withNoStore(problemOf(form));

const noStore: HeaderOperation = { kind: 'set', name: 'Cache-Control', value: 'no-store' };

/** Answers of the agent's own endpoints are for one client and must not be cached. */
export const withNoStore = (answer: AgentAnswer): AgentAnswer => ({
  ...answer,
  responseHeaders: [noStore, ...answer.responseHeaders],
});

/** A problem answer of the agent. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
}

/** A block whose body (RFC 9457) is the same for all reasons of a kind: reasons are for the log. */
export const problemAnswer = (
  { status, title, detail, code }: ProblemKind,
  event: RequestHeadersEvent,
  headers: HeaderList,
  reasonCodes: readonly string[],
): AgentAnswer => {
  const correlationId = acceptCorrelationId(firstHeader(event.headers, 'x-correlation-id')) ?? event.correlationId;
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, correlation_id: correlationId });
  return {
    ...allowAnswer,
    decision: { kind: 'block', status, body, headers: ['Content-Type', 'application/problem+json', ...headers] },
    audit: { ...emptyAudit, reasonCodes },
  };
};

const wrongMethod: ProblemKind = {
  status: 405,
  title: 'Method not allowed',
  detail: 'This endpoint does not accept this method.',
  code: 'method_not_allowed',
};

/** 405 of an endpoint of the agent. `allowed`: the value of Allow. */
export const methodNotAllowed = (event: RequestHeadersEvent, allowed: string): AgentAnswer =>
  withNoStore(problemAnswer(wrongMethod, event, ['Allow', allowed], ['method_not_allowed']));

const crossSite: ProblemKind = {
  status: 403,
  title: 'Forbidden',
  detail: 'A page of another site sent this request.',
  code: 'cross_site_request',
};

/** 403: a page of another site sent a request that a cookie would have authenticated. */
export const crossSiteAnswer = (event: RequestHeadersEvent, identity: Identity): AgentAnswer =>
  withRemarks(problemAnswer(crossSite, event, [], ['cross_site_request']), {
    event: 'authentication',
    outcome: 'failed',
    auth_method: identity.method,
    subject: remarkText(identity.userId),
  });

const unauthenticated: ProblemKind = {
  status: 401,
  title: 'Unauthorized',
  detail: 'The request has no valid credential.',
  code: 'unauthenticated',
};

const insufficientSession: ProblemKind = {
  status: 401,
  title: 'Unauthorized',
  detail: 'The session does not meet what this path requires. Sign in again.',
  code: 'insufficient_user_authentication',
};

const failedStepUp: ProblemKind = {
  status: 403,
  title: 'The sign-on does not suffice',
  detail:
    'This page requires a stronger or a more recent sign-on than the identity provider confirmed. Go to the page ' +
    'again to repeat the sign-on, with another method or another account.',
  code: 'step_up_failed',
};

/** 403: a sign-on did not bring what its page requires. No redirect follows, so there is no second round. */
export const stepUpFailed = (event: RequestHeadersEvent, reasonCodes: readonly string[]): AgentAnswer =>
  problemAnswer(failedStepUp, event, [], reasonCodes);

const insufficientScope: ProblemKind = {
  status: 403,
  title: 'Forbidden',
  detail: 'The token lacks a required scope.',
  code: 'insufficient_scope',
};

const deniedByPolicy: ProblemKind = {
  status: 403,
  title: 'Forbidden',
  detail: 'This request is not allowed.',
  code: 'denied_by_policy',
};

const undecided: ProblemKind = {
  status: 503,
  title: 'The request cannot be decided',
  detail: 'The agent cannot decide now. Try again later.',
  code: 'agent_undecided',
};

/** Seconds after which a retry makes sense. Missing keys are fetched again after five seconds. */
const retryAfter: Readonly<Record<UndecidedReason, string>> = {
  keys_unavailable: '5',
  introspection_unavailable: '1',
  provider_unavailable: '5',
  store_unavailable: '5',
  overloaded: '1',
};

/** The answer to a request without valid credentials: 401, 403 for a missing scope, or 503 if a method could not decide. */
export const refusalAnswer = (event: RequestHeadersEvent, refused: RefusedAuthentication): AgentAnswer => {
  const { failure, undecided: waitingFor, bearer, requiredScope, mayUseBasic, proof } = refused;
  const remarks = { event: 'authentication', outcome: 'failed', auth_method: failure.method ?? 'none' } as const;
  if (waitingFor !== null) return withRemarks(undecidedAnswer(event, waitingFor), remarks);
  if (failure.reason === 'insufficient_scope') {
    const challenge = insufficientScopeChallenge(requiredScope);
    const answer = problemAnswer(insufficientScope, event, ['WWW-Authenticate', challenge], [failure.reason]);
    return withRemarks(answer, remarks);
  }
  const challenges = ['WWW-Authenticate', bearerChallenge(proof === 'shown' ? null : bearer)];
  if (proof !== undefined) challenges.push('WWW-Authenticate', proofChallenge(proof === 'shown' ? bearer : null));
  if (mayUseBasic) challenges.push('WWW-Authenticate', basicChallenge);
  return withRemarks(problemAnswer(unauthenticated, event, challenges, [failure.reason]), remarks);
};

/**
 * The answer to a request whose session does not meet what its path requires: 401 (RFC 9470, section 3), or 403 if no
 * sign-on follows that could help.
 */
export const insufficientSessionAnswer = (
  event: RequestHeadersEvent,
  { session, required }: InsufficientSession,
  isRefused: boolean,
): AgentAnswer => {
  const reasons = ['insufficient_user_authentication'];
  const challenge = stepUpChallenge(required);
  const answer = isRefused
    ? stepUpFailed(event, reasons)
    : problemAnswer(insufficientSession, event, ['WWW-Authenticate', challenge], reasons);
  return withRemarks(withNoStore(answer), {
    event: 'authentication',
    outcome: 'failed',
    auth_method: session.method,
    subject: remarkText(session.userId),
    session: session.idHash.slice(0, 12),
  });
};

/**
 * 403: the policies deny the request. A client with a token is told to obtain another one (RFC 6750, section 3.1). Only
 * the audit names the policies.
 */
export const deniedAnswer = (
  event: RequestHeadersEvent,
  { reason, policies }: Pick<AuthorizationOutcome, 'reason' | 'policies'>,
  identity: Identity | null,
): AgentAnswer => {
  const isBearer = identity?.method === 'jwt' || identity?.method === 'oidc';
  const challenges = isBearer ? ['WWW-Authenticate', insufficientScopeChallenge(null)] : [];
  const answer = problemAnswer(deniedByPolicy, event, challenges, reason === null ? [] : [reason]);
  const custom = mergeObjects(authorizationRemarks, identityRemarks(identity));
  return { ...answer, audit: { ...answer.audit, ruleIds: policies, custom } };
};

/** 503: there is no configuration, the decision failed, or it must wait. */
export const undecidedAnswer = (event: RequestHeadersEvent, reason: UndecidedReason | null = null): AgentAnswer =>
  problemAnswer(undecided, event, ['Retry-After', reason === null ? '1' : retryAfter[reason]], [reason ?? 'undecided']);
