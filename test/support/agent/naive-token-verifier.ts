import { createHmac, createPublicKey, type JsonWebKey, type KeyObject, verify, X509Certificate } from 'node:crypto';

/** What a token says of itself, read as carelessly as can be. */
interface CarelesslyRead {
  readonly header: Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly signature: Buffer;
}

/** Takes whatever Node takes for base64 and for JSON. Throws where not even that will do. */
export const readCarelessly = (token: string): CarelesslyRead => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64').toString()) as Record<string, unknown>;
  decode(payload);
  return {
    header: decode(header),
    input: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64'),
  };
};

/** RSA_PKCS1_PSS_PADDING, as OpenSSL numbers it. */
const pssPadding = 6;

/** Verifies by whatever algorithm the token's header names, with whatever key it is given. */
export const obeysTheHeader = (token: string, key: KeyObject | string): boolean => {
  const { header, input, signature } = readCarelessly(token);
  const algorithm = String(header['alg']).toUpperCase();
  if (algorithm === 'NONE') return true;
  const octets = Buffer.from(input);
  if (algorithm === 'HS256') {
    const secret = typeof key === 'string' ? key : key.export({ type: 'spki', format: 'pem' });
    return createHmac('sha256', secret).update(octets).digest().equals(signature);
  }
  if (typeof key === 'string') return false;
  if (algorithm.startsWith('ES')) return verify('sha256', octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
  return verify('sha256', octets, algorithm.startsWith('PS') ? { key, padding: pssPadding } : key, signature);
};

/** What an attacker's servers give out. */
export type AttackersServers = (url: string) => { readonly jwk?: unknown; readonly certificate?: Buffer };

/** Believes the key that the header brings or points to, whoever made it. */
export const believesTheHeader = (token: string, servers: AttackersServers): boolean => {
  const { header } = readCarelessly(token);
  const remote = servers(String(header['jku'] ?? header['x5u'] ?? ''));
  const jwk = header['jwk'] ?? remote.jwk;
  const chain = header['x5c'] as readonly string[] | undefined;
  const certificate = chain?.[0] === undefined ? remote.certificate : Buffer.from(chain[0], 'base64');
  const key =
    certificate === undefined
      ? createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
      : new X509Certificate(certificate).publicKey;
  return obeysTheHeader(token, key);
};
