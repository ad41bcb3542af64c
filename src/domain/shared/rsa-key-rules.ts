/** Bits of a modulus: fewer are broken (RFC 7518, section 3.3), more make each signature that is checked a burden. */
const minimumBits = 2048;
const maximumBits = 8192;
/** Exponents are odd, and from here to below there: 1 signs nothing, and huge ones cost as a private key does. */
const minimumExponent = 3n;
const exponentLimit = 1n << 32n;

/**
 * Why signatures are not believed that an RSA key has made, as in `an RSA key of 1024 bits; ...`; null where they
 * are.
 */
export const rsaKeyFault = (bits: number, exponent: bigint): string | null => {
  if (bits < minimumBits) return `an RSA key of ${bits} bits; ${minimumBits} are needed at least`;
  if (bits > maximumBits) return `an RSA key of ${bits} bits; ${maximumBits} are allowed at most`;
  const isSane = exponent >= minimumExponent && exponent < exponentLimit && (exponent & 1n) === 1n;
  return isSane ? null : 'an RSA key whose exponent is even, too small or too large';
};

/** Whether it takes too long to check a signature by an RSA key at all. */
export const isBurdensomeRsaKey = (bits: number, exponent: bigint): boolean =>
  bits > maximumBits || exponent >= exponentLimit;
