import type { JsonObject } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithmOf } from './signature-algorithm.js';
import type { TokenRejection } from './token-rejection.js';

/**
 * Checks a JWS header: the one algorithm that is configured (RFC 8725, section 3.1), and no critical extension. Keys
 * that the header brings or names (`jwk`, `jku`, `x5u`, `x5c`, `kid`) are not read: the key is the configured one.
 */
export const checkJwtHeader = (header: JsonObject, algorithm: string): TokenRejection | null => {
  if (Object.hasOwn(header, 'crit')) return 'critical_header';
  const alg = header['alg'];
  return alg === algorithm || asymmetricAlgorithmOf(alg) === algorithm ? null : 'wrong_algorithm';
};

/** What a token says of the key that it is signed with. Which algorithm holds is for the key to say. */
export interface KeyReference {
  readonly kid: string | null;
  readonly algorithm: AsymmetricAlgorithm;
}

/** Media types of access tokens, in lower case (RFC 9068, section 2.1). */
const accessTypes: readonly string[] = ['at+jwt', 'application/at+jwt'];
/** Those of tokens that may give access: any JWT may (RFC 7519, section 5.1). */
const types: readonly string[] = ['jwt', ...accessTypes];

/**
 * Whether a header says by `typ` that its token is something else, such as a logout token or a DPoP proof (RFC 8725,
 * section 3.11).
 */
export const isOtherType = ({ typ }: JsonObject): boolean =>
  typ !== undefined && (typeof typ !== 'string' || !types.includes(typ.toLowerCase()));

/** Whether a header says by `typ` that its token is an access token, and no other JWT. */
export const isAccessTokenType = ({ typ }: JsonObject): boolean =>
  typeof typ === 'string' && accessTypes.includes(typ.toLowerCase());

/**
 * Checks the header of a provider's token: no critical extension, no type that is something else, an algorithm with a
 * key pair. Keys that the header brings or points to (`jwk`, `jku`, `x5u`, `x5c`) are not read: the key is one of the
 * provider's set.
 */
export const checkOidcHeader = (header: JsonObject): Result<KeyReference, TokenRejection> => {
  const { alg, kid } = header;
  if (Object.hasOwn(header, 'crit')) return err('critical_header');
  if (isOtherType(header)) return err('wrong_type');
  const algorithm = asymmetricAlgorithmOf(alg);
  if (algorithm === null) return err('wrong_algorithm');
  if (kid !== undefined && typeof kid !== 'string') return err('malformed');
  return ok({ kid: kid ?? null, algorithm });
};
