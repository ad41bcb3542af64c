import type { RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import { type FormFault, parseFormFields } from '../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { readClientCredentials } from '../../domain/token-exchange/client-credentials.js';
import { grantExchange, requestFault } from '../../domain/token-exchange/decide-exchange.js';
import type { ExchangeGrant } from '../../domain/token-exchange/exchange-grant.js';
import type { ExchangePolicy } from '../../domain/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../domain/token-exchange/exchange-refusal.js';
import type { ExchangeRequest, PresentedToken } from '../../domain/token-exchange/exchange-request.js';
import { readExchangeRequest } from '../../domain/token-exchange/read-exchange-request.js';
import { type RequestFields, repeatableParameters } from '../../domain/token-exchange/request-parameters.js';
import type { SecurityToken } from '../../domain/token-exchange/security-token.js';
import { isCancelled } from '../cancellation/is-cancelled.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import type { ReplayStore } from '../ports/replay-store.js';
import type { SigningKey } from '../ports/token-signing-keys.js';
import type { AuthenticateClient } from './authenticate-client.js';
import type { ExchangeFacts, IssuedToken, RefusedExchange } from './exchange-facts.js';
import type { RateLimiter } from './rate-limiter.js';
import type { SecurityTokens } from './security-tokens.js';

/** What exchanges are done with. */
export interface ExchangeTokenParts {
  /** For everybody, where there are no clients. */
  readonly publicPolicy: ExchangePolicy;
  /** Null: there are no clients, and credentials of some are not looked at. */
  readonly authenticate: Pick<AuthenticateClient, 'authenticate'> | null;
  /** By client; null: no limit. */
  readonly clientRates: Pick<RateLimiter, 'take'> | null;
  readonly tokens: Pick<SecurityTokens, 'verify'>;
  readonly signer: Pick<SigningKey, 'sign'>;
  /** Null: nothing is taken once alone. */
  readonly replays: Pick<ReplayStore, 'remember'> | null;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly random: Pick<Random, 'uuid'>;
}

type Step<Value> = Result<Value, RefusedExchange>;
type Party = 'subject' | 'actor';

const refused = (reason: ExchangeReason, detail: string | null = null): Step<never> =>
  err({ reason, detail, retryAfterMs: null });

const cancelled = refused('cancelled');

const formReasons: Readonly<Record<FormFault, ExchangeReason>> = {
  malformed: 'malformed_form',
  duplicate: 'duplicate_parameter',
  too_many: 'too_many_parameters',
};

const invalidReasons: Readonly<Record<Party, ExchangeReason>> = {
  subject: 'invalid_subject_token',
  actor: 'invalid_actor_token',
};

const replayReasons: Readonly<Record<Party, ExchangeReason>> = {
  subject: 'subject_token_replayed',
  actor: 'actor_token_replayed',
};

/** Says what kind of fault it was, and not more: what an error of a library says may be made of a token. */
const faultName = (fault: unknown): string => (fault instanceof Error ? fault.name : typeof fault);

/** Swaps a token for one of ours (RFC 8693, section 2). */
export class ExchangeToken {
  readonly #parts: ExchangeTokenParts;

  constructor(parts: ExchangeTokenParts) {
    this.#parts = parts;
  }

  /**
   * Never rejects: what fails is `signing_failed`. Where nobody waits any more nothing is issued.
   *
   * @param facts takes what becomes known on the way, however it ends
   */
  async exchange(
    event: RequestHeadersEvent,
    form: Uint8Array,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<Step<IssuedToken>> {
    try {
      return await this.#exchange(event, form, facts, cancellation);
    } catch (fault) {
      return refused('signing_failed', faultName(fault));
    }
  }

  async #exchange(
    event: RequestHeadersEvent,
    form: Uint8Array,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<Step<IssuedToken>> {
    const fields = parseFormFields(form, { repeatable: repeatableParameters });
    if (!fields.ok) return refused(formReasons[fields.error]);
    const policy = await this.#policyOf(event, fields.value, facts, cancellation);
    if (!policy.ok) return policy;
    const request = readExchangeRequest(fields.value);
    if (!request.ok) return refused(request.error);
    facts.request = request.value;
    const fault = requestFault(request.value, policy.value);
    if (fault !== null) return refused(fault);
    const granted = await this.#granted(event, request.value, policy.value, facts, cancellation);
    if (!granted.ok) return granted;
    const once = await this.#takenOnce(facts, cancellation);
    return once.ok ? this.#signed(granted.value, cancellation) : once;
  }

  /** What the client may have that asks, once it is known who that is. */
  async #policyOf(
    { headers }: RequestHeadersEvent,
    fields: RequestFields,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<Step<ExchangePolicy>> {
    const { authenticate, publicPolicy, clientRates } = this.#parts;
    if (authenticate === null) return ok(publicPolicy);
    const credentials = readClientCredentials(headers, fields);
    if (!credentials.ok) return refused(credentials.error);
    const client = await authenticate.authenticate(credentials.value, cancellation);
    if (!client.ok) return refused(client.error);
    const { id, policy } = client.value;
    facts.clientId = id;
    const retryAfterMs = clientRates?.take(id) ?? null;
    if (retryAfterMs !== null) return err({ reason: 'rate_limited', detail: 'of the client', retryAfterMs });
    return isCancelled(cancellation) ? cancelled : ok(policy);
  }

  async #granted(
    event: RequestHeadersEvent,
    request: ExchangeRequest,
    policy: ExchangePolicy,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<Step<ExchangeGrant>> {
    const subject = await this.#verified(event, request.subject, 'subject', cancellation);
    if (!subject.ok) return subject;
    facts.subject = subject.value;
    const actor = request.actor === null ? ok(null) : await this.#verified(event, request.actor, 'actor', cancellation);
    if (!actor.ok) return actor;
    facts.actor = actor.value;
    const { clock, random } = this.#parts;
    const granted = grantExchange({
      request,
      subject: subject.value,
      actor: actor.value,
      policy,
      nowMs: clock.wallMs(),
      jti: random.uuid(),
    });
    return granted.ok ? granted : refused(granted.error);
  }

  async #verified(
    event: RequestHeadersEvent,
    presented: PresentedToken,
    party: Party,
    cancellation: Cancellation,
  ): Promise<Step<SecurityToken>> {
    const verified = await this.#parts.tokens.verify(presented, event, cancellation);
    if (!verified.ok) {
      const { kind, detail } = verified.error;
      return refused(kind === 'invalid' ? invalidReasons[party] : kind, detail);
    }
    return isCancelled(cancellation) ? cancelled : verified;
  }

  /** Last of all before the signature: a token that is refused for something else can still be exchanged. */
  async #takenOnce({ subject, actor }: ExchangeFacts, cancellation: Cancellation): Promise<Step<void>> {
    const parties: readonly (readonly [Party, SecurityToken | null])[] = [
      ['subject', subject],
      ['actor', actor],
    ];
    for (const [party, token] of parties) {
      const oneTime = token?.oneTime ?? null;
      if (oneTime === null) continue;
      const { replays, clock } = this.#parts;
      if (replays === null) return refused('store_unavailable', 'there is no store');
      const remembered = await replays.remember(oneTime.key, oneTime.untilMs, clock.wallMs());
      if (!remembered.ok) return refused('store_unavailable', remembered.error.reason);
      if (remembered.value === 'seen') return refused(replayReasons[party]);
      if (isCancelled(cancellation)) return cancelled;
    }
    return ok(undefined);
  }

  async #signed(grant: ExchangeGrant, cancellation: Cancellation): Promise<Step<IssuedToken>> {
    const token = await this.#parts.signer.sign(grant.type, grant.payload);
    return isCancelled(cancellation) ? cancelled : ok({ token, grant });
  }
}
