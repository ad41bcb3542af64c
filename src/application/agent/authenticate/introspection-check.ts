import type { IntrospectionOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import { encodeParameters } from '../../../domain/agent/oidc/authorization-request.js';
import { type Claims, hasScopes } from '../../../domain/agent/tokens/claims.js';
import { tokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import { checkIntrospectedClaims, readIntrospection } from '../../../domain/agent/tokens/introspection.js';
import type { JwtClaimRules } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { err } from '../../../domain/shared/result.js';
import type { ProviderEndpoints } from '../../ports/agent/provider-endpoints.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { CancellationSource } from '../../shared/cancellation/cancellation-source.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';
import { type CheckOutcome, cancelled, failedCheck, undecided } from './authentication-check.js';
import type { CertificateBinding } from './certificate-binding.js';
import type { DpopProofs } from './dpop-proofs.js';
import { type IntrospectedToken, IntrospectedTokenCache } from './introspected-token-cache.js';
import type { PreparedIdentity } from './prepared-identity.js';
import { type LocatedToken, proven } from './token-outcome.js';

/** `failure`: no valid answer in time. `overloaded`: not asked, because too many calls were running. */
export type IntrospectionResult = 'active' | 'inactive' | 'failure' | 'overloaded';

/** Counts introspections. */
export interface IntrospectionOutcomes {
  introspected(result: IntrospectionResult): void;
}

export interface IntrospectionCheckOptions {
  readonly introspection: IntrospectionOptions;
  readonly rules: JwtClaimRules;
  readonly requiredScopes: readonly string[];
  /** Whether only tokens that are bound to a DPoP key are accepted. */
  readonly requiresProof: boolean;
  readonly endpoint: Pick<ProviderEndpoints, 'requestTokens'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly outcomes: IntrospectionOutcomes;
  readonly binding: CertificateBinding;
  readonly proofs: Pick<DpopProofs, 'refusal'>;
  readonly prepare: (identity: Identity) => PreparedIdentity;
}

/** Maximum concurrent calls. */
export const maximumIntrospections = 64;
/** Maximum requests that wait for one call. */
export const maximumIntrospectionWaiters = 256;
/** How long a refusal is kept, in milliseconds. */
export const refusalLifeMs = 5_000;
/** Minimum interval between log lines about failures. */
const logIntervalMs = 10_000;

interface Call {
  /** Null: no valid answer. Never rejects. */
  readonly result: Promise<IntrospectedToken | null>;
  waiters: number;
}

/** Opaque access tokens, about which the agent asks the introspection endpoint of their provider (RFC 7662). */
export class IntrospectionCheck {
  readonly #parts: IntrospectionCheckOptions;
  readonly #cache: IntrospectedTokenCache;
  /** By SHA-256 of the token. */
  readonly #calls = new Map<string, Call>();
  readonly #lines: OncePerPeriod;

  constructor(parts: IntrospectionCheckOptions) {
    this.#parts = parts;
    this.#cache = new IntrospectedTokenCache(parts.clock);
    this.#lines = new OncePerPeriod(parts.clock, logIntervalMs);
  }

  /** Synchronous for a cached result. Cancelling ends a wait; the call goes on for other requests. Never rejects. */
  check(shown: LocatedToken, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const { token } = shown;
    const digest = this.#parts.digest.sha256Hex(token);
    const known = this.#cache.recall(digest);
    if (known !== null) return this.#outcome(known, shown);
    const call = this.#calls.get(digest) ?? this.#begin(digest, token);
    if (call === null || call.waiters >= maximumIntrospectionWaiters) {
      this.#parts.outcomes.introspected('overloaded');
      return undecided('overloaded');
    }
    call.waiters += 1;
    return new Promise((resolve) => {
      const endListening = cancellation.onCancel(() => {
        call.waiters -= 1;
        resolve(cancelled);
      });
      void call.result.then((result) => {
        endListening();
        resolve(result === null ? undecided('introspection_unavailable') : this.#outcome(result, shown));
      });
    });
  }

  #outcome({ outcome, binding }: IntrospectedToken, shown: LocatedToken): MaybePromise<CheckOutcome> {
    return binding === null ? outcome : proven(shown, binding, outcome, this.#parts);
  }

  /** Null: too many calls are running. */
  #begin(digest: string, token: string): Call | null {
    if (this.#calls.size >= maximumIntrospections) return null;
    const result = this.#ask(token).then((found) => {
      this.#calls.delete(digest);
      if (found !== null) this.#cache.remember(digest, found);
      return found;
    });
    const call: Call = { result, waiters: 0 };
    this.#calls.set(digest, call);
    return call;
  }

  async #ask(token: string): Promise<IntrospectedToken | null> {
    const { introspection, endpoint, outcomes, logger } = this.#parts;
    const { url, clientId, clientSecret } = introspection;
    const form = encodeParameters([
      ['token', token],
      ['token_type_hint', 'access_token'],
    ]);
    // RFC 6749, section 2.3.1.
    const basic = { user: encodeURIComponent(clientId), password: encodeURIComponent(clientSecret.reveal()) };
    const response = await endpoint.requestTokens(url, { form, basic }, new CancellationSource());
    const read = response.ok ? readIntrospection(response.value) : err(response.error.detail);
    if (read.ok) {
      outcomes.introspected(read.value === null ? 'inactive' : 'active');
      return read.value === null ? refused(failedCheck('inactive')) : this.#active(read.value);
    }
    outcomes.introspected('failure');
    const untold = this.#lines.take();
    // A query may hold a secret.
    const shown = url.replace(/\?.*$/s, '');
    if (untold !== null) logger.warn('a token could not be introspected', { url: shown, reason: read.error, untold });
    return null;
  }

  #active(claims: Claims): IntrospectedToken {
    const { rules, requiredScopes, requiresProof, clock, prepare, introspection } = this.#parts;
    const accepted = checkIntrospectedClaims(claims, rules, clock.wallMs());
    if (!accepted.ok) return refused(failedCheck(accepted.error));
    if (!hasScopes(claims, requiredScopes)) {
      return refused({ kind: 'failed', reason: 'insufficient_scope', scope: requiredScopes.join(' ') });
    }
    const binding = tokenBinding(claims);
    if (!binding.ok) return refused(failedCheck(binding.error));
    if (requiresProof && binding.value.proofKey === null) return refused(failedCheck('unbound_token'));
    const { subject, expiresMs } = accepted.value;
    const prepared = prepare({ method: 'oidc', userId: subject, claims, certificate: null });
    const lifeMs = introspection.cacheMs;
    return { outcome: { kind: 'authenticated', prepared }, binding: binding.value, lifeMs, expiresMs };
  }
}

const refused = (outcome: CheckOutcome): IntrospectedToken => ({
  outcome,
  binding: null,
  lifeMs: refusalLifeMs,
  expiresMs: Number.POSITIVE_INFINITY,
});
