import type { JsonObject } from '../../shared/json.js';
import { type Err, err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import type { Claims } from '../tokens/claims.js';
import { checkJwtClaims } from '../tokens/jwt-claim-rules.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithmOf } from '../tokens/signature-algorithm.js';
import { isClientId } from './printable-name.js';

/** How far ahead the end of an assertion may be: so long its id is remembered. */
export const longestAssertionMs = 5 * 60_000;
/** How far the clock of a client may be off. */
export const assertionClockSkewMs = 30_000;
/** Characters of `jti`, at most. */
export const maximumAssertionIdLength = 256;

/** Media types of an assertion, in lower case; RFC 7523 names none. */
const types: readonly string[] = ['jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'];

/** Whom an assertion has to be of and for. */
export interface ClientAssertionRules {
  readonly clientId: string;
  readonly issuer: string;
  readonly endpointUrl: string;
}

/** An assertion that may be taken once. */
export interface AcceptedClientAssertion {
  /** `jti`. */
  readonly id: string;
  /** `aud`: the issuer or the URL of the endpoint. */
  readonly audience: string;
  /**
   * The first moment at which the assertion is too late: the id need not be remembered longer. Milliseconds since the
   * Unix epoch.
   */
  readonly untilMs: number;
}

/**
 * The algorithm that an assertion says it is signed with; null where its header is not one of a client assertion: a
 * critical extension, a `typ` that is something else, an algorithm without a key pair. Keys that the header brings or
 * names are not read.
 */
export const assertionAlgorithm = (header: JsonObject): AsymmetricAlgorithm | null => {
  const { alg, typ } = header;
  if (Object.hasOwn(header, 'crit')) return null;
  if (typ !== undefined && (typeof typ !== 'string' || !types.includes(typ.toLowerCase()))) return null;
  return asymmetricAlgorithmOf(alg);
};

/**
 * Who an assertion says it is of; null: nobody, or two. Nothing of that is true before its signature has been
 * verified.
 */
export const assertionClient = ({ iss, sub }: Claims): string | null =>
  typeof sub === 'string' && iss === sub && isClientId(sub) ? sub : null;

/** The only value of `aud`; null: there is none, or several. */
const onlyAudience = ({ aud }: Claims): string | null => {
  const value = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  return typeof value === 'string' ? value : null;
};

const wrong: Err<'wrong_client_assertion'> = err('wrong_client_assertion');

const isAssertionId = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= maximumAssertionIdLength && isWellFormed(jti);

/**
 * Checks the claims of a client assertion whose signature holds (RFC 7523, section 3). Stricter than that: the
 * audience is this issuer or its token endpoint and nothing else, so that no other server can show the assertion
 * here, and `jti` is required.
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
