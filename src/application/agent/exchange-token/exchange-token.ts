import { grantExchange, requestFault } from '../../../domain/agent/token-exchange/decide-exchange.js';
import type { ExchangeGrant } from '../../../domain/agent/token-exchange/exchange-grant.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { readExchangeRequest } from '../../../domain/agent/token-exchange/read-exchange-request.js';
import { repeatableParameters } from '../../../domain/agent/token-exchange/request-parameters.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { type FormFault, parseFormFields } from '../../../domain/shared/form-urlencoded.js';
import { ok } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Random } from '../../ports/shared/random.js';
import { isCancelled } from '../../shared/cancellation/is-cancelled.js';
import { AdmitClient, type AdmitClientParts } from './admit-client.js';
import type { ExchangeFacts, IssuedToken } from './exchange-facts.js';
import { type ExchangeStep, type Party, refusedFor } from './exchange-step.js';
import { type VerifiedParties, VerifyParties, type VerifyPartiesParts } from './verify-parties.js';

/** What exchanges are done with. */
export interface ExchangeTokenParts extends AdmitClientParts, VerifyPartiesParts {
  readonly signer: Pick<SigningKey, 'sign'>;
  /** Remembers the tokens that are taken once. */
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

/** Says what kind of fault it was, and not more: what an error of a library says may be made of a token. */
const faultName = (fault: unknown): string => (fault instanceof Error ? fault.name : typeof fault);

/** Swaps a token for one of ours (RFC 8693, section 2). */
export class ExchangeToken {
  readonly #parts: ExchangeTokenParts;
  readonly #clients: AdmitClient;
  readonly #parties: VerifyParties;

  constructor(parts: ExchangeTokenParts) {
    this.#parts = parts;
    this.#clients = new AdmitClient(parts);
    this.#parties = new VerifyParties(parts);
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
  ): Promise<ExchangeStep<IssuedToken>> {
    try {
      return await this.#exchange(event, form, facts, cancellation);
    } catch (fault) {
      return refusedFor('signing_failed', faultName(fault));
    }
  }

  async #exchange(
    event: RequestHeadersEvent,
    form: Uint8Array,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<IssuedToken>> {
    const fields = parseFormFields(form, { repeatable: repeatableParameters });
    if (!fields.ok) return refusedFor(formReasons[fields.error]);
    const policy = await this.#clients.admit(event, fields.value, facts, cancellation);
    if (!policy.ok) return policy;
    const request = readExchangeRequest(fields.value);
    if (!request.ok) return refusedFor(request.error);
    facts.request = request.value;
    const fault = requestFault(request.value, policy.value);
    if (fault !== null) return refusedFor(fault);
    const parties = await this.#parties.verify(event, request.value, facts, cancellation);
    if (!parties.ok) return parties;
    const nowMs = this.#parts.clock.wallMs();
    const asked = { request: request.value, ...parties.value, policy: policy.value, nowMs };
    const granted = grantExchange({ ...asked, jti: this.#parts.random.uuid() });
    if (!granted.ok) return refusedFor(granted.error);
    const once = await this.#takenOnce(parties.value, cancellation);
    return once.ok ? this.#signed(granted.value, cancellation) : once;
  }

  /** Last of all before the signature: a token that is refused for something else can still be exchanged. */
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
