import type { JsonObject } from '../../shared/json.js';
import { asymmetricAlgorithmOf } from './signature-algorithm.js';
import type { TokenRejection } from './token-rejection.js';

/**
 * Checks a JWS header: the one algorithm that is configured (RFC 8725, section 3.1), and no critical extension. Keys that
 * the header brings or names (`jwk`, `jku`, `x5u`, `x5c`, `kid`) are not read: the key is the configured one.
 */
export const checkJwtHeader = (header: JsonObject, algorithm: string): TokenRejection | null => {
  if (Object.hasOwn(header, 'crit')) return 'critical_header';
  const alg = header['alg'];
  return alg === algorithm || asymmetricAlgorithmOf(alg) === algorithm ? null : 'wrong_algorithm';
};
