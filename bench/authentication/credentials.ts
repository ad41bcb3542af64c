import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Tokens that go round, so that what is remembered is a cache and not one entry. */
export const tokenCount = 1_000;

export const issuer = 'https://id.bench.example';
export const audience = 'bench';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface SigningKey {
  readonly algorithm: 'HS256' | 'RS256' | 'PS256' | 'ES256' | 'EdDSA';
  readonly kid: string;
  readonly privateKey: KeyObject | Buffer;
  /** Null for a shared secret. */
  readonly publicKey: KeyObject | null;
}

const pairOf = (algorithm: Exclude<SigningKey['algorithm'], 'HS256'>) => {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
};

export const signingKey = (algorithm: SigningKey['algorithm']): SigningKey => {
  if (algorithm === 'HS256') {
    return { algorithm, kid: 'shared', privateKey: Buffer.from(randomBytes(32).toString('hex')), publicKey: null };
  }
  const { privateKey, publicKey } = pairOf(algorithm);
  return { algorithm, kid: `bench-${algorithm}`, privateKey, publicKey };
};

const signature = ({ algorithm, privateKey }: SigningKey, input: string): string => {
  const octets = Buffer.from(input);
  if (Buffer.isBuffer(privateKey)) return createHmac('sha256', privateKey).update(octets).digest('base64url');
  const key = privateKey as KeyObject;
  if (algorithm === 'EdDSA') return sign(null, octets, key).toString('base64url');
  if (algorithm === 'ES256') return sign('sha256', octets, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  if (algorithm === 'PS256') return sign('sha256', octets, { key, padding: 6, saltLength: 32 }).toString('base64url');
  return sign('sha256', octets, key).toString('base64url');
};

/** Access tokens as providers issue them: about 700 octets, good for an hour. */
export const tokensOf = (key: SigningKey): readonly string[] => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return Array.from({ length: tokenCount }, (_, index) => {
    const claims = {
      iss: issuer,
      aud: [audience, 'account'],
      sub: `user-${index}`,
      azp: 'shop-web',
      scope: 'openid read write',
      email: `user-${index}@bench.example`,
      realm_access: { roles: ['reader', 'editor', 'offline_access'] },
      jti: randomBytes(16).toString('hex'),
      iat: nowSeconds,
      exp: nowSeconds + 3600,
    };
    const input = `${part({ alg: key.algorithm, typ: 'JWT', kid: key.kid })}.${part(claims)}`;
    return `${input}.${signature(key, input)}`;
  });
};
