import { decodeBase64, encodeBase64Url } from '../../shared/base64.js';

/** Octets of the nonce and of the tag of AES-256-GCM (NIST SP 800-38D, section 5.2.1). */
export const nonceOctets = 12;
export const tagOctets = 16;

/** The first octet: how the rest is encrypted. Another way gets another number. */
const version = 1;

/** An encrypted text of a session. */
export interface SealedSecret {
  /** 12 octets, random, once for each text. */
  readonly nonce: Uint8Array;
  /** 16 octets. */
  readonly tag: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** Writes an encrypted text as stores keep it: version, nonce, tag and ciphertext in base64url. */
export const writeSealedSecret = ({ nonce, tag, ciphertext }: SealedSecret): string => {
  const octets = new Uint8Array(1 + nonceOctets + tagOctets + ciphertext.length);
  octets[0] = version;
  octets.set(nonce, 1);
  octets.set(tag, 1 + nonceOctets);
  octets.set(ciphertext, 1 + nonceOctets + tagOctets);
  return encodeBase64Url(octets);
};

/** Reads such a text; null: it is malformed or of another version. */
export const readSealedSecret = (text: string): SealedSecret | null => {
  const octets = decodeBase64(text, 'url');
  if (octets === null || octets.length < 1 + nonceOctets + tagOctets || octets[0] !== version) return null;
  return {
    nonce: octets.subarray(1, 1 + nonceOctets),
    tag: octets.subarray(1 + nonceOctets, 1 + nonceOctets + tagOctets),
    ciphertext: octets.subarray(1 + nonceOctets + tagOctets),
  };
};
