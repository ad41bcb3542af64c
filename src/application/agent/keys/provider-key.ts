import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';

/** A key of a provider's key set, ready to verify signatures. */
export interface ProviderKey {
  readonly kid: string | null;
  /** The only algorithm that it verifies. */
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
  /** The provider removed it: cached results of its verifications are void. */
  readonly isWithdrawn: boolean;
}
