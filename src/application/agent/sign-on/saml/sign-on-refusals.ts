import type { UndecidedReason } from '../../../../domain/agent/identity/authentication-failure.js';
import type { AgentAuditEvent } from '../../../../domain/agent-protocol/audit-remarks.js';
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
import type { SignOnRefusal } from './sign-on-refusal.js';
import type { SignOnOutcomes } from './single-sign-on-options.js';

/** Maximum refused documents for one request. */
const attemptsOfRequest = 5;

/** Maximum remembered requests; evicts the least recently refused. */
const requestsRemembered = 10_000;

/** Counts the refused documents of each request. */
export class RefusedAttempts {
  readonly #refused = new Map<string, number>();

  /**
   * Counts a refused document that was at fault.
   * @returns true from the fifth on: the request accepts no further document
   */
  noted(handleHash: string): boolean {
    const refused = Math.min((this.#refused.get(handleHash) ?? 0) + 1, attemptsOfRequest);
    this.#refused.delete(handleHash);
    this.#refused.set(handleHash, refused);
    if (this.#refused.size > requestsRemembered) this.#refused.delete(this.#refused.keys().next().value as string);
    return refused === attemptsOfRequest;
  }
}

type SignOnAction = 'sign-on' | 'sign-out';

const auditEvents = { 'sign-on': 'sign_on', 'sign-out': 'sign_out' } as const satisfies Readonly<
  Record<SignOnAction, AgentAuditEvent>
>;

const malformed: ProblemKind = {
  status: 400,
  title: 'The message is malformed',
  detail: 'The request does not have the form that this endpoint accepts.',
  code: 'sign_on_malformed',
};

const refused: Readonly<Record<SignOnAction, ProblemKind>> = {
  'sign-on': {
    status: 403,
    title: 'The sign-on was refused',
    detail: 'The answer of the identity provider was not accepted. Go to the page that you want, and sign in again.',
    code: 'sign_on_refused',
  },
  'sign-out': {
    status: 403,
    title: 'The sign-out was refused',
    detail: 'The message of the identity provider was not accepted.',
    code: 'sign_on_refused',
  },
};

const otherBrowser: ProblemKind = {
  ...refused['sign-on'],
  detail:
    'Finish the sign-on in the browser that began it, and allow cookies there. Go to the page that you want, and ' +
    'sign in again.',
};

/** Reasons that are not a fault of the client, which may retry. */
const undecided: Partial<Readonly<Record<SignOnRefusal, UndecidedReason | null>>> = {
  provider_unavailable: 'keys_unavailable',
  store_unavailable: 'store_unavailable',
  overloaded: 'overloaded',
  cancelled: null,
  verifier_failed: null,
};

const answerTo = (event: RequestHeadersEvent, reason: SignOnRefusal, action: SignOnAction): AgentAnswer => {
  const waitsFor = undecided[reason];
  if (waitsFor !== undefined) return undecidedAnswer(event, waitsFor);
  if (reason === 'malformed_form') return problemAnswer(malformed, event, [], [reason]);
  return problemAnswer(reason === 'other_browser' ? otherBrowser : refused[action], event, [], [reason]);
};

/**
 * Logs and counts refusals. The response never names the check that a document failed. It explains a refusal only to a
 * browser that did not begin the sign-on.
 */
export class SignOnRefusals {
  readonly #logger: Logger;
  readonly #outcomes: Pick<SignOnOutcomes, 'refused'>;

  constructor(logger: Logger, outcomes: Pick<SignOnOutcomes, 'refused'>) {
    this.#logger = logger;
    this.#outcomes = outcomes;
  }

  /**
   * @param detail one clause for the log, such as the failure of a store; never text of the client
   * @param cookies cookies to clear
   * @param isStepUp whether the user did not authenticate as the page of the sign-on requires
   */
  refuse(
    event: RequestHeadersEvent,
    reason: SignOnRefusal,
    action: SignOnAction,
    detail: string | null = null,
    cookies: readonly HeaderOperation[] = [],
    isStepUp = false,
  ): AgentAnswer {
    this.note(event, reason, action, detail);
    const refusal = isStepUp ? stepUpFailed(event, [reason]) : answerTo(event, reason, action);
    const answer = { ...refusal, responseHeaders: cookies };
    return withRemarks(withNoStore(answer), { event: auditEvents[action], outcome: 'failed' });
  }

  /** Logs and counts a refusal without a response, which the caller sends. */
  note(event: RequestHeadersEvent, reason: SignOnRefusal, action: SignOnAction, detail: string | null): void {
    this.#outcomes.refused(reason);
    const fields = {
      reason,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      client_ip: event.metadata.clientIp,
    };
    const message = reason in undecided ? `${action} could not be decided` : `${action} refused`;
    this.#logger.warn(message, detail === null ? fields : { ...fields, detail });
  }
}
