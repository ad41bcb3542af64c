import type { OidcProviderOptions } from '../../domain/configuration/agent-configuration.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import type { Claims } from '../../domain/tokens/claims.js';
import { maximumTokenLength, parseCompactJws } from '../../domain/tokens/compact-jws.js';
import { checkJwtClaims } from '../../domain/tokens/jwt-claim-rules.js';
import { checkOidcHeader, type KeyReference } from '../../domain/tokens/oidc-header-rules.js';
import { hasScopes } from '../../domain/tokens/scope-rules.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { Clock } from '../ports/clock.js';
import type { KeySet } from '../refresh-key-set/key-set.js';
import type { VerifyingKey } from '../refresh-key-set/verifying-key.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  cancelled,
  failed,
  type PreparedIdentity,
  undecided,
} from './authentication-check.js';
import type { VerifiedTokenMemory } from './verified-token-memory.js';

export interface OidcProvider {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

export interface OidcCheckParts {
  /** No two of them have one issuer. */
  readonly providers: readonly OidcProvider[];
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** May be shared with other checks, as long as it ends with the configuration that this check is of. */
  readonly memory: VerifiedTokenMemory;
  readonly clock: Clock;
}

/** A token that has been taken apart. Nothing of it is true yet. */
interface ReadToken {
  readonly token: string;
  readonly claims: Claims;
  readonly reference: KeyReference;
}

/** Attempts to get a key that is waited for: one that had begun before the token came, and one for its sake. */
const awaitedAttempts = 2;
/** How long a request waits for keys, from its coming on: less than a gateway waits for an agent by default. */
export const keyPatienceMs = 800;

/** Access tokens of OpenID Connect and OAuth 2.0 providers, which are JWTs signed with a key of the provider's set. */
export class OidcCheck implements AuthenticationCheck {
  readonly method = 'oidc';
  readonly #parts: OidcCheckParts;
  readonly #providers: ReadonlyMap<string, OidcProvider>;

  constructor(parts: OidcCheckParts) {
    this.#parts = parts;
    this.#providers = new Map(parts.providers.map((provider) => [provider.options.issuer, provider]));
  }

  check({ authorization }: RequestCredentials, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failed('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failed('too_large');
    return this.#parts.memory.recall(token) ?? this.#read(token, cancellation);
  }

  #read(token: string, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const parsed = parseCompactJws(token);
    if (!parsed.ok) return failed(parsed.error);
    const { header, payload } = parsed.value;
    // The issuer is only a claim yet: it picks the keys that have to prove it.
    const provider = typeof payload['iss'] === 'string' ? this.#providers.get(payload['iss']) : undefined;
    if (provider === undefined) return failed('unknown_issuer');
    const reference = checkOidcHeader(header);
    if (!reference.ok) return failed(reference.error);
    const read: ReadToken = { token, claims: payload, reference: reference.value };
    const { kid, algorithm } = reference.value;
    const key = provider.keys.find(kid, algorithm);
    return key === null ? this.#withoutKey(read, provider, cancellation) : this.#verify(read, provider, key);
  }

  async #withoutKey(read: ReadToken, provider: OidcProvider, cancellation: Cancellation): Promise<CheckOutcome> {
    const { keys } = provider;
    const { clock } = this.#parts;
    const { kid, algorithm } = read.reference;
    const untilMs = clock.monotonicMs() + keyPatienceMs;
    for (let attempt = 0; attempt < awaitedAttempts; attempt += 1) {
      // Another set would not help a token that names the algorithm of its key wrongly.
      if (kid !== null && keys.hasKid(kid)) return failed('wrong_algorithm');
      const waiting = keys.refetch(Math.max(0, untilMs - clock.monotonicMs()), cancellation);
      if (waiting === 'too_soon') break;
      if (waiting === 'crowded') return undecided('keys_unavailable');
      const end = await waiting;
      if (end === 'cancelled') return cancelled;
      const key = keys.find(kid, algorithm);
      if (key !== null) return this.#verify(read, provider, key);
      // The fetch goes on: it may bring the key yet.
      if (end === 'timed_out') return undecided('keys_unavailable');
    }
    return keys.state() === 'absent' ? undecided('keys_unavailable') : failed('unknown_key');
  }

  #verify({ token, claims }: ReadToken, { options }: OidcProvider, key: VerifyingKey): CheckOutcome {
    const { prepare, memory, clock } = this.#parts;
    // Claims are judged only once the signature holds: nothing is said about a token that someone made up.
    if (!key.verifier.isSigned(token)) return failed('bad_signature');
    const accepted = checkJwtClaims(claims, options, clock.wallMs());
    if (!accepted.ok) return failed(accepted.error);
    const { requiredScopes } = options;
    if (!hasScopes(claims, requiredScopes)) {
      return { kind: 'failed', reason: 'insufficient_scope', scope: requiredScopes.join(' ') };
    }
    const { subject, window } = accepted.value;
    const prepared = prepare({ method: 'oidc', userId: subject, claims, certificate: null });
    memory.remember(token, { prepared, window, key });
    return { kind: 'authenticated', prepared };
  }
}
