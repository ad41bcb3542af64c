import type { UndecidedReason } from '../../../../domain/agent/identity/authentication-failure.js';
import type { AgentAuditEvent } from '../../../../domain/agent-protocol/audit-remarks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Logger } from '../../../ports/shared/logger.js';
import { type ProblemKind, problemAnswer, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import type { SignOnRefusal } from './sign-on-refusal.js';
import type { SignOnOutcomes } from './single-sign-on-parts.js';

/** A browser that is sent back with a document that is refused may try again, but not for ever. */
const attemptsOfRequest = 5;

/** Requests that are remembered; the one whose document was refused longest ago makes way. */
const requestsRemembered = 10_000;

/** Counts the documents that were refused of each request of ours. */
export class RefusedAttempts {
  readonly #refused = new Map<string, number>();

  /**
   * One more document for this request was refused for its own fault.
   *
   * @returns true: the fifth or one after it; the request is to be answered no more
   */
  noted(handleHash: string): boolean {
    const refused = Math.min((this.#refused.get(handleHash) ?? 0) + 1, attemptsOfRequest);
    this.#refused.delete(handleHash);
    this.#refused.set(handleHash, refused);
    if (this.#refused.size > requestsRemembered) this.#refused.delete(this.#refused.keys().next().value as string);
    return refused === attemptsOfRequest;
  }
}

type Deed = 'sign-on' | 'sign-out';

const auditEvents = { 'sign-on': 'sign_on', 'sign-out': 'sign_out' } as const satisfies Readonly<
  Record<Deed, AgentAuditEvent>
>;

const malformed: ProblemKind = {
  status: 400,
  title: 'The message is malformed',
  detail: 'What was sent is not what this endpoint takes.',
  code: 'sign_on_malformed',
};

const refused: Readonly<Record<Deed, ProblemKind>> = {
  'sign-on': {
    status: 403,
    title: 'The sign-on was refused',
    detail: 'What the identity provider sent is not accepted here. Go to the page that you want, and sign in again.',
    code: 'sign_on_refused',
  },
  'sign-out': {
    status: 403,
    title: 'The sign-out was refused',
    detail: 'What the identity provider sent is not accepted here.',
    code: 'sign_on_refused',
  },
};

const otherBrowser: ProblemKind = {
  ...refused['sign-on'],
  detail:
    'The sign-on has to end in the browser that began it, and needs cookies. Allow them, go to the page that you want, and ' +
    'sign in again.',
};

/** By no fault of the client's: it may come back. */
const undecided: Partial<Readonly<Record<SignOnRefusal, UndecidedReason | null>>> = {
  provider_unavailable: 'keys_unavailable',
  store_unavailable: 'store_unavailable',
  overloaded: 'overloaded',
  cancelled: null,
  verifier_failed: null,
};

const answerTo = (event: RequestHeadersEvent, reason: SignOnRefusal, deed: Deed): AgentAnswer => {
  const waitsFor = undecided[reason];
  if (waitsFor !== undefined) return undecidedAnswer(event, waitsFor);
  if (reason === 'malformed_form') return problemAnswer(malformed, event, [], [reason]);
  return problemAnswer(reason === 'other_browser' ? otherBrowser : refused[deed], event, [], [reason]);
};

/**
 * Refuses: the reason is logged and counted, and not told; only a browser that is the wrong one learns what it lacks.
 */
export class SignOnRefusals {
  readonly #logger: Logger;
  readonly #outcomes: Pick<SignOnOutcomes, 'refused'>;

  constructor(logger: Logger, outcomes: Pick<SignOnOutcomes, 'refused'>) {
    this.#logger = logger;
    this.#outcomes = outcomes;
  }

  /**
   * @param detail one clause for the log, of a store or the like: never of what the client sent
   * @param cookies that are taken back
   */
  refuse(
    event: RequestHeadersEvent,
    reason: SignOnRefusal,
    deed: Deed,
    detail: string | null = null,
    cookies: readonly HeaderOperation[] = [],
  ): AgentAnswer {
    this.note(event, reason, deed, detail);
    const answer = { ...answerTo(event, reason, deed), responseHeaders: cookies };
    return withRemarks(withNoStore(answer), { event: auditEvents[deed], outcome: 'failed' });
  }

  /** Logs and counts one that is answered elsewhere. */
  note(event: RequestHeadersEvent, reason: SignOnRefusal, deed: Deed, detail: string | null): void {
    this.#outcomes.refused(reason);
    const fields = {
      reason,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      client_ip: event.metadata.clientIp,
    };
    const message = reason in undecided ? `${deed} could not be decided` : `${deed} refused`;
    this.#logger.warn(message, detail === null ? fields : { ...fields, detail });
  }
}
