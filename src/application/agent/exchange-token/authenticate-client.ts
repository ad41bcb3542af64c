import type { ClientSecret } from '../../../domain/agent/configuration/token-exchange-options.js';
import { decoyHash, type PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { ClientCredentials } from '../../../domain/agent/token-exchange/client-credentials.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { SharedVerdict } from '../authenticate/authentication-check.js';
import type { PasswordChecks } from '../authenticate/password-checks.js';
import { PasswordVerificationCache } from '../authenticate/password-verification-cache.js';
import { ClientAssertions, type ProvenAssertion } from './client-assertions.js';
import type { PreparedClient } from './exchange-record.js';
import type { AssertionMemory } from './spent-assertions.js';

interface ClientSecretsParts {
  /** With distinct ids. */
  readonly clients: readonly { readonly id: string; readonly secrets: readonly ClientSecret[] }[];
  readonly digest: SecretDigest;
  readonly passwords: PasswordChecks;
  readonly clock: Clock;
}

const isHash = (secret: ClientSecret): secret is PasswordHash => secret.kind !== 'plain' && secret.kind !== 'sha256';

/**
 * Client secrets, in the clear, as SHA-256, or hashed like passwords; several per client. A wrong secret costs as much
 * time for every client id, known or not: as many comparisons and hash checks as the client with the most secrets
 * needs.
 */
class ClientSecrets {
  readonly #digest: SecretDigest;
  /** Digests of secrets that are not password hashes, by client. Padded to equal length. */
  readonly #digests = new Map<string, readonly string[]>();
  /** The digests for unknown clients. */
  readonly #nobody: readonly string[];
  /** Null if no secret is a password hash. */
  readonly #hashed: PasswordVerificationCache | null;
  /** The largest number of hashes per client. */
  readonly #hashCount: number;

  constructor({ clients, digest, passwords, clock }: ClientSecretsParts) {
    this.#digest = digest;
    const hashes = new Map<string, PasswordHash>();
    let digestCount = 0;
    let hashCount = 0;
    for (const { id, secrets } of clients) {
      const hashesOfClient = secrets.filter(isHash);
      hashesOfClient.forEach((hash, place) => void hashes.set(this.#userOf(id, place), hash));
      hashCount = Math.max(hashCount, hashesOfClient.length);
      digestCount = Math.max(digestCount, secrets.length - hashesOfClient.length);
    }
    // Matches nothing: real digests have 64 hexadecimal digits.
    this.#nobody = new Array<string>(digestCount).fill(digest.digest('nobody'));
    for (const { id, secrets } of clients) {
      const own = secrets.flatMap((secret) => (isHash(secret) ? [] : [this.#digestOf(secret)]));
      this.#digests.set(id, [...own, ...this.#nobody.slice(own.length)]);
    }
    this.#hashCount = hashCount;
    const decoy = decoyHash([...hashes.values()]);
    this.#hashed = decoy === null ? null : new PasswordVerificationCache({ hashes, decoy, passwords, digest, clock });
  }

  /** Checks a secret of a client. Never rejects. */
  async check(clientId: string, secret: string, cancellation: Cancellation): Promise<SharedVerdict> {
    const shown = this.#digest.digest(this.#digest.sha256Hex(secret));
    let matches = false;
    for (const known of this.#digests.get(clientId) ?? this.#nobody) {
      matches = this.#digest.equal(known, shown) || matches;
    }
    if (matches) return 'match';
    return this.#hashed === null ? 'mismatch' : this.#checkHashes(this.#hashed, clientId, secret, cancellation);
  }

  async #checkHashes(
    hashed: PasswordVerificationCache,
    clientId: string,
    secret: string,
    cancellation: Cancellation,
  ): Promise<SharedVerdict> {
    const users = Array.from({ length: this.#hashCount }, (_, place) => this.#userOf(clientId, place));
    // Cached matches first: a known client never waits for checks of its other secrets.
    if (users.some((user) => hashed.remembers(user, secret))) return 'match';
    for (const user of users) {
      const verdict = await hashed.check(user, secret, cancellation);
      if (verdict !== 'mismatch') return verdict;
    }
    return 'mismatch';
  }

  #digestOf(secret: Exclude<ClientSecret, PasswordHash>): string {
    const kept = secret.kind === 'plain' ? this.#digest.sha256Hex(secret.text.reveal()) : secret.digest.reveal();
    return this.#digest.digest(kept);
  }

  /** A user name per secret. INVARIANT: it contains no colon, unlike client ids. */
  #userOf(clientId: string, place: number): string {
    return `${this.#digest.sha256Hex(clientId)}.${place}`;
  }
}

export interface ClientAuthenticationOptions {
  /** With distinct ids. */
  readonly clients: readonly PreparedClient[];
  /** A valid `aud` of an assertion. */
  readonly issuer: string;
  /** A valid `aud` of an assertion. */
  readonly endpointUrl: string;
  readonly digest: SecretDigest;
  readonly passwords: PasswordChecks;
  readonly clock: Clock;
  /** The used assertions of the agent. */
  readonly spent: AssertionMemory;
  /** The used assertions of all processes that share a store; null: no shared store. */
  readonly replays: Pick<ReplayStore, 'remember'> | null;
}

/** An authenticated client. */
export interface ProvenClient {
  readonly client: PreparedClient;
  /**
   * A one-time assertion that authenticated the client; `spend` must accept it before anything else is done. Null: a
   * secret.
   */
  readonly assertion: ProvenAssertion | null;
}

const refusals: Readonly<Record<Exclude<SharedVerdict, 'match'>, ExchangeReason>> = {
  mismatch: 'wrong_client_credentials',
  overloaded: 'overloaded',
  cancelled: 'cancelled',
};

/** Authenticates clients (RFC 6749, section 2.3; RFC 7523, section 3). */
export class AuthenticateClient {
  readonly #clients: ReadonlyMap<string, PreparedClient>;
  readonly #secrets: ClientSecrets;
  readonly #assertions: ClientAssertions;

  constructor(parts: ClientAuthenticationOptions) {
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

  /** Whether the assertion is known to be used, so that `spend` would refuse it. */
  isSpent(assertion: ProvenAssertion): boolean {
    return this.#assertions.isSpent(assertion);
  }

  /** Marks an assertion as used; null if this is its first use. Never rejects. */
  spend(assertion: ProvenAssertion): Promise<ExchangeReason | null> {
    return this.#assertions.spend(assertion);
  }

  /**
   * The configured client that the credentials name, whether or not they are valid. Null for unknown names: such a name
   * may be anything, even a secret.
   */
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
