/** Asymmetric signature algorithms (RFC 7518, section 3.1; RFC 8037, section 3.1), as named in tokens. */
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export type AsymmetricAlgorithm = (typeof asymmetricAlgorithms)[number];

export type SignatureAlgorithm = AsymmetricAlgorithm | 'HS256';

/** Algorithms with which this agent signs tokens. */
export const signingAlgorithms = ['RS256', 'ES256', 'HS256', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** Aliases. Ed25519 equals EdDSA with its only supported curve (RFC 9864, section 2.2). */
const otherNames: ReadonlyMap<unknown, AsymmetricAlgorithm> = new Map([['Ed25519', 'EdDSA']]);

/** The algorithm that an `alg` of a token or key names; null if it is none of these. */
export const asymmetricAlgorithmOf = (alg: unknown): AsymmetricAlgorithm | null =>
  asymmetricAlgorithms.find((known) => known === alg) ?? otherNames.get(alg) ?? null;
