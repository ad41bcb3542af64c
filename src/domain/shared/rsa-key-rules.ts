/** Bits of a modulus. Fewer are insecure (RFC 7518, section 3.3); more make verification slow. */
const minimumBits = 2048;
const maximumBits = 8192;
/** Range of odd exponents. With an exponent of 1, anyone can forge signatures; a huge one is as slow as a private key. */
const minimumExponent = 3n;
const exponentLimit = 1n << 32n;

/** Why signatures of an RSA key are not accepted, as a clause; null: they are. */
export const rsaKeyFault = (bits: number, exponent: bigint): string | null => {
  if (bits < minimumBits) return `an RSA key of ${bits} bits; at least ${minimumBits} are required`;
  if (bits > maximumBits) return `an RSA key of ${bits} bits; at most ${maximumBits} are allowed`;
  const isValid = exponent >= minimumExponent && exponent < exponentLimit && (exponent & 1n) === 1n;
  return isValid ? null : 'an RSA key with an even, too small or too large exponent';
};

/** Whether verification with an RSA key takes too long. */
export const isBurdensomeRsaKey = (bits: number, exponent: bigint): boolean =>
  bits > maximumBits || exponent >= exponentLimit;
