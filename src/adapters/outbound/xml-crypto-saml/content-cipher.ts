import { createDecipheriv } from 'node:crypto';

const gcm = 'http://www.w3.org/2009/xmlenc11#aes';

/** Content ciphers that are accepted, by URI (XML Encryption 1.1, section 5.2.4), with the octets of their keys. */
const contentCiphers: ReadonlyMap<
  string,
  { readonly cipher: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm'; readonly keyOctets: number }
> = new Map([
  [`${gcm}128-gcm`, { cipher: 'aes-128-gcm', keyOctets: 16 }],
  [`${gcm}192-gcm`, { cipher: 'aes-192-gcm', keyOctets: 24 }],
  [`${gcm}256-gcm`, { cipher: 'aes-256-gcm', keyOctets: 32 }],
]);

const ivOctets = 12;
const tagOctets = 16;

export const isContentCipher = (uri: string): boolean => contentCiphers.has(uri);

/**
 * Decrypts what an initialisation vector precedes and a tag follows; null where the tag, or the length of anything, is wrong.
 * Directly by node:crypto: xml-encryption has no AES-192, takes tags that are cut short, and mends text that is no UTF-8.
 */
export const decryptContent = (uri: string, key: Uint8Array, octets: Uint8Array): Uint8Array | null => {
  const known = contentCiphers.get(uri);
  if (known === undefined || key.length !== known.keyOctets || octets.length < ivOctets + tagOctets) return null;
  try {
    const decipher = createDecipheriv(known.cipher, key, octets.subarray(0, ivOctets), { authTagLength: tagOctets });
    decipher.setAuthTag(octets.subarray(octets.length - tagOctets));
    const begin = decipher.update(octets.subarray(ivOctets, octets.length - tagOctets));
    return Buffer.concat([begin, decipher.final()]);
  } catch {
    return null;
  }
};
