/** A JWS in compact form, taken apart for verification. */
export interface SignedParts {
  /** What the signature is over: the first two parts with the dot between them (RFC 7515, section 5.2). */
  readonly input: Buffer;
  readonly signature: Buffer;
}

/**
 * Takes a token apart. Null where it has not three parts, or where its signature is not exactly `signatureOctets` long in
 * the one canonical spelling: Node's decoder alone would forgive padding, foreign characters and leftover bits.
 */
export const signedParts = (token: string, signatureOctets: number): SignedParts | null => {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  const text = token.slice(second + 1);
  if (first < 0 || second < 0 || text.length !== Math.ceil((signatureOctets * 4) / 3)) return null;
  const signature = Buffer.from(text, 'base64url');
  if (signature.length !== signatureOctets || signature.toString('base64url') !== text) return null;
  return { input: Buffer.from(token.slice(0, second), 'utf8'), signature };
};
