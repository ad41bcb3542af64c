import type { OidcProviderOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { type Claims, hasScopes } from '../../../domain/agent/tokens/claims.js';
import { tokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import { checkIdTokenClaims, checkIdTokenHeader } from '../../../domain/agent/tokens/id-token-rules.js';
import { checkJwtClaims } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { checkOidcHeader, type KeyReference } from '../../../domain/agent/tokens/oidc-header-rules.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { KeySet } from '../keys/key-set.js';
import type { ProviderKey } from '../keys/provider-key.js';
import { type ReadToken, rejected, type TokenUse, type TokenVerdict } from './token-verdict.js';

export interface OidcProvider {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

/** A token and its use. */
interface ShownToken {
  readonly read: ReadToken;
  readonly use: TokenUse;
  readonly reference: KeyReference;
}

/** Fetches that a request waits for: one that was already running, and one of its own. */
const awaitedAttempts = 2;
/** How long a request waits for keys, from its arrival. Less than a gateway's default agent timeout. */
export const keyWaitMs = 800;

/** A malformed binding is reported with the other bindings. */
const isBoundToKey = (claims: Claims): boolean => {
  const binding = tokenBinding(claims);
  return !binding.ok || binding.value.proofKey !== null;
};

const undecided: TokenVerdict = { kind: 'undecided', reason: 'keys_unavailable' };

/** Verifies JWTs of OpenID Connect and OAuth 2.0 providers, signed with a key of the provider's set. */
export class ProviderTokens {
  readonly #providers: ReadonlyMap<string, OidcProvider>;
  readonly #clock: Clock;

  /** @param providers with distinct issuers */
  constructor(providers: readonly OidcProvider[], clock: Clock) {
    this.#providers = new Map(providers.map((provider) => [provider.options.issuer, provider]));
    this.#clock = clock;
  }

  /** Synchronous if the key is known. Cancelling ends a wait for the key. Never rejects. */
  verify(read: ReadToken, cancellation: Cancellation, use: TokenUse): TokenVerdict | Promise<TokenVerdict> {
    const { header, payload } = read;
    // The issuer is not verified yet: it only selects the keys that must verify it.
    const provider = typeof payload['iss'] === 'string' ? this.#providers.get(payload['iss']) : undefined;
    if (provider === undefined) return rejected('unknown_issuer');
    const reference = checkOidcHeader(header);
    if (!reference.ok) return rejected(reference.error);
    const { algorithms } = provider.options;
    if (algorithms !== null && !algorithms.includes(reference.value.algorithm)) return rejected('wrong_algorithm');
    const unfit = use === 'id' ? checkIdTokenHeader(header) : null;
    if (unfit !== null) return rejected(unfit);
    const shown: ShownToken = { read, use, reference: reference.value };
    const { kid, algorithm } = reference.value;
    const key = provider.keys.find(kid, algorithm);
    return key === null ? this.#withoutKey(shown, provider, cancellation) : this.#verify(shown, provider, key);
  }

  async #withoutKey(shown: ShownToken, provider: OidcProvider, cancellation: Cancellation): Promise<TokenVerdict> {
    const { keys } = provider;
    const { kid, algorithm } = shown.reference;
    const untilMs = this.#clock.monotonicMs() + keyWaitMs;
    for (let attempt = 0; attempt < awaitedAttempts; attempt += 1) {
      // The kid exists with another algorithm, so a new set would not help.
      if (kid !== null && keys.hasKid(kid)) return rejected('wrong_algorithm');
      const waiting = keys.refetch(Math.max(0, untilMs - this.#clock.monotonicMs()), cancellation);
      if (waiting === 'too_soon') break;
      if (waiting === 'crowded') return undecided;
      const end = await waiting;
      if (end === 'cancelled') return { kind: 'cancelled' };
      const key = keys.find(kid, algorithm);
      if (key !== null) return this.#verify(shown, provider, key);
      // The fetch continues and may still bring the key.
      if (end === 'timed_out') return undecided;
    }
    return keys.state() === 'absent' ? undecided : rejected('unknown_key');
  }

  #verify({ read, use }: ShownToken, { options }: OidcProvider, key: ProviderKey): TokenVerdict {
    const { token, payload: claims } = read;
    // Claims are checked only after the signature: a forged token reveals nothing.
    if (!key.verifier.isSigned(token)) return rejected('bad_signature');
    const check = use === 'id' ? checkIdTokenClaims : checkJwtClaims;
    const accepted = check(claims, options, this.#clock.wallMs());
    if (!accepted.ok) return rejected(accepted.error);
    const { requiredScopes, requiredProof } = options;
    if (use === 'access' && requiredProof !== null && !isBoundToKey(claims)) return rejected('unbound_token');
    // An ID token has no scopes.
    if (use === 'access' && !hasScopes(claims, requiredScopes)) {
      return { kind: 'failed', reason: 'insufficient_scope', scope: requiredScopes.join(' ') };
    }
    return { kind: 'verified', token: { ...accepted.value, claims, key } };
  }
}
