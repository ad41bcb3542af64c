import type { RequestHeadersEvent } from '../../agent-protocol/messages.js';
import { isAbsoluteUri, urlParts } from '../../http/absolute-uri.js';
import { normalisePath } from '../../http/path-normalisation.js';
import { decodeBase64 } from '../../shared/base64.js';
import { isJsonObject, type JsonObject } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { ownOrigin } from '../sign-on/cross-site-request.js';
import { type Claims, claimedNumberText, isClaimedNumber } from './claims.js';
import { type CompactJws, parseCompactJws } from './compact-jws.js';
import { type PublicKey, readPublicKeys } from './public-key.js';
import { asymmetricAlgorithmOf } from './signature-algorithm.js';

/** Why a DPoP proof is refused. Stable: the values are metric labels. */
export const proofRejections = [
  'missing_proof',
  'repeated_proof',
  'malformed_proof',
  'wrong_proof_type',
  'critical_proof_header',
  'wrong_proof_algorithm',
  'unusable_proof_key',
  'wrong_proof_key',
  'bad_proof_signature',
  'wrong_proof_method',
  'wrong_proof_uri',
  'untimely_proof',
  'wrong_proof_token',
  'malformed_proof_id',
  'used_proof',
] as const;
export type ProofRejection = (typeof proofRejections)[number];

/** Maximum characters of a proof; one with an RSA key of 8192 bits and its signature has fewer. */
export const maximumProofLength = 6 * 1024;
/** Maximum difference between `iat` and the clock of the agent. */
export const proofToleranceMs = 60_000;
const maximumIdLength = 256;
const maximumUriLength = 4 * 1024;

/** The head of the request that a proof is for. */
export type ProvenRequest = Pick<RequestHeadersEvent, 'method' | 'uri' | 'headers' | 'metadata'>;

/** What a proof must match. */
export interface ProofRules {
  readonly request: ProvenRequest;
  /** The origins at which clients reach the resource, in lower case, without default port; empty: the request's own. */
  readonly origins: ReadonlySet<string>;
  /** SHA-256 of the access token, in lower-case hexadecimal. */
  readonly tokenHash: string;
  readonly nowMs: number;
}

/** A parsed proof, not verified. */
export interface DpopProof extends CompactJws {
  readonly key: PublicKey;
  /** The text whose SHA-256 is the thumbprint of the key (RFC 7638). */
  readonly thumbprintText: string;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A SHA-256 in base64url as lower-case hexadecimal; null if it is none. */
export const hexOfHash = (value: unknown): string | null => {
  const octets = typeof value === 'string' ? decodeBase64(value, 'url') : null;
  if (octets?.length !== 32) return null;
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');
};

/** The required members of a key in lexicographic order (RFC 7638, section 3.2). */
const thumbprintText = (jwk: JsonObject): string =>
  JSON.stringify(Object.fromEntries(Object.entries(jwk).sort(([left], [right]) => (left < right ? -1 : 1))));

type HeaderCheck = (header: JsonObject) => ProofRejection | null;

const checkType: HeaderCheck = ({ typ }) => (textOf(typ)?.toLowerCase() === 'dpop+jwt' ? null : 'wrong_proof_type');
const checkCritical: HeaderCheck = (header) => (Object.hasOwn(header, 'crit') ? 'critical_proof_header' : null);
const checkAlgorithm: HeaderCheck = ({ alg }) => (asymmetricAlgorithmOf(alg) === null ? 'wrong_proof_algorithm' : null);

/** In this order; the first fault counts. */
const headerChecks: readonly HeaderCheck[] = [checkType, checkCritical, checkAlgorithm];

/** The key of a header: public, and for the algorithm of the header. */
const keyOf = ({ alg, jwk }: JsonObject): PublicKey | null => {
  const algorithm = asymmetricAlgorithmOf(alg);
  if (algorithm === null || !isJsonObject(jwk)) return null;
  const keys = readPublicKeys(jwk, [algorithm]);
  return keys.ok ? (keys.value[0] ?? null) : null;
};

/** Parses the DPoP fields of a request: exactly one, with a proof (RFC 9449, section 4.3). */
export const readProof = (fields: readonly string[]): Result<DpopProof, ProofRejection> => {
  const [field, more] = fields;
  if (field === undefined) return err('missing_proof');
  if (more !== undefined) return err('repeated_proof');
  const parsed = field.length > maximumProofLength ? null : parseCompactJws(field);
  if (parsed?.ok !== true) return err('malformed_proof');
  const { header } = parsed.value;
  for (const check of headerChecks) {
    const fault = check(header);
    if (fault !== null) return err(fault);
  }
  const key = keyOf(header);
  if (key === null) return err('unusable_proof_key');
  return ok({ ...parsed.value, key, thumbprintText: thumbprintText(key.jwk) });
};

type ClaimCheck = (claims: Claims, rules: ProofRules) => ProofRejection | null;

const checkMethod: ClaimCheck = ({ htm }, { request }) => (htm === request.method ? null : 'wrong_proof_method');

const webUrl = /^https?:\/\//i;
const defaultPort = /^(http:.*):80$|^(https:.*):443$/;

const pathOf = (path: string): string | null => {
  const normal = normalisePath(path, 'keep');
  return normal.ok ? normal.value : null;
};

/**
 * Query and fragment do not count (RFC 9449, section 4.3). Configured origins take the place of the request's, which a
 * client can choose by the field Host.
 */
const checkUri: ClaimCheck = ({ htu }, { request, origins }) => {
  const text = typeof htu === 'string' ? htu.replace(/#.*$/s, '') : '';
  if (text.length > maximumUriLength || !webUrl.test(text) || !isAbsoluteUri(text)) return 'wrong_proof_uri';
  const { origin, path } = urlParts(text);
  const shown = origin.toLowerCase().replace(defaultPort, '$1$2');
  const mark = request.uri.indexOf('?');
  const requested = pathOf(mark < 0 ? request.uri : request.uri.slice(0, mark));
  const isOurs = origins.size > 0 ? origins.has(shown) : shown === ownOrigin(request);
  return isOurs && requested !== null && pathOf(path) === requested ? null : 'wrong_proof_uri';
};

/** `iat` in milliseconds; null if it is no number. */
const issuedMs = ({ iat }: Claims): number | null =>
  iat !== undefined && isClaimedNumber(iat) ? Number(claimedNumberText(iat)) * 1000 : null;

const checkTime: ClaimCheck = (claims, { nowMs }) => {
  const issued = issuedMs(claims);
  return issued !== null && Math.abs(nowMs - issued) <= proofToleranceMs ? null : 'untimely_proof';
};

const checkToken: ClaimCheck = ({ ath }, { tokenHash }) => (hexOfHash(ath) === tokenHash ? null : 'wrong_proof_token');

const checkId: ClaimCheck = ({ jti }) => {
  const id = textOf(jti);
  return id !== null && id !== '' && id.length <= maximumIdLength ? null : 'malformed_proof_id';
};

/** In this order; the first fault counts. */
const claimChecks: readonly ClaimCheck[] = [checkMethod, checkUri, checkTime, checkToken, checkId];

/** A proof that may be used once. */
export interface AcceptedProof {
  readonly id: string;
  /** The last moment at which the proof would be accepted again, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

/** Checks the claims of a proof after its signature (RFC 9449, section 4.3). */
export const checkProofClaims = (claims: Claims, rules: ProofRules): Result<AcceptedProof, ProofRejection> => {
  for (const check of claimChecks) {
    const fault = check(claims, rules);
    if (fault !== null) return err(fault);
  }
  return ok({ id: claims['jti'] as string, untilMs: (issuedMs(claims) ?? 0) + proofToleranceMs });
};
