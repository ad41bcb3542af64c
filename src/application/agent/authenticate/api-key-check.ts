import type { ApiKey, ApiKeySecret } from '../../../domain/agent/configuration/agent-configuration.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

interface KnownKey {
  readonly digest: string;
  readonly outcome: CheckOutcome;
}

/**
 * Checks API keys, given in the clear or as SHA-256. Looks both up by a digest keyed with a secret. Timing therefore
 * reveals neither the number of keys, nor their form, nor a partial match.
 */
export class ApiKeyCheck implements AuthenticationCheck {
  readonly method = 'api_key';
  readonly #digest: SecretDigest;
  readonly #keys = new Map<string, KnownKey>();

  /** If a key is listed in the clear and hashed, the first entry applies. */
  constructor(keys: readonly ApiKey[], prepare: (identity: Identity) => PreparedIdentity, digest: SecretDigest) {
    this.#digest = digest;
    for (const { key, name } of keys) {
      const keyDigest = digest.digest(this.#sha256Of(key));
      if (this.#keys.has(keyDigest)) continue;
      const prepared = prepare({ method: 'api_key', userId: name, claims: null, certificate: null });
      this.#keys.set(keyDigest, { digest: keyDigest, outcome: { kind: 'authenticated', prepared } });
    }
  }

  check(credentials: RequestCredentials): CheckOutcome {
    if (credentials.apiKey === null) return absent;
    const shown = this.#digest.digest(this.#digest.sha256Hex(credentials.apiKey));
    const known = this.#keys.get(shown);
    if (known === undefined || !this.#digest.equal(known.digest, shown)) return failedCheck('unknown_credentials');
    return known.outcome;
  }

  #sha256Of(key: ApiKeySecret): string {
    return key.kind === 'plain' ? this.#digest.sha256Hex(key.text.reveal()) : key.digest.reveal();
  }
}
