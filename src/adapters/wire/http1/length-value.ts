/** More digits could not be counted exactly. */
const maxDigits = 15;

/** The number that the value of a Content-Length is (RFC 9110, section 8.6): decimal digits alone; -1: it is none. */
export const lengthValue = (value: string): number => {
  const digits = value.length;
  if (digits === 0 || digits > maxDigits) return -1;
  let length = 0;
  for (let at = 0; at < digits; at += 1) {
    const digit = value.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
};
