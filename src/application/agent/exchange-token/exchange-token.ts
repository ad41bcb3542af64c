import { readClientCredentials } from '../../../domain/agent/token-exchange/client-credentials.js';
import { grantExchange, requestFault } from '../../../domain/agent/token-exchange/decide-exchange.js';
import type { ExchangeGrant, ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import {
  type ExchangeParameters,
  type ExchangeRequest,
  type PresentedToken,
  readExchangeRequest,
  repeatableParameters,
} from '../../../domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { type FormFault, parseFormFields } from '../../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { CancellationSource, isCancelled } from '../../shared/cancellation/cancellation-source.js';
import { keyWaitMs } from '../verify-tokens/provider-tokens.js';
import type { AuthenticateClient } from './authenticate-client.js';
import type { ExchangeRates } from './exchange-rates.js';
import type { ExchangeRecord, IssuedToken, RefusedExchange } from './exchange-record.js';
import type { TokenFault } from './oauth-answers.js';
import type { SecurityTokens } from './security-tokens.js';

/** The result of one step of an exchange. */
type ExchangeStep<Value> = Result<Value, RefusedExchange>;

/** The party that a token identifies. */
type Party = 'subject' | 'actor';

/** @param detail one clause for the log, without any of the request */
const refusedFor = (reason: ExchangeReason, detail: string | null = null): ExchangeStep<never> =>
  err({ reason, detail, retryAfterMs: null });

interface VerifyPartiesParts {
  readonly tokens: Pick<SecurityTokens, 'verify'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

/** The verified tokens of an exchange. */
interface VerifiedParties {
  readonly subject: SecurityToken;
  readonly actor: SecurityToken | null;
}

const invalidReasons: Readonly<Record<Party, ExchangeReason>> = {
  subject: 'invalid_subject_token',
  actor: 'invalid_actor_token',
};

/** Verifies the tokens of an exchange: the subject token, then the actor token. */
export class VerifyParties {
  readonly #parts: VerifyPartiesParts;

  constructor(parts: VerifyPartiesParts) {
    this.#parts = parts;
  }

  /** Both tokens together wait for keys as long as one token may: the client waits no longer. */
  async verify(
    event: RequestHeadersEvent,
    { subject, actor }: ExchangeRequest,
    record: ExchangeRecord,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<VerifiedParties>> {
    const { tokens, clock } = this.#parts;
    const sinceMs = clock.monotonicMs();
    const ofSubject = await tokens.verify(subject, event, cancellation);
    const subjectToken = this.#accept(ofSubject, 'subject', cancellation);
    if (!subjectToken.ok) return subjectToken;
    record.subject = subjectToken.value;
    if (actor === null) return ok({ subject: subjectToken.value, actor: null });
    // A SAML document takes time without waiting for keys.
    const waitedMs = subject.kind === 'saml2' ? 0 : clock.monotonicMs() - sinceMs;
    const ofActor =
      actor.kind === 'saml2'
        ? await tokens.verify(actor, event, cancellation)
        : await this.#verifyWithin(Math.max(0, keyWaitMs - waitedMs), actor, event, cancellation);
    const actorToken = this.#accept(ofActor, 'actor', cancellation);
    if (!actorToken.ok) return actorToken;
    record.actor = actorToken.value;
    return ok({ subject: subjectToken.value, actor: actorToken.value });
  }

  /** A token whose key is present is verified even without remaining time. */
  async #verifyWithin(
    timeoutMs: number,
    presented: PresentedToken,
    event: RequestHeadersEvent,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const { tokens, scheduler } = this.#parts;
    const source = new CancellationSource();
    const end = cancellation.onCancel(() => source.cancel());
    const deadline = scheduler.after(timeoutMs, () => source.cancel());
    const verified = await tokens.verify(presented, event, source);
    deadline.cancel();
    end();
    // If the client has gone, its own cancellation reports that.
    const ranOut = !verified.ok && verified.error.kind === 'cancelled';
    return ranOut ? err({ kind: 'keys_unavailable', detail: 'the time to wait for keys is over' }) : verified;
  }

  #accept(
    verified: Result<SecurityToken, TokenFault>,
    party: Party,
    cancellation: Cancellation,
  ): ExchangeStep<SecurityToken> {
    if (isCancelled(cancellation)) return refusedFor('cancelled');
    if (verified.ok) return verified;
    const { kind, detail } = verified.error;
    return refusedFor(kind === 'invalid' ? invalidReasons[party] : kind, detail);
  }
}

interface AdmitClientParts {
  /** The policy if no clients are configured. */
  readonly publicPolicy: ExchangePolicy;
  /** Null: no clients are configured, and client credentials are ignored. */
  readonly authenticate: Pick<AuthenticateClient, 'authenticate' | 'isSpent' | 'spend' | 'claimed'> | null;
  /** Takes from the rate limit of a client; null: no limit. */
  readonly takeOfClient: ((clientId: string) => ReturnType<ExchangeRates['take']>) | null;
}

/** Determines the policy of the caller. */
class AdmitClient {
  readonly #parts: AdmitClientParts;

  constructor(parts: AdmitClientParts) {
    this.#parts = parts;
  }

  /**
   * The client's rate is charged after its authentication and before its assertion is marked as used. The assertion
   * thus stays valid after a 429. A used assertion is not charged: a thief could otherwise lock the client out with it.
   */
  async admit(
    { headers }: RequestHeadersEvent,
    fields: ExchangeParameters,
    record: ExchangeRecord,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<ExchangePolicy>> {
    const { authenticate, publicPolicy, takeOfClient } = this.#parts;
    if (authenticate === null) return ok(publicPolicy);
    const credentials = readClientCredentials(headers, fields);
    if (!credentials.ok) return refusedFor(credentials.error);
    const proven = await authenticate.authenticate(credentials.value, cancellation);
    if (!proven.ok) {
      record.claimedClientId = authenticate.claimed(credentials.value);
      return refusedFor(proven.error);
    }
    const { client, assertion } = proven.value;
    record.clientId = client.id;
    if (assertion !== null && authenticate.isSpent(assertion)) return refusedFor('client_assertion_replayed');
    const overRate = takeOfClient === null ? null : await takeOfClient(client.id);
    if (overRate !== null) return err(overRate);
    // The assertion of a cancelled request is not marked as used.
    if (isCancelled(cancellation)) return refusedFor('cancelled');
    const fault = assertion === null ? null : await authenticate.spend(assertion);
    if (fault !== null) return refusedFor(fault);
    return isCancelled(cancellation) ? refusedFor('cancelled') : ok(client.policy);
  }
}

export interface ExchangeTokenOptions extends AdmitClientParts, VerifyPartiesParts {
  readonly signer: Pick<SigningKey, 'sign'>;
  /** Remembers one-time tokens. */
  readonly replays: Pick<ReplayStore, 'remember'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
}

const formReasons: Readonly<Record<FormFault, ExchangeReason>> = {
  malformed: 'malformed_form',
  duplicate: 'duplicate_parameter',
  too_many: 'too_many_parameters',
};

const replayReasons: Readonly<Record<Party, ExchangeReason>> = {
  subject: 'subject_token_replayed',
  actor: 'actor_token_replayed',
};

/** Only the name of an error: messages of libraries may contain parts of a token. */
const faultName = (fault: unknown): string => (fault instanceof Error ? fault.name : typeof fault);

/** Exchanges a token for a token of this agent (RFC 8693, section 2). */
export class ExchangeToken {
  readonly #parts: ExchangeTokenOptions;
  readonly #clients: AdmitClient;
  readonly #parties: VerifyParties;

  constructor(parts: ExchangeTokenOptions) {
    this.#parts = parts;
    this.#clients = new AdmitClient(parts);
    this.#parties = new VerifyParties(parts);
  }

  /**
   * Never rejects: errors become `signing_failed`. A cancelled exchange issues nothing.
   * @param record receives what becomes known, whatever the result
   */
  async exchange(
    event: RequestHeadersEvent,
    form: Uint8Array,
    record: ExchangeRecord,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<IssuedToken>> {
    try {
      return await this.#exchange(event, form, record, cancellation);
    } catch (fault) {
      return refusedFor('signing_failed', faultName(fault));
    }
  }

  async #exchange(
    event: RequestHeadersEvent,
    form: Uint8Array,
    record: ExchangeRecord,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<IssuedToken>> {
    const fields = parseFormFields(form, { repeatable: repeatableParameters });
    if (!fields.ok) return refusedFor(formReasons[fields.error]);
    const policy = await this.#clients.admit(event, fields.value, record, cancellation);
    if (!policy.ok) return policy;
    const request = readExchangeRequest(fields.value);
    if (!request.ok) return refusedFor(request.error);
    record.request = request.value;
    const fault = requestFault(request.value, policy.value);
    if (fault !== null) return refusedFor(fault);
    const parties = await this.#parties.verify(event, request.value, record, cancellation);
    if (!parties.ok) return parties;
    const nowMs = this.#parts.clock.wallMs();
    const asked = { request: request.value, ...parties.value, policy: policy.value, nowMs };
    const granted = grantExchange({ ...asked, jti: this.#parts.random.uuid() });
    if (!granted.ok) return refusedFor(granted.error);
    const once = await this.#takenOnce(parties.value, cancellation);
    return once.ok ? this.#signed(granted.value, cancellation) : once;
  }

  /** The last step before signing: a token whose exchange was refused for another reason can still be exchanged. */
  async #takenOnce({ subject, actor }: VerifiedParties, cancellation: Cancellation): Promise<ExchangeStep<void>> {
    const parties: readonly (readonly [Party, SecurityToken | null])[] = [
      ['subject', subject],
      ['actor', actor],
    ];
    for (const [party, token] of parties) {
      const oneTime = token?.oneTime ?? null;
      if (oneTime === null) continue;
      const { replays, clock } = this.#parts;
      const remembered = await replays.remember(oneTime.key, oneTime.untilMs, clock.wallMs());
      if (!remembered.ok) return refusedFor('store_unavailable', remembered.error.reason);
      if (remembered.value === 'seen') return refusedFor(replayReasons[party]);
      if (isCancelled(cancellation)) return refusedFor('cancelled');
    }
    return ok(undefined);
  }

  async #signed(grant: ExchangeGrant, cancellation: Cancellation): Promise<ExchangeStep<IssuedToken>> {
    const token = await this.#parts.signer.sign(grant.type, grant.payload);
    return isCancelled(cancellation) ? refusedFor('cancelled') : ok({ token, grant });
  }
}
