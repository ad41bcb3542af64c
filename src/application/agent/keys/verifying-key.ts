import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';

/** A key of a provider's set, ready for use. */
export interface VerifyingKey {
  readonly kid: string | null;
  /** The one algorithm it is for. */
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
  /** It has left the set: what was verified with it is good no longer. */
  readonly withdrawn: boolean;
}
