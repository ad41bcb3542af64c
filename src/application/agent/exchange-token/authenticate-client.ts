import type { ClientCredentials } from '../../../domain/agent/token-exchange/client-credentials.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { PasswordChecks } from '../authenticate/password-checks.js';
import type { SharedVerdict } from '../authenticate/shared-check.js';
import type { AssertionMemory } from './assertion-memory.js';
import { ClientAssertions, type ProvenAssertion } from './client-assertions.js';
import { ClientSecrets } from './client-secrets.js';
import type { PreparedClient } from './exchange-client.js';

export interface AuthenticateClientParts {
  /** No two have one id. */
  readonly clients: readonly PreparedClient[];
  /** What the `aud` of an assertion may be. */
  readonly issuer: string;
  /** The same. */
  readonly endpointUrl: string;
  readonly digest: SecretDigest;
  readonly passwords: PasswordChecks;
  readonly clock: Clock;
  /** The assertions that the agent has taken. */
  readonly spent: AssertionMemory;
  /** The same of all processes that share it; null: there is none. */
  readonly replays: Pick<ReplayStore, 'remember'> | null;
}

/** A client that is who it says. */
export interface ProvenClient {
  readonly client: PreparedClient;
  /** How it has shown that, where it may do so once: to be taken by `spend` before anything is done for it. */
  readonly assertion: ProvenAssertion | null;
}

const refusals: Readonly<Record<Exclude<SharedVerdict, 'match'>, ExchangeReason>> = {
  mismatch: 'wrong_client_credentials',
  overloaded: 'overloaded',
  cancelled: 'cancelled',
};

/** Finds out which client asks (RFC 6749, section 2.3; RFC 7523, section 3). */
export class AuthenticateClient {
  readonly #clients: ReadonlyMap<string, PreparedClient>;
  readonly #secrets: ClientSecrets;
  readonly #assertions: ClientAssertions;

  constructor(parts: AuthenticateClientParts) {
    this.#clients = new Map(parts.clients.map((client) => [client.id, client]));
    this.#secrets = new ClientSecrets(parts);
    this.#assertions = new ClientAssertions(parts);
  }

  /** Never rejects. */
  async authenticate(
    credentials: ClientCredentials,
    cancellation: Cancellation,
  ): Promise<Result<ProvenClient, ExchangeReason>> {
    if (credentials.kind === 'none') return err('missing_client');
    if (credentials.kind === 'assertion') {
      const shown = this.#assertions.check(credentials.assertion, credentials.clientId);
      return shown.ok ? this.#proven(shown.value.clientId, shown.value) : shown;
    }
    const { clientId, secret } = credentials;
    const verdict = await this.#secrets.check(clientId, secret, cancellation);
    return verdict === 'match' ? this.#proven(clientId, null) : err(refusals[verdict]);
  }

  /** Whether it was taken already: `spend` would refuse it. */
  isSpent(assertion: ProvenAssertion): boolean {
    return this.#assertions.isSpent(assertion);
  }

  /** Takes what may be shown once; null where it came for the first time. Never rejects. */
  spend(assertion: ProvenAssertion): Promise<ExchangeReason | null> {
    return this.#assertions.spend(assertion);
  }

  /** Which client it is that somebody says to be, right or wrong; null: none of ours, whose name may be anything, a secret as well. */
  claimed(credentials: ClientCredentials): string | null {
    if (credentials.kind === 'none') return null;
    const id = credentials.kind === 'secret' ? credentials.clientId : this.#assertions.claimedBy(credentials.assertion);
    return id !== null && this.#clients.has(id) ? id : null;
  }

  #proven(id: string, assertion: ProvenAssertion | null): Result<ProvenClient, ExchangeReason> {
    const client = this.#clients.get(id);
    return client === undefined ? err('wrong_client_credentials') : ok({ client, assertion });
  }
}
