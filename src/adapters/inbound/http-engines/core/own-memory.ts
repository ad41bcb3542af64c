/** Octets: a copy of fewer is made in memory that several share. */
const smallOctets = 2_048;

/**
 * The same octets where they are at least half of the memory that they lie in, else a copy: what is held counts by its
 * octets, and must not keep much more than those. However often a piece is cut, all copies together are no longer than it.
 */
export const inOwnMemory = (octets: Buffer): Buffer => {
  if (octets.length * 2 >= octets.buffer.byteLength) return octets;
  if (octets.length < smallOctets) return Buffer.from(octets);
  const own = Buffer.allocUnsafeSlow(octets.length);
  own.set(octets);
  return own;
};
