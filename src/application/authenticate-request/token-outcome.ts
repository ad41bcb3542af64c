import type { Identity } from '../../domain/identity/identity.js';
import type { TokenVerdict } from '../verify-tokens/token-verdict.js';
import type { CheckOutcome } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';
import type { VerifiedTokenMemory } from './verified-token-memory.js';

interface TokenOutcomeParts {
  readonly prepare: (identity: Identity) => PreparedIdentity;
  readonly memory: VerifiedTokenMemory;
}

/** What the verdict on a bearer token means for the request that shows it. A token that is good is remembered. */
export const tokenOutcome = (
  method: 'jwt' | 'oidc',
  token: string,
  verdict: TokenVerdict,
  { prepare, memory }: TokenOutcomeParts,
): CheckOutcome => {
  if (verdict.kind !== 'verified') return verdict;
  const { claims, subject, window, key } = verdict.token;
  const prepared = prepare({ method, userId: subject, claims, certificate: null });
  memory.remember(token, { prepared, window, key });
  return { kind: 'authenticated', prepared };
};
