/** Octets; smaller copies share memory. */
const smallOctets = 2_048;

/**
 * Returns `octets` if they fill at least half of their memory, else a copy. Retained memory stays
 * close to the counted octets; all copies of a chunk together are no longer than it.
 */
export const compactCopy = (octets: Buffer): Buffer => {
  if (octets.length * 2 >= octets.buffer.byteLength) return octets;
  if (octets.length < smallOctets) return Buffer.from(octets);
  const own = Buffer.allocUnsafeSlow(octets.length);
  own.set(octets);
  return own;
};
