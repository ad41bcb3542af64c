/** Character classes of RFC 9110 and RFC 9112: 1 for allowed octets. */
const table = (may: (octet: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, octet) => (may(octet) ? 1 : 0));

export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const colon = 0x3a;

const isLetter = (octet: number): boolean => (octet >= 0x41 && octet <= 0x5a) || (octet >= 0x61 && octet <= 0x7a);
const isDigit = (octet: number): boolean => octet >= 0x30 && octet <= 0x39;

const tokenMarks: ReadonlySet<number> = new Set(Array.from("!#$%&'*+-.^_`|~", (mark) => mark.charCodeAt(0)));

/** `tchar` (RFC 9110, section 5.6.2): methods and field names. */
export const tokenOctets = table((octet) => isLetter(octet) || isDigit(octet) || tokenMarks.has(octet));

/** A request-target: visible US-ASCII (RFC 3986). */
export const targetOctets = table((octet) => octet > 0x20 && octet < 0x7f);

/** `field-vchar`, space and tab (RFC 9110, section 5.5). */
export const valueOctets = table((octet) => octet === tab || (octet >= 0x20 && octet !== 0x7f));

/** Whether a text consists of these octets only, one character each. */
export const isOf = (text: string, characters: Uint8Array): boolean => {
  // INVARIANT: the table has 256 entries; a character above 0xff must not alias another octet.
  for (let at = 0; at < text.length; at += 1) if (characters[text.charCodeAt(at)] !== 1) return false;
  return true;
};

/**
 * Offset of the first octet that a value must not contain. Most octets are allowed, so four are
 * tested at a time.
 */
export const behindValue = (octets: Uint8Array, start: number, end: number): number => {
  let at = start;
  while (at + 3 < end) {
    const a = octets[at] as number;
    const b = octets[at + 1] as number;
    const c = octets[at + 2] as number;
    const d = octets[at + 3] as number;
    // Negative if one is a control character; tab, the only valid one, is checked below.
    const noControl = (a - 0x20) | (b - 0x20) | (c - 0x20) | (d - 0x20);
    const noDelete = ((a ^ 0x7f) - 1) | ((b ^ 0x7f) - 1) | ((c ^ 0x7f) - 1) | ((d ^ 0x7f) - 1);
    if ((noControl | noDelete) < 0) break;
    at += 4;
  }
  while (at < end && valueOctets[octets[at] as number] === 1) at += 1;
  return at;
};

/** Values of hexadecimal digits; 255 for other octets. */
export const hexadecimalValues = Uint8Array.from({ length: 256 }, (_, octet) => {
  if (isDigit(octet)) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 255;
});

const prefix = [0x48, 0x54, 0x54, 0x50, 0x2f];
const dot = 0x2e;

/** Octets of an HTTP version (RFC 9112, section 2.3). */
export const versionLength = 8;

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
