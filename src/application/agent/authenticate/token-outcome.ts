import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential } from '../../../domain/agent/identity/request-credentials.js';
import { boundCertificate } from '../../../domain/agent/tokens/confirmation-rules.js';
import type { TokenVerdict } from '../verify-tokens/token-verdict.js';
import { type CheckOutcome, failedCheck } from './authentication-check.js';
import type { CertificateBinding } from './certificate-binding.js';
import type { PreparedIdentity } from './prepared-identity.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface TokenOutcomeOptions {
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** Shared with other checks of the same configuration. */
  readonly memory: VerifiedTokenCache;
  readonly binding: CertificateBinding;
}

/** A bearer token and the client certificate of its request. */
export interface PresentedBearer {
  readonly token: string;
  readonly certificate: CertificateCredential | null;
}

/** Converts the verdict on a bearer token to the outcome of the check, and caches a valid token. */
export const tokenOutcome = (
  method: 'jwt' | 'oidc',
  { token, certificate }: PresentedBearer,
  verdict: TokenVerdict,
  { prepare, memory, binding }: TokenOutcomeOptions,
): CheckOutcome => {
  if (verdict.kind !== 'verified') return verdict;
  const { claims, subject, window, key } = verdict.token;
  const bound = boundCertificate(claims);
  if (!bound.ok) return failedCheck(bound.error);
  const refusal = bound.value === null ? null : binding.refusal(bound.value, certificate);
  if (refusal !== null) return failedCheck(refusal);
  const prepared = prepare({ method, userId: subject, claims, certificate: null });
  memory.remember(token, { prepared, window, key, boundTo: bound.value });
  return { kind: 'authenticated', prepared };
};

/** The outcome of a cached token; null if the token must be verified. */
export const recalled = (
  credential: BearerCredential,
  certificate: CertificateCredential | null,
  { memory, binding }: TokenOutcomeOptions,
): CheckOutcome | null => {
  const token = memory.recall(credential);
  if (token === null || token.boundTo === null) return token?.outcome ?? null;
  const refusal = binding.refusal(token.boundTo, certificate);
  return refusal === null ? token.outcome : failedCheck(refusal);
};
