import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential } from '../../../domain/agent/identity/request-credentials.js';
import { type TokenBinding, tokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { TokenVerdict } from '../verify-tokens/token-verdict.js';
import { type CheckOutcome, failedCheck } from './authentication-check.js';
import type { CertificateBinding } from './certificate-binding.js';
import type { DpopProofs } from './dpop-proofs.js';
import type { PreparedIdentity } from './prepared-identity.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface TokenOutcomeOptions {
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** Shared with other checks of the same configuration. */
  readonly memory: VerifiedTokenCache;
  readonly binding: CertificateBinding;
  readonly proofs: Pick<DpopProofs, 'refusal'>;
}

/** A token with what its request proves. */
export interface LocatedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
  readonly certificate: CertificateCredential | null;
  /** Null: the caller has no request, so no proof can be checked. */
  readonly request: ProvenRequest | null;
}

/** Checks the binding of a token whose signature and claims are valid. */
export const proven = (
  { scheme, token, certificate, request }: LocatedToken,
  bound: TokenBinding,
  outcome: CheckOutcome,
  { binding, proofs }: Pick<TokenOutcomeOptions, 'binding' | 'proofs'>,
): MaybePromise<CheckOutcome> => {
  const refusal = bound.certificate === null ? null : binding.refusal(bound.certificate, certificate);
  if (refusal !== null) return failedCheck(refusal);
  if (bound.proofKey === null) return scheme === 'dpop' ? failedCheck('unbound_token') : outcome;
  if (scheme !== 'dpop') return failedCheck('bound_token_as_bearer');
  if (request === null) return failedCheck('missing_proof');
  return proofs.refusal(request, token, bound.proofKey).then((refused) => refused ?? outcome);
};

/** Converts the verdict on a token to the outcome of the check, and caches a valid token. A proof is never cached. */
export const tokenOutcome = (
  method: 'jwt' | 'oidc',
  shown: LocatedToken,
  verdict: TokenVerdict,
  parts: TokenOutcomeOptions,
): MaybePromise<CheckOutcome> => {
  if (verdict.kind !== 'verified') return verdict;
  const { claims, subject, window, key } = verdict.token;
  const binding = tokenBinding(claims);
  if (!binding.ok) return failedCheck(binding.error);
  const prepared = parts.prepare({ method, userId: subject, claims, certificate: null });
  const outcome = proven(shown, binding.value, { kind: 'authenticated', prepared }, parts);
  const remembered = { prepared, window, key, binding: binding.value };
  if (outcome instanceof Promise || outcome.kind === 'authenticated') parts.memory.remember(shown.token, remembered);
  return outcome;
};

/** The outcome of a cached token; null if the token must be verified. */
export const recalled = (
  shown: LocatedToken,
  credential: Parameters<VerifiedTokenCache['recall']>[0],
  parts: TokenOutcomeOptions,
): MaybePromise<CheckOutcome> | null => {
  const token = parts.memory.recall(credential);
  return token === null ? null : proven(shown, token.binding, token.outcome, parts);
};
