import { readClientCredentials } from '../../../domain/agent/token-exchange/client-credentials.js';
import type { ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeParameters } from '../../../domain/agent/token-exchange/request-parameters.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import { isCancelled } from '../../shared/cancellation/is-cancelled.js';
import type { AuthenticateClient } from './authenticate-client.js';
import type { ExchangeFacts } from './exchange-facts.js';
import type { ExchangeRates } from './exchange-rates.js';
import { type ExchangeStep, refusedFor } from './exchange-step.js';

export interface AdmitClientParts {
  /** For everybody, where there are no clients. */
  readonly publicPolicy: ExchangePolicy;
  /** Null: there are no clients, and credentials of some are not looked at. */
  readonly authenticate: Pick<AuthenticateClient, 'authenticate' | 'isSpent' | 'spend' | 'claimed'> | null;
  /** Takes of the rate of a client; null: there is no limit. */
  readonly takeOfClient: ((clientId: string) => ReturnType<ExchangeRates['take']>) | null;
}

/** Finds out what whoever asks may have. */
export class AdmitClient {
  readonly #parts: AdmitClientParts;

  constructor(parts: AdmitClientParts) {
    this.#parts = parts;
  }

  /**
   * The rate is counted once the client is known, and before its assertion is used up: it may be shown again after a 429. One that is
   * used up takes nothing of the rate: whoever has come by it could keep the client out with it.
   */
  async admit(
    { headers }: RequestHeadersEvent,
    fields: ExchangeParameters,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<ExchangePolicy>> {
    const { authenticate, publicPolicy, takeOfClient } = this.#parts;
    if (authenticate === null) return ok(publicPolicy);
    const credentials = readClientCredentials(headers, fields);
    if (!credentials.ok) return refusedFor(credentials.error);
    const proven = await authenticate.authenticate(credentials.value, cancellation);
    if (!proven.ok) {
      facts.claimedClientId = authenticate.claimed(credentials.value);
      return refusedFor(proven.error);
    }
    const { client, assertion } = proven.value;
    facts.clientId = client.id;
    if (assertion !== null && authenticate.isSpent(assertion)) return refusedFor('client_assertion_replayed');
    const overRate = takeOfClient === null ? null : await takeOfClient(client.id);
    if (overRate !== null) return err(overRate);
    // An assertion that nobody waits for has not been used.
    if (isCancelled(cancellation)) return refusedFor('cancelled');
    const fault = assertion === null ? null : await authenticate.spend(assertion);
    if (fault !== null) return refusedFor(fault);
    return isCancelled(cancellation) ? refusedFor('cancelled') : ok(client.policy);
  }
}
