import type { ApiKey } from '../../domain/configuration/agent-configuration.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  failed,
  type PreparedIdentity,
} from './authentication-check.js';

interface KnownKey {
  readonly digest: string;
  readonly outcome: CheckOutcome;
}

/**
 * API keys. They are found by a digest under a key that no client knows, so neither the number of keys nor a likeness to
 * one of them shows in the time that it takes.
 */
export class ApiKeyCheck implements AuthenticationCheck {
  readonly method = 'api_key';
  readonly #digest: SecretDigest;
  readonly #keys = new Map<string, KnownKey>();

  constructor(keys: readonly ApiKey[], prepare: (identity: Identity) => PreparedIdentity, digest: SecretDigest) {
    this.#digest = digest;
    for (const { key, name } of keys) {
      const keyDigest = digest.digest(key.reveal());
      const prepared = prepare({ method: 'api_key', userId: name, claims: null });
      this.#keys.set(keyDigest, { digest: keyDigest, outcome: { kind: 'authenticated', prepared } });
    }
  }

  check(credentials: RequestCredentials): CheckOutcome {
    if (credentials.apiKey === null) return absent;
    const shown = this.#digest.digest(credentials.apiKey);
    const known = this.#keys.get(shown);
    if (known === undefined || !this.#digest.equal(known.digest, shown)) return failed('unknown_credentials');
    return known.outcome;
  }
}
