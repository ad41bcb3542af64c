import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential } from '../../../domain/agent/identity/request-credentials.js';
import { boundCertificate } from '../../../domain/agent/tokens/confirmation-rules.js';
import type { TokenVerdict } from '../verify-tokens/token-verdict.js';
import { type CheckOutcome, failedCheck } from './authentication-check.js';
import type { CertificateBinding } from './certificate-binding.js';
import type { PreparedIdentity } from './prepared-identity.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface TokenOutcomeParts {
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** May be shared with other checks, as long as it ends with the configuration that this check is of. */
  readonly memory: VerifiedTokenCache;
  readonly binding: CertificateBinding;
}

/** A bearer token, and the certificate of the request that shows it. */
export interface ShownBearer {
  readonly token: string;
  readonly certificate: CertificateCredential | null;
}

/** What the verdict on a bearer token means for the request that shows it. A token that is good is remembered. */
export const tokenOutcome = (
  method: 'jwt' | 'oidc',
  { token, certificate }: ShownBearer,
  verdict: TokenVerdict,
  { prepare, memory, binding }: TokenOutcomeParts,
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

/** The outcome of a token that was verified before; null where it has to be verified. */
export const recalled = (
  credential: BearerCredential,
  certificate: CertificateCredential | null,
  { memory, binding }: TokenOutcomeParts,
): CheckOutcome | null => {
  const token = memory.recall(credential);
  if (token === null || token.boundTo === null) return token?.outcome ?? null;
  const refusal = binding.refusal(token.boundTo, certificate);
  return refusal === null ? token.outcome : failedCheck(refusal);
};
