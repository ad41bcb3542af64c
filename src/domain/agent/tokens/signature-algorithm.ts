/** Signature algorithms with a key pair (RFC 7518, section 3.1; RFC 8037, section 3.1), as tokens name them. */
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

/** Algorithms that tokens are signed with here. */
export const signingAlgorithms = ['RS256', 'ES256', 'HS256', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/**
 * Names that mean one of these alone: Ed25519 is what EdDSA is with the one curve of it that is taken (RFC 9864,
 * section 2.2).
 */
const otherNames: ReadonlyMap<unknown, AsymmetricAlgorithm> = new Map([['Ed25519', 'EdDSA']]);

/** The algorithm that an `alg` names, of a token or of a key; null where it is none of these. */
export const asymmetricAlgorithmOf = (alg: unknown): AsymmetricAlgorithm | null =>
  asymmetricAlgorithms.find((known) => known === alg) ?? otherNames.get(alg) ?? null;
