const prefix = [0x48, 0x54, 0x54, 0x50, 0x2f];
const dot = 0x2e;

/** Octets of an HTTP version (RFC 9112, section 2.3). */
export const versionLength = 8;

const isDigit = (octet: number): boolean => octet >= 0x30 && octet <= 0x39;

/**
 * Minor version of `HTTP/1.0` or `HTTP/1.1`; -1: another version, -2: malformed. Requires
 * `versionLength` octets.
 */
export const readVersion = (octets: Uint8Array, at: number): 0 | 1 | -1 | -2 => {
  for (let index = 0; index < prefix.length; index += 1) if (octets[at + index] !== prefix[index]) return -2;
  const major = octets[at + 5] as number;
  const minor = octets[at + 7] as number;
  if (!isDigit(major) || octets[at + 6] !== dot || !isDigit(minor)) return -2;
  if (major !== 0x31) return -1;
  if (minor === 0x31) return 1;
  return minor === 0x30 ? 0 : -1;
};

/** Whether an incomplete version can still become valid. */
export const canBeVersion = (octets: Uint8Array, at: number, end: number): boolean => {
  for (let index = 0; index < prefix.length && at + index < end; index += 1) {
    if (octets[at + index] !== prefix[index]) return false;
  }
  return true;
};
