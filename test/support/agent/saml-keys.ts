import { generateKeyPairSync } from 'node:crypto';
import { certificatePem, selfSignedCertificate } from './self-signed-certificate.js';
import type { KeyPair } from './test-tokens.js';

/** A key with its self-signed certificate, of an identity provider or of a service provider. */
export interface SamlKey extends KeyPair {
  readonly kind: 'rsa' | 'ec';
  /** PKCS #8. */
  readonly privatePem: string;
  readonly certificatePem: string;
  /** DER in base64, as configuration and metadata hold it. */
  readonly certificate: string;
}

const samlKey = (kind: SamlKey['kind'], pair: KeyPair, name: string): SamlKey => {
  const der = selfSignedCertificate(pair, name);
  return {
    ...pair,
    kind,
    privatePem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: certificatePem(der),
    certificate: der.toString('base64'),
  };
};

export const rsaSamlKey = (name = 'rsa', modulusLength = 2048): SamlKey =>
  samlKey('rsa', generateKeyPairSync('rsa', { modulusLength }), name);

export const ecSamlKey = (name = 'ec', namedCurve: 'P-256' | 'P-384' | 'P-521' | 'secp256k1' = 'P-256'): SamlKey =>
  samlKey('ec', generateKeyPairSync('ec', { namedCurve }), name);

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The key that the identity provider of the tests signs with; made once in a process, as the next ones are. */
export const idpKey = once(() => rsaSamlKey('idp'));
export const idpEcKey = once(() => ecSamlKey('idp-ec'));
/** Of somebody else: nobody trusts it. */
export const strangerKey = once(() => rsaSamlKey('stranger'));
/** The service provider's: what is encrypted is for this key. */
export const spKey = once(() => rsaSamlKey('sp'));
