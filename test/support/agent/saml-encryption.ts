import { createCipheriv, randomBytes } from 'node:crypto';
import { encryptKeyInfo } from 'xml-encryption';
import { type SamlKey, spKey } from './saml-keys.js';

const xenc = 'http://www.w3.org/2001/04/xmlenc#';
const xenc11 = 'http://www.w3.org/2009/xmlenc11#';

export const cipherUris = {
  aes128Gcm: `${xenc11}aes128-gcm`,
  aes192Gcm: `${xenc11}aes192-gcm`,
  aes256Gcm: `${xenc11}aes256-gcm`,
  aes128Cbc: `${xenc}aes128-cbc`,
  aes256Cbc: `${xenc}aes256-cbc`,
  tripleDes: `${xenc}tripledes-cbc`,
} as const;
export type CipherUri = (typeof cipherUris)[keyof typeof cipherUris];

const ciphers: Readonly<Record<CipherUri, { readonly name: string; readonly key: number; readonly iv: number }>> = {
  [cipherUris.aes128Gcm]: { name: 'aes-128-gcm', key: 16, iv: 12 },
  [cipherUris.aes192Gcm]: { name: 'aes-192-gcm', key: 24, iv: 12 },
  [cipherUris.aes256Gcm]: { name: 'aes-256-gcm', key: 32, iv: 12 },
  [cipherUris.aes128Cbc]: { name: 'aes-128-cbc', key: 16, iv: 16 },
  [cipherUris.aes256Cbc]: { name: 'aes-256-cbc', key: 32, iv: 16 },
  [cipherUris.tripleDes]: { name: 'des-ede3-cbc', key: 24, iv: 8 },
};

export const transportUris = {
  oaepMgf1p: `${xenc}rsa-oaep-mgf1p`,
  oaep: `${xenc11}rsa-oaep`,
  pkcs1: `${xenc}rsa-1_5`,
} as const;

export interface EncryptionPlan {
  readonly key?: SamlKey;
  readonly cipher?: CipherUri;
  readonly transport?: (typeof transportUris)[keyof typeof transportUris];
  /** Digest of OAEP. */
  readonly digest?: 'sha1' | 'sha256' | 'sha512';
  /** Mask of OAEP, where it can be chosen. */
  readonly mask?: 'sha1' | 'sha256' | 'sha512';
  /** What is done to the octets before they are written. */
  readonly tamper?: (octets: Buffer) => Buffer;
  /** The key beside the data instead of in it. */
  readonly keyBeside?: boolean;
}

const encryptedContent = (content: string, cipher: CipherUri, key: Buffer): Buffer => {
  const { name, iv: ivOctets } = ciphers[cipher];
  const iv = randomBytes(ivOctets);
  if (name.endsWith('gcm')) {
    const gcm = createCipheriv(name as 'aes-256-gcm', key, iv);
    return Buffer.concat([iv, gcm.update(content, 'utf8'), gcm.final(), gcm.getAuthTag()]);
  }
  const cbc = createCipheriv(name, key, iv);
  return Buffer.concat([iv, cbc.update(content, 'utf8'), cbc.final()]);
};

/** Types of the package know neither the newer algorithm nor its digests. */
type EncryptKeyInfo = (
  key: Buffer,
  options: Readonly<Record<string, unknown>>,
  callback: (error: Error | null, keyInfo: string) => void,
) => void;

const keyInfo = (
  key: Buffer,
  { key: owner = spKey(), transport = transportUris.oaepMgf1p, digest, mask }: EncryptionPlan,
) =>
  new Promise<string>((resolve, reject) => {
    const options = {
      rsa_pub: owner.publicKey.export({ type: 'spki', format: 'pem' }),
      pem: owner.certificatePem,
      keyEncryptionAlgorithm: transport,
      keyEncryptionDigest: digest ?? 'sha1',
      ...(mask === undefined ? {} : { keyEncryptionMgf: mask }),
      disallowEncryptionWithInsecureAlgorithm: false,
      warnInsecureAlgorithm: false,
    };
    (encryptKeyInfo as unknown as EncryptKeyInfo)(key, options, (error, text) =>
      error ? reject(error) : resolve(text),
    );
  });

/** An EncryptedAssertion of a text, as identity providers write it. */
export const encryptedAssertion = (content: string, plan: EncryptionPlan = {}): Promise<string> =>
  encryptedElement('EncryptedAssertion', content, plan);

/** An EncryptedID of a text. */
export const encryptedId = (content: string, plan: EncryptionPlan = {}): Promise<string> =>
  encryptedElement('EncryptedID', content, plan);

const encryptedElement = async (name: string, content: string, plan: EncryptionPlan): Promise<string> => {
  const { cipher = cipherUris.aes256Gcm, tamper = (octets: Buffer) => octets, keyBeside = false } = plan;
  const key = randomBytes(ciphers[cipher].key);
  const info = await keyInfo(key, plan);
  const octets = tamper(encryptedContent(content, cipher, key)).toString('base64');
  const inner = info.slice(
    info.indexOf('<e:EncryptedKey'),
    info.lastIndexOf('</e:EncryptedKey>') + '</e:EncryptedKey>'.length,
  );
  return [
    `<saml:${name} xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">`,
    `<xenc:EncryptedData xmlns:xenc="${xenc}" Type="${xenc}Element"><xenc:EncryptionMethod Algorithm="${cipher}"/>`,
    keyBeside ? '' : info,
    `<xenc:CipherData><xenc:CipherValue>${octets}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>`,
    keyBeside ? inner : '',
    `</saml:${name}>`,
  ].join('');
};
