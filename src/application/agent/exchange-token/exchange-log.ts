import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';
import {
  type ExchangeOutcomes,
  type ExchangeRecord,
  type IssuedToken,
  newExchangeRecord,
  type RefusedExchange,
} from './exchange-record.js';

/** Maximum characters of a foreign text, and maximum items of a list, in one line. */
const longestText = 256;
const longestList = 16;

/** Invisible characters, line ends, and characters that change the text direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`,
  ).join('');

/** A foreign text for the log: truncated, with invisible characters escaped. */
export const loggedText = (text: string): string => {
  // Truncates first: escaping only makes a text longer.
  const visible = text.slice(0, longestText + 1).replace(unprintable, escaped);
  return visible.length > longestText ? `${visible.slice(0, longestText)}...` : visible;
};

/** Like `loggedText`, for a list. */
export const loggedTexts = (texts: readonly string[]): readonly string[] => texts.slice(0, longestList).map(loggedText);

/** Minimum interval between log lines about evicted requests of one reason: clients control their number. */
export const evictionLogIntervalMs = 1_000;

const shownOrNull = (text: string | null | undefined): string | null => (text == null ? null : loggedText(text));

/** The requested values, and the verified parties. */
const askedFields = ({ clientId, request, subject, actor }: ExchangeRecord): LogFields => ({
  client_id: shownOrNull(clientId),
  subject: shownOrNull(subject?.subject),
  subject_issuer: shownOrNull(subject?.issuer),
  subject_token_type: request?.subject.kind ?? null,
  issued_token_type: request?.requestedKind ?? null,
  audience: loggedTexts([...(request?.audiences ?? []), ...(request?.resources ?? [])]),
  scope: loggedTexts(request?.scopes ?? []),
  actor: actor === null ? [] : [loggedText(actor.subject)],
  jti: null,
  expires_in: null,
});

/** The issued values; they replace the requested ones. */
const issuedFields = ({ grant }: IssuedToken): LogFields => ({
  client_id: loggedText(grant.clientId),
  issued_token_type: grant.issuedKind,
  audience: loggedTexts(grant.audiences),
  scope: loggedTexts(grant.scopes),
  actor: loggedTexts(grant.actors.map(({ subject }) => subject)),
  jti: grant.jti,
  expires_in: grant.lifetimeSecs,
});

/** Why the exchange was refused, and the client id of the request. */
const refusedFields = ({ detail }: RefusedExchange, { clientId, claimedClientId }: ExchangeRecord): LogFields => ({
  ...(detail !== null && { detail: loggedText(detail) }),
  ...(clientId === null && { claimed_client_id: claimedClientId }),
});

/**
 * Logs and counts each exchange: the request, the parties, and the result. Requests whose form is not read are counted,
 * and logged at intervals. No line contains any part of a token or secret.
 */
export class ExchangeLog {
  readonly #logger: Logger;
  readonly #outcomes: ExchangeOutcomes;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #turnedAwayLines = new Map<ExchangeReason, OncePerPeriod>();

  constructor(logger: Logger, outcomes: ExchangeOutcomes, clock: Pick<Clock, 'monotonicMs'>) {
    this.#logger = logger;
    this.#outcomes = outcomes;
    this.#clock = clock;
  }

  /** Notes the result of an exchange. */
  note(event: RequestHeadersEvent, record: ExchangeRecord, outcome: Result<IssuedToken, RefusedExchange>): void {
    this.#outcomes.exchanged(outcome.ok ? 'issued' : outcome.error.reason);
    this.#tell(event, record, outcome, {});
  }

  /** Notes a request whose form is not read. The line says how many were suppressed since the last one. */
  noteTurnedAway(event: RequestHeadersEvent, refused: RefusedExchange): void {
    this.#outcomes.exchanged(refused.reason);
    const untold = this.#linesOf(refused.reason).take();
    if (untold !== null) this.#tell(event, newExchangeRecord(), err(refused), { untold });
  }

  #linesOf(reason: ExchangeReason): OncePerPeriod {
    const known = this.#turnedAwayLines.get(reason);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, evictionLogIntervalMs);
    this.#turnedAwayLines.set(reason, lines);
    return lines;
  }

  #tell(
    event: RequestHeadersEvent,
    record: ExchangeRecord,
    outcome: Result<IssuedToken, RefusedExchange>,
    more: LogFields,
  ): void {
    const fields: LogFields = {
      audit: 'token_exchange',
      decision: outcome.ok ? 'issued' : 'refused',
      reason: outcome.ok ? null : outcome.error.reason,
      ...(!outcome.ok && refusedFields(outcome.error, record)),
      ...askedFields(record),
      ...(outcome.ok && issuedFields(outcome.value)),
      client_ip: event.metadata.clientIp,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      ...more,
    };
    if (outcome.ok) this.#logger.info('token exchange', fields);
    else if (outcome.error.reason === 'signing_failed') this.#logger.error('token exchange', fields);
    else this.#logger.warn('token exchange', fields);
  }
}
