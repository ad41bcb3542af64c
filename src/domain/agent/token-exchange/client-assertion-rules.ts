import type { JsonObject } from '../../shared/json.js';
import { type Err, err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import type { Claims } from '../tokens/claims.js';
import { checkJwtClaims } from '../tokens/jwt-claim-rules.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithmOf } from '../tokens/signature-algorithm.js';
import { isClientId } from './printable-name.js';

/** Maximum remaining lifetime of an assertion, for which its id is stored. */
export const longestAssertionMs = 5 * 60_000;
/** Tolerance for a client's clock. */
export const assertionClockSkewMs = 30_000;
/** Maximum characters of `jti`. */
export const maximumAssertionIdLength = 256;

/** Media types of an assertion, in lower case; RFC 7523 defines none. */
const types: readonly string[] = ['jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'];

/** The required issuer and audience of an assertion. */
export interface ClientAssertionRules {
  readonly clientId: string;
  readonly issuer: string;
  readonly endpointUrl: string;
}

/** An assertion that may be used once. */
export interface AcceptedClientAssertion {
  /** `jti`. */
  readonly id: string;
  /** `aud`: the issuer or the URL of the endpoint. */
  readonly audience: string;
  /**
   * The first moment at which the assertion is expired, including the tolerance; its id is stored until then.
   * Milliseconds since the Unix epoch.
   */
  readonly untilMs: number;
}

/**
 * The algorithm of an assertion; null if the header is not that of a client assertion: a critical extension, another
 * `typ`, or no asymmetric algorithm. Ignores keys in the header.
 */
export const assertionAlgorithm = (header: JsonObject): AsymmetricAlgorithm | null => {
  const { alg, typ } = header;
  if (Object.hasOwn(header, 'crit')) return null;
  if (typ !== undefined && (typeof typ !== 'string' || !types.includes(typ.toLowerCase()))) return null;
  return asymmetricAlgorithmOf(alg);
};

/** The client that an assertion names, unverified; null if `iss` and `sub` differ or are malformed. */
export const assertionClient = ({ iss, sub }: Claims): string | null =>
  typeof sub === 'string' && iss === sub && isClientId(sub) ? sub : null;

/** The only value of `aud`; null if there is none, or several. */
const onlyAudience = ({ aud }: Claims): string | null => {
  const value = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  return typeof value === 'string' ? value : null;
};

const wrong: Err<'wrong_client_assertion'> = err('wrong_client_assertion');

const isAssertionId = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= maximumAssertionIdLength && isWellFormed(jti);

/**
 * Checks the claims of a client assertion after its signature (RFC 7523, section 3). Stricter than required: the only
 * audience is this issuer or its token endpoint, so that no other server can forward the assertion, and `jti` is
 * mandatory.
 */
export const checkClientAssertion = (
  claims: Claims,
  { clientId, issuer, endpointUrl }: ClientAssertionRules,
  nowMs: number,
): Result<AcceptedClientAssertion, 'wrong_client_assertion'> => {
  const audience = onlyAudience(claims);
  if (assertionClient(claims) !== clientId || audience === null) return wrong;
  if (audience !== issuer && audience !== endpointUrl) return wrong;
  const accepted = checkJwtClaims(
    claims,
    { issuer: clientId, audiences: [], clockSkewMs: assertionClockSkewMs },
    nowMs,
  );
  const id = claims['jti'];
  if (!accepted.ok || !isAssertionId(id)) return wrong;
  const { untilMs } = accepted.value.window;
  const isTooLong = untilMs - assertionClockSkewMs - nowMs > longestAssertionMs;
  return isTooLong ? wrong : ok({ id, audience, untilMs: Math.ceil(untilMs) });
};
