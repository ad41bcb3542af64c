import type { TokenExchangeOptions } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { exchangeFormOctets, exchangeParameters } from '../../../domain/agent/token-exchange/read-exchange-request.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { remarkText } from '../../../domain/agent-protocol/audit-remarks.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../domain/http/ip-address.js';
import { queryParameters } from '../../../domain/http/query-parameters.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { PublishedKey, SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { AgentEndpoint } from '../agent-service/agent-endpoints.js';
import { formHeadFault } from '../agent-service/form-buffer.js';
import type { RefusedForm } from '../agent-service/posted-forms.js';
import { type AnswerRemarks, withRemarks } from '../agent-service/with-remarks.js';
import type { AuthenticateClient } from './authenticate-client.js';
import { ExchangeLog } from './exchange-log.js';
import type { ExchangeRates } from './exchange-rates.js';
import {
  type ExchangeOutcomes,
  type ExchangeRecord,
  type IssuedToken,
  newExchangeRecord,
  type RefusedExchange,
} from './exchange-record.js';
import { ExchangeToken } from './exchange-token.js';
import { type IssuerDocuments, issuerDocuments } from './issuer-documents.js';
import { issuedAnswer, oauthErrorAnswer } from './oauth-answers.js';
import type { SecurityTokens } from './security-tokens.js';

/** Omits unknown values. */
const known = (remarks: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(remarks).flatMap(([name, text]) => (text ? [[name, remarkText(text)] as const] : [])),
  );

/** The audit remarks of an exchange: the parties, the request and the result. */
const exchangeRemarks = (
  { clientId, subject, actor, request }: ExchangeRecord,
  outcome: Result<IssuedToken, RefusedExchange>,
): AnswerRemarks => {
  const asked = {
    client_id: clientId,
    subject: subject?.subject,
    subject_issuer: subject?.issuer,
    actor: actor?.subject,
    issued_token_type: request?.requestedKind,
    audience: [...(request?.audiences ?? []), ...(request?.resources ?? [])].join(' '),
    scope: request?.scopes?.join(' '),
  };
  if (!outcome.ok) return { event: 'token_exchange', outcome: 'refused', ...known(asked) };
  const { grant } = outcome.value;
  const given = {
    client_id: grant.clientId,
    issued_token_type: grant.issuedKind,
    audience: grant.audiences.join(' '),
    scope: grant.scopes.join(' '),
    actor: grant.actors.map((one) => one.subject).join(' '),
    jti: grant.jti,
  };
  return { event: 'token_exchange', outcome: 'issued', ...known({ ...asked, ...given }) };
};

export interface TokenEndpointOptions {
  readonly options: TokenExchangeOptions;
  /** The policy if no clients are configured. */
  readonly publicPolicy: ExchangePolicy;
  /** Null: no clients are configured. */
  readonly authenticate: Pick<AuthenticateClient, 'authenticate' | 'isSpent' | 'spend' | 'claimed'> | null;
  /** The algorithms of all client keys, for the metadata; unordered, with duplicates. */
  readonly clientAlgorithms: readonly AsymmetricAlgorithm[];
  readonly tokens: Pick<SecurityTokens, 'verify'>;
  /** The first key signs; all are published. */
  readonly keys: readonly [SigningKey, ...PublishedKey[]];
  /** Remembers one-time tokens. */
  readonly replays: Pick<ReplayStore, 'remember'>;
  /** Asked only if the options set a limit. */
  readonly rates: Pick<ExchangeRates, 'take'>;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly random: Pick<Random, 'uuid'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly logger: Logger;
  readonly outcomes: ExchangeOutcomes;
}

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

const formReasons: Readonly<Record<RefusedForm['kind'], ExchangeReason>> = {
  too_large: 'form_too_large',
  overloaded: 'overloaded',
  dropped: 'form_timeout',
};

const movedAway: RefusedExchange = { reason: 'cancelled', detail: 'the endpoint has moved', retryAfterMs: null };

/** Parameters in a URI end up in logs, so they are refused (RFC 6749, sections 2.3.1 and 3.2). */
const hasParameters = (uri: string): boolean => {
  const mark = uri.indexOf('?');
  if (mark < 0) return false;
  return queryParameters(uri.slice(mark + 1)).some((name, index) => index % 2 === 0 && exchangeParameters.has(name));
};

/** The token endpoint (RFC 6749, section 3.2; RFC 8693, section 2), and the issuer's keys and metadata. */
export class TokenEndpoint implements AgentEndpoint {
  readonly paths: readonly string[];
  readonly formOctets: number;
  readonly #options: TokenExchangeOptions;
  readonly #exchange: ExchangeToken;
  readonly #documents: IssuerDocuments;
  readonly #log: ExchangeLog;
  readonly #rates: Pick<ExchangeRates, 'take'>;

  constructor(parts: TokenEndpointOptions) {
    const { options, keys, clock, rates } = parts;
    const { rateLimit } = options;
    this.paths = [options.endpointPath, options.jwksPath, options.metadataPath];
    // The options of clients replace those of the block.
    this.formOctets = exchangeFormOctets((options.clients ?? [options]).flatMap((of) => of.allowedExchanges));
    this.#options = options;
    const takeOfClient = rateLimit === null ? null : (clientId: string) => rates.take('client', clientId, rateLimit);
    this.#exchange = new ExchangeToken({ ...parts, signer: keys[0], takeOfClient });
    this.#documents = issuerDocuments(options, keys, parts.clientAlgorithms, parts.digest);
    this.#log = new ExchangeLog(parts.logger, parts.outcomes, clock);
    this.#rates = rates;
  }

  /** Synchronous if the rate limits are. */
  answer(event: RequestHeadersEvent, path: string): AgentAnswer | Promise<AgentAnswer> {
    switch (path) {
      case this.#options.jwksPath:
        return this.#documents.keys.answer(event);
      case this.#options.metadataPath:
        return this.#documents.metadata.answer(event);
      default: {
        // First, so that every request counts against its address.
        const refused = this.#takeOfAddress(event);
        return refused instanceof Promise
          ? refused.then((late) => this.#answerHead(event, late))
          : this.#answerHead(event, refused);
      }
    }
  }

  async answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const record = newExchangeRecord();
    // The configuration changed during the request, and the path is no longer the token endpoint.
    if (path !== this.#options.endpointPath) return this.#answerTo(event, record, err(movedAway));
    return this.#answerTo(event, record, await this.#exchange.exchange(event, form, record, cancellation));
  }

  refuseForm({ kind, event }: RefusedForm): AgentAnswer {
    return this.#evictQueued(event, { reason: formReasons[kind], detail: null, retryAfterMs: null });
  }

  #takeOfAddress({ metadata }: RequestHeadersEvent): ReturnType<ExchangeRates['take']> {
    const { rateLimit } = this.#options;
    return rateLimit === null ? null : this.#rates.take('address', addressGroup(metadata.clientIp), rateLimit);
  }

  #answerHead(event: RequestHeadersEvent, refused: RefusedExchange | null): AgentAnswer {
    const fault = refused ?? this.#headFault(event);
    return fault === null ? wantsForm : this.#evictQueued(event, fault);
  }

  /** Why the head of a request forbids reading its body; null: nothing. */
  #headFault({ method, headers, uri }: RequestHeadersEvent): RefusedExchange | null {
    const fault = (reason: ExchangeReason): RefusedExchange => ({ reason, detail: null, retryAfterMs: null });
    if (method !== 'POST') return fault('method_not_allowed');
    const formFault = formHeadFault(headers, this.formOctets);
    if (formFault !== null) return fault(formFault === 'too_large' ? 'form_too_large' : formFault);
    return hasParameters(uri) ? fault('parameters_in_query') : null;
  }

  /** Answers a request whose form is not read. */
  #evictQueued(event: RequestHeadersEvent, refused: RefusedExchange): AgentAnswer {
    this.#log.noteTurnedAway(event, refused);
    return withRemarks(oauthErrorAnswer(refused), exchangeRemarks(newExchangeRecord(), err(refused)));
  }

  #answerTo(
    event: RequestHeadersEvent,
    record: ExchangeRecord,
    outcome: Result<IssuedToken, RefusedExchange>,
  ): AgentAnswer {
    this.#log.note(event, record, outcome);
    const answer = outcome.ok ? issuedAnswer(outcome.value) : oauthErrorAnswer(outcome.error);
    return withRemarks(answer, exchangeRemarks(record, outcome));
  }
}
