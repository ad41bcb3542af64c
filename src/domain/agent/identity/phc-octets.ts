import type { PhcString } from './phc-string.js';

const saltOctets = { least: 8, most: 48 } as const;
const digestOctets = { least: 16, most: 64 } as const;

/** What is wrong with the lengths of salt and digest, as the end of a sentence; null where nothing is. */
export const phcOctetsFault = ({ salt, digest }: PhcString): string | null => {
  if (salt.length < saltOctets.least || salt.length > saltOctets.most) {
    return `whose salt has not ${saltOctets.least} to ${saltOctets.most} octets`;
  }
  if (digest.length < digestOctets.least || digest.length > digestOctets.most) {
    return `whose digest has not ${digestOctets.least} to ${digestOctets.most} octets`;
  }
  return null;
};

/** So many zero octets as a PHC string has them: base64 without its padding. */
export const zeroOctets = (count: number): string => 'A'.repeat(Math.ceil((count * 4) / 3));
