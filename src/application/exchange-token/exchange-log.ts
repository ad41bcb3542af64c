import type { RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { Result } from '../../domain/shared/result.js';
import type { LogFields, Logger } from '../ports/logger.js';
import type { ExchangeFacts, ExchangeOutcomes, IssuedToken, RefusedExchange } from './exchange-facts.js';

/** Characters of a text that somebody else has made, and items of a list, in one line. */
const longestText = 256;
const longestList = 16;

const shown = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}...` : text);
const shownText = (text: string | null | undefined): string | null => (text == null ? null : shown(text));
const shownList = (texts: readonly string[]): readonly string[] => texts.slice(0, longestList).map(shown);

/** What was asked for, and of whom that is known. */
const askedFields = ({ clientId, request, subject, actor }: ExchangeFacts): LogFields => ({
  client_id: shownText(clientId),
  subject: shownText(subject?.subject),
  subject_issuer: shownText(subject?.issuer),
  subject_token_type: request?.subject.kind ?? null,
  issued_token_type: request?.requestedKind ?? null,
  audience: shownList([...(request?.audiences ?? []), ...(request?.resources ?? [])]),
  scope: shownList(request?.scopes ?? []),
  actor: actor === null ? [] : [shown(actor.subject)],
  jti: null,
  expires_in: null,
});

/** What was given, in place of what was asked for. */
const issuedFields = ({ grant }: IssuedToken): LogFields => ({
  client_id: shown(grant.clientId),
  issued_token_type: grant.issuedKind,
  audience: shownList(grant.audiences),
  scope: shownList(grant.scopes),
  actor: shownList(grant.actors.map(({ subject }) => subject)),
  jti: grant.jti,
  expires_in: grant.lifetimeSecs,
});

/**
 * Tells of each exchange, issued or refused, in one line and one count: who wanted what for what, for whom, and what came of it.
 * Nothing of a token or a secret is in a line.
 */
export class ExchangeLog {
  readonly #logger: Logger;
  readonly #outcomes: ExchangeOutcomes;

  constructor(logger: Logger, outcomes: ExchangeOutcomes) {
    this.#logger = logger;
    this.#outcomes = outcomes;
  }

  note(event: RequestHeadersEvent, facts: ExchangeFacts, outcome: Result<IssuedToken, RefusedExchange>): void {
    const fields: LogFields = {
      audit: 'token_exchange',
      decision: outcome.ok ? 'issued' : 'refused',
      reason: outcome.ok ? null : outcome.error.reason,
      ...(!outcome.ok && outcome.error.detail !== null && { detail: shown(outcome.error.detail) }),
      ...askedFields(facts),
      ...(outcome.ok && issuedFields(outcome.value)),
      client_ip: event.metadata.clientIp,
      correlation_id: event.correlationId,
    };
    this.#outcomes.exchanged(outcome.ok ? 'issued' : outcome.error.reason);
    if (outcome.ok) this.#logger.info('token exchange', fields);
    else if (outcome.error.reason === 'signing_failed') this.#logger.error('token exchange', fields);
    else this.#logger.warn('token exchange', fields);
  }
}
