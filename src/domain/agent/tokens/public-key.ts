import type { JsonObject, JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithmOf } from './signature-algorithm.js';

/** Maximum characters of a `kid`. */
export const maximumKidLength = 256;
/** Maximum characters of a number in a key: the modulus of an 8192-bit RSA key has 1366. */
const maximumNumberLength = 2048;

/** A public verification key, bound to one algorithm. */
export interface PublicKey {
  readonly kid: string | null;
  readonly algorithm: AsymmetricAlgorithm;
  /** A JWK with only the members of the key. Not validated cryptographically. */
  readonly jwk: JsonObject;
  /** Equal for equal keys, including `kid` and algorithm. */
  readonly identity: string;
}

/** The algorithms of a key type; the first is the default for keys without `alg`. */
interface KeyKind {
  readonly algorithms: readonly [AsymmetricAlgorithm, ...AsymmetricAlgorithm[]];
  readonly numbers: readonly string[];
}

const rsa: KeyKind = { algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], numbers: ['n', 'e'] };
/** By `kty` and `crv` (RFC 7518, section 6.2.1.1; RFC 8037, section 2). */
const curveKinds: ReadonlyMap<string, KeyKind> = new Map<string, KeyKind>([
  ['EC P-256', { algorithms: ['ES256'], numbers: ['x', 'y'] }],
  ['EC P-384', { algorithms: ['ES384'], numbers: ['x', 'y'] }],
  ['EC P-521', { algorithms: ['ES512'], numbers: ['x', 'y'] }],
  ['OKP Ed25519', { algorithms: ['EdDSA'], numbers: ['x'] }],
]);

/** Members of private or symmetric keys (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const kindOf = ({ kty, crv }: JsonObject): Result<KeyKind, string> => {
  if (kty === 'RSA') return ok(rsa);
  if (kty !== 'EC' && kty !== 'OKP') return err('has an unsupported type');
  const kind = typeof crv === 'string' ? curveKinds.get(`${kty} ${crv}`) : undefined;
  return kind === undefined ? err('has an unsupported curve') : ok(kind);
};

const algorithmsOf = (
  { alg }: JsonObject,
  { algorithms }: KeyKind,
  accepted: readonly AsymmetricAlgorithm[] | null,
): Result<readonly AsymmetricAlgorithm[], string> => {
  if (alg === undefined) {
    const fitting = accepted === null ? [algorithms[0]] : algorithms.filter((one) => accepted.includes(one));
    return fitting.length > 0 ? ok(fitting) : err('fits none of the accepted algorithms');
  }
  const named = asymmetricAlgorithmOf(alg);
  if (named === null) return err('is for an unsupported algorithm');
  if (!algorithms.includes(named)) return err(`names ${named}, for which its type does not fit`);
  return accepted === null || accepted.includes(named)
    ? ok([named])
    : err(`is for ${named}, which is not an accepted algorithm`);
};

/** Whether a key may verify signatures (RFC 7517, sections 4.2 and 4.3). */
const verifies = ({ use, key_ops: operations }: JsonObject): boolean =>
  (use === undefined || use === 'sig') &&
  (operations === undefined || (Array.isArray(operations) && operations.includes('verify')));

const isNumber = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maximumNumberLength;

/**
 * Reads a JWK (RFC 7517, section 4). A key without `alg` yields one key per usable algorithm; a key with `alg` yields
 * one.
 * @param accepted null: every named algorithm; for keys without `alg`, RS256 or the algorithm of the curve
 * @returns the error is one clause, without any of the key
 */
export const readPublicKeys = (
  jwk: JsonObject,
  accepted: readonly AsymmetricAlgorithm[] | null,
): Result<readonly PublicKey[], string> => {
  const kid = jwk['kid'];
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > maximumKidLength)) return err('has no usable kid');
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) return err('has secret members');
  const kind = kindOf(jwk);
  if (!kind.ok) return kind;
  if (!verifies(jwk)) return err('is not for signatures');
  const algorithms = algorithmsOf(jwk, kind.value, accepted);
  if (!algorithms.ok) return algorithms;
  const bare: Record<string, JsonValue> = { kty: jwk['kty'] as string };
  if (kind.value !== rsa) bare['crv'] = jwk['crv'] as string;
  for (const name of kind.value.numbers) {
    const number = jwk[name];
    if (!isNumber(number)) return err(`has no usable member ${name}`);
    bare[name] = number;
  }
  return ok(
    algorithms.value.map((algorithm) => {
      const key = { kid: kid ?? null, algorithm, jwk: bare };
      return { ...key, identity: JSON.stringify([key.kid, algorithm, bare]) };
    }),
  );
};
