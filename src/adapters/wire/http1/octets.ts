/** Octets by what RFC 9110 and RFC 9112 let them stand for: 1 where an octet may, 0 where it may not. */
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

/** A request-target: visible US-ASCII (RFC 3986 has nothing else). */
export const targetOctets = table((octet) => octet > 0x20 && octet < 0x7f);

/** `field-vchar`, space and tab (RFC 9110, section 5.5). */
export const valueOctets = table((octet) => octet === tab || (octet >= 0x20 && octet !== 0x7f));

/** Values of hexadecimal digits; 255 for every other octet. */
export const hexadecimalValues = Uint8Array.from({ length: 256 }, (_, octet) => {
  if (isDigit(octet)) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 255;
});
