import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const rsaPair = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength });
export const ecPair = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve });

export const publicPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** Signs a text as a JWS does. Made by hand, so that a test can sign what no library would. */
export const signInput = (algorithm: string, key: KeyObject | string, input: string): string => {
  const octets = Buffer.from(input);
  if (algorithm === 'HS256')
    return createHmac('sha256', key as string)
      .update(octets)
      .digest('base64url');
  if (algorithm === 'ES256') {
    return sign('sha256', octets, { key: key as KeyObject, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  }
  return sign('sha256', octets, key as KeyObject).toString('base64url');
};

/** A signed token; `header` is added to what a header needs. */
export const signToken = (
  algorithm: 'HS256' | 'RS256' | 'ES256',
  key: KeyObject | string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string => {
  const input = `${encode({ alg: algorithm, typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${input}.${signInput(algorithm, key, input)}`;
};
