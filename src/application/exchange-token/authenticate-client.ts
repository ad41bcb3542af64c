import { err, ok, type Result } from '../../domain/shared/result.js';
import type { ClientCredentials } from '../../domain/token-exchange/client-credentials.js';
import type { ExchangeReason } from '../../domain/token-exchange/exchange-refusal.js';
import type { PasswordChecks } from '../authenticate-request/password-checks.js';
import type { SharedVerdict } from '../authenticate-request/shared-check.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { Clock } from '../ports/clock.js';
import type { ReplayStore } from '../ports/replay-store.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import { ClientAssertions } from './client-assertions.js';
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
  /** Remembers the assertions that have been taken. */
  readonly replays: Pick<ReplayStore, 'remember'>;
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
  ): Promise<Result<PreparedClient, ExchangeReason>> {
    if (credentials.kind === 'none') return err('missing_client');
    if (credentials.kind === 'assertion') {
      const shown = await this.#assertions.check(credentials.assertion, credentials.clientId, cancellation);
      return shown.ok ? this.#clientOf(shown.value) : shown;
    }
    const { clientId, secret } = credentials;
    const verdict = await this.#secrets.check(clientId, secret, cancellation);
    return verdict === 'match' ? this.#clientOf(clientId) : err(refusals[verdict]);
  }

  #clientOf(id: string): Result<PreparedClient, ExchangeReason> {
    const client = this.#clients.get(id);
    return client === undefined ? err('wrong_client_credentials') : ok(client);
  }
}
