import type { JsonObject } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithmOf } from './signature-algorithm.js';
import type { TokenRejection } from './token-rejection.js';

/**
 * Checks a JWS header: the configured algorithm (RFC 8725, section 3.1) and no critical extension. Ignores keys in the
 * header (`jwk`, `jku`, `x5u`, `x5c`, `kid`): the configured key applies.
 */
export const checkJwtHeader = (header: JsonObject, algorithm: string): TokenRejection | null => {
  if (Object.hasOwn(header, 'crit')) return 'critical_header';
  const alg = header['alg'];
  return alg === algorithm || asymmetricAlgorithmOf(alg) === algorithm ? null : 'wrong_algorithm';
};

/** The key that a token names. The key determines the valid algorithm. */
export interface KeyReference {
  readonly kid: string | null;
  readonly algorithm: AsymmetricAlgorithm;
}

/** Media types of access tokens, in lower case (RFC 9068, section 2.1). */
const accessTypes: readonly string[] = ['at+jwt', 'application/at+jwt'];
/** Types of tokens that may give access: any JWT may (RFC 7519, section 5.1). */
const types: readonly string[] = ['jwt', ...accessTypes];

/** Whether `typ` declares another kind of token, such as a logout token or a DPoP proof (RFC 8725, section 3.11). */
export const isOtherType = ({ typ }: JsonObject): boolean =>
  typ !== undefined && (typeof typ !== 'string' || !types.includes(typ.toLowerCase()));

/** Whether `typ` declares an access token, not just a JWT. */
export const isAccessTokenType = ({ typ }: JsonObject): boolean =>
  typeof typ === 'string' && accessTypes.includes(typ.toLowerCase());

/**
 * Checks the header of a provider's token: no critical extension, no other type, an asymmetric algorithm. Ignores keys
 * in the header (`jwk`, `jku`, `x5u`, `x5c`): the key comes from the provider's set.
 */
export const checkOidcHeader = (
  header: JsonObject,
  isRightType: (header: JsonObject) => boolean = (given) => !isOtherType(given),
): Result<KeyReference, TokenRejection> => {
  const { alg, kid } = header;
  if (Object.hasOwn(header, 'crit')) return err('critical_header');
  if (!isRightType(header)) return err('wrong_type');
  const algorithm = asymmetricAlgorithmOf(alg);
  if (algorithm === null) return err('wrong_algorithm');
  if (kid !== undefined && typeof kid !== 'string') return err('malformed');
  return ok({ kid: kid ?? null, algorithm });
};
