import type { UndecidedReason } from '../../../../domain/agent/identity/authentication-failure.js';
import type { OidcRejection } from '../../../../domain/agent/oidc/oidc-rejection.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Logger } from '../../../ports/shared/logger.js';
import {
  type ProblemKind,
  problemAnswer,
  stepUpFailed,
  undecidedAnswer,
  withNoStore,
} from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';

/**
 * Why a sign-on or a sign-out is refused. Stable: logs and metric labels contain these values. The client sees none of
 * them.
 */
export type OidcRefusal =
  | OidcRejection
  | 'form_too_large'
  | 'form_timeout'
  | 'malformed_form'
  /** No pending sign-on has this `state`: unknown, already answered, or expired. */
  | 'unknown_request'
  /** The code of a completed sign-on came again. */
  | 'replayed'
  /** The browser did not begin this sign-on: it lacks the binding cookie. */
  | 'other_browser'
  /** The endpoints or the keys of the provider are not known. */
  | 'provider_unavailable'
  | 'store_unavailable'
  | 'overloaded'
  | 'cancelled'
  /** The request came in at a host that is no public URL. */
  | 'foreign_host';

/** Counts the results of sign-ons. */
export interface OidcOutcomes {
  signedOn(): void;
  refusedSignOn(reason: OidcRefusal): void;
}

const malformed: ProblemKind = {
  status: 400,
  title: 'The message is malformed',
  detail: 'The request does not have the form that this endpoint accepts.',
  code: 'sign_on_malformed',
};

const refused: ProblemKind = {
  status: 403,
  title: 'The sign-on was refused',
  detail: 'The answer of the identity provider was not accepted. Go to the page that you want, and sign in again.',
  code: 'sign_on_refused',
};

const otherBrowser: ProblemKind = {
  ...refused,
  detail:
    'Finish the sign-on in the browser that began it, and allow cookies there. Go to the page that you want, and ' +
    'sign in again.',
};

const notAllowed: ProblemKind = {
  ...refused,
  detail: 'The identity provider signed you in, but this account may not be used here. Sign in with another account.',
};

/** Reasons about the user, who may try another account. */
const aboutUser: ReadonlySet<OidcRefusal> = new Set(['domain_not_allowed', 'email_not_verified']);

/** Reasons that are not a fault of the client, which may retry. */
const undecided: Partial<Readonly<Record<OidcRefusal, UndecidedReason | null>>> = {
  provider_unavailable: 'keys_unavailable',
  token_endpoint_failed: 'keys_unavailable',
  userinfo_failed: 'keys_unavailable',
  store_unavailable: 'store_unavailable',
  overloaded: 'overloaded',
  cancelled: null,
};

/** Reasons about the form of a request. */
const malformations: ReadonlySet<OidcRefusal> = new Set(['malformed_callback', 'malformed_form']);

const answerTo = (event: RequestHeadersEvent, { reason, isStepUp }: RefusedOidc): AgentAnswer => {
  const waitsFor = undecided[reason];
  if (waitsFor !== undefined) return undecidedAnswer(event, waitsFor);
  if (malformations.has(reason)) return problemAnswer(malformed, event, [], [reason]);
  if (reason === 'other_browser') return problemAnswer(otherBrowser, event, [], [reason]);
  if (isStepUp === true) return stepUpFailed(event, [reason]);
  return problemAnswer(aboutUser.has(reason) ? notAllowed : refused, event, [], [reason]);
};

type OidcAction = 'sign-on' | 'sign-out';

/** A refusal, for the log. */
export interface RefusedOidc {
  readonly reason: OidcRefusal;
  /** One clause, such as the failure of a store; never text of the client or the provider. */
  readonly detail: string | null;
  /** Cookies to clear. */
  readonly cookies?: readonly HeaderOperation[];
  /** The sign-on is still pending: the browser may send its callback again. */
  readonly isPending?: true;
  /** The user did not authenticate as the page of this sign-on requires. */
  readonly isStepUp?: true;
}

/** Logs and counts refusals. The response never names the requirement that an answer failed. */
export class OidcRefusals {
  readonly #logger: Logger;
  readonly #outcomes: Pick<OidcOutcomes, 'refusedSignOn'>;
  readonly #login: string;

  constructor(logger: Logger, outcomes: Pick<OidcOutcomes, 'refusedSignOn'>, login: string) {
    this.#logger = logger;
    this.#outcomes = outcomes;
    this.#login = login;
  }

  refuse(event: RequestHeadersEvent, refusal: RefusedOidc, action: OidcAction = 'sign-on'): AgentAnswer {
    this.note(event, refusal, action);
    const answer = { ...answerTo(event, refusal), responseHeaders: refusal.cookies ?? [] };
    const name = action === 'sign-on' ? 'sign_on' : 'sign_out';
    return withRemarks(withNoStore(answer), { event: name, outcome: 'failed', auth_method: 'oidc' });
  }

  /** Logs and counts a refusal without a response, which the caller sends. */
  note(event: RequestHeadersEvent, { reason, detail }: RefusedOidc, action: OidcAction = 'sign-on'): void {
    this.#outcomes.refusedSignOn(reason);
    const fields = {
      login: this.#login,
      reason,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      client_ip: event.metadata.clientIp,
    };
    const message = reason in undecided ? `${action} could not be decided` : `${action} refused`;
    this.#logger.warn(message, detail === null ? fields : { ...fields, detail });
  }
}
