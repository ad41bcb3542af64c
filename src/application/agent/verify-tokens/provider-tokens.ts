import type { OidcProviderOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { isLogoutTokenType } from '../../../domain/agent/oidc/checks/logout-token-checks.js';
import { type Claims, hasScopes } from '../../../domain/agent/tokens/claims.js';
import { tokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import { checkIdTokenClaims, checkIdTokenHeader } from '../../../domain/agent/tokens/id-token-rules.js';
import { checkJwtClaims } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { checkOidcHeader, type KeyReference } from '../../../domain/agent/tokens/oidc-header-rules.js';
import type { TokenRejection } from '../../../domain/agent/tokens/token-rejection.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { KeySet } from '../keys/key-set.js';
import type { ProviderKey } from '../keys/provider-key.js';
import {
  neverOwnIdentityToken,
  type OwnIdentityTokenTest,
  type ReadToken,
  type TokenUse,
  type TokenVerdict,
} from './token-verdict.js';

export interface OidcProvider {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

/** A token, and the decision about its claims once its signature is verified. */
interface ShownToken<Verdict> {
  readonly read: ReadToken;
  readonly reference: KeyReference;
  readonly judge: (key: ProviderKey) => Verdict;
}

/** Why the signature of a token is not verified. */
export type Unverified = Exclude<TokenVerdict, { kind: 'verified' }>;

/** A token with a verified signature and unchecked claims. */
export interface SignedClaims {
  readonly kind: 'signed';
  readonly claims: Claims;
}

const rejected = (reason: TokenRejection): Unverified => ({ kind: 'failed', reason });

/** Fetches that a request waits for: one that was already running, and one of its own. */
const awaitedAttempts = 2;
/** How long a request waits for keys, from its arrival. Less than a gateway's default agent timeout. */
export const keyWaitMs = 800;

/** A malformed binding is reported with the other bindings. */
const isBoundToKey = (claims: Claims): boolean => {
  const binding = tokenBinding(claims);
  return !binding.ok || binding.value.proofKey !== null;
};

const undecided: Unverified = { kind: 'undecided', reason: 'keys_unavailable' };

/** The key reference of a header, if the provider may use its algorithm. */
const referenceOf = (
  reference: Result<KeyReference, TokenRejection>,
  { options: { algorithms } }: OidcProvider,
): Result<KeyReference, TokenRejection> =>
  reference.ok && algorithms !== null && !algorithms.includes(reference.value.algorithm)
    ? err('wrong_algorithm')
    : reference;

/** Claims are judged only after the signature: a forged token reveals nothing. */
const verifySignature = <Verdict>({ read, judge }: ShownToken<Verdict>, key: ProviderKey): Verdict | Unverified =>
  key.verifier.isSigned(read.token) ? judge(key) : rejected('bad_signature');

/** Verifies JWTs of OpenID Connect and OAuth 2.0 providers, signed with a key of the provider's set. */
export class ProviderTokens {
  readonly #providers: ReadonlyMap<string, OidcProvider>;
  readonly #clock: Clock;
  readonly #isOwnIdentityToken: OwnIdentityTokenTest;

  /** @param providers with distinct issuers */
  constructor(
    providers: readonly OidcProvider[],
    clock: Clock,
    isOwnIdentityToken: OwnIdentityTokenTest = neverOwnIdentityToken,
  ) {
    this.#isOwnIdentityToken = isOwnIdentityToken;
    this.#providers = new Map(providers.map((provider) => [provider.options.issuer, provider]));
    this.#clock = clock;
  }

  /** Synchronous if the key is known. Cancelling ends a wait for the key. Never rejects. */
  verify(read: ReadToken, cancellation: Cancellation, use: TokenUse): TokenVerdict | Promise<TokenVerdict> {
    const { header, payload } = read;
    // The issuer is not verified yet: it only selects the keys that must verify it.
    const provider = this.#providerOf(payload);
    if (provider === undefined) return rejected('unknown_issuer');
    const reference = referenceOf(checkOidcHeader(header), provider);
    if (!reference.ok) return rejected(reference.error);
    const unfit = use === 'id' ? checkIdTokenHeader(header) : null;
    if (unfit !== null) return rejected(unfit);
    const judge = (key: ProviderKey) => this.#judge(read, use, provider, key);
    return this.#withKey({ read, reference: reference.value, judge }, provider, cancellation);
  }

  /**
   * Verifies the signature of a logout token, with the algorithms of ID tokens. The caller checks the claims. Never
   * rejects.
   */
  verifyLogoutToken(
    read: ReadToken,
    cancellation: Cancellation,
  ): SignedClaims | Unverified | Promise<SignedClaims | Unverified> {
    const { header, payload: claims } = read;
    const provider = this.#providerOf(claims);
    if (provider === undefined) return rejected('unknown_issuer');
    const reference = referenceOf(checkOidcHeader(header, isLogoutTokenType), provider);
    if (!reference.ok) return rejected(reference.error);
    const judge = (): SignedClaims => ({ kind: 'signed', claims });
    return this.#withKey({ read, reference: reference.value, judge }, provider, cancellation);
  }

  #providerOf({ iss }: Claims): OidcProvider | undefined {
    return typeof iss === 'string' ? this.#providers.get(iss) : undefined;
  }

  #withKey<Verdict>(
    shown: ShownToken<Verdict>,
    provider: OidcProvider,
    cancellation: Cancellation,
  ): Verdict | Unverified | Promise<Verdict | Unverified> {
    const { kid, algorithm } = shown.reference;
    const key = provider.keys.find(kid, algorithm);
    return key === null ? this.#withoutKey(shown, provider, cancellation) : verifySignature(shown, key);
  }

  async #withoutKey<Verdict>(
    shown: ShownToken<Verdict>,
    { keys }: OidcProvider,
    cancellation: Cancellation,
  ): Promise<Verdict | Unverified> {
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
      if (key !== null) return verifySignature(shown, key);
      // The fetch continues and may still bring the key.
      if (end === 'timed_out') return undecided;
    }
    return keys.state() === 'absent' ? undecided : rejected('unknown_key');
  }

  #judge(read: ReadToken, use: TokenUse, { options }: OidcProvider, key: ProviderKey): TokenVerdict {
    if (this.#isOwnIdentityToken(read)) return rejected('wrong_type');
    const { payload: claims } = read;
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
