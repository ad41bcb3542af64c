import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import type { TokenVerifier, VerificationKey, VerificationKeys } from '../../../application/ports/token-verifier.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { JoseTokenVerifier } from './jose-token-verifier.js';

/** Octets of an HS256 secret, at the least (RFC 7518, section 3.2). */
const minimumSecretOctets = 32;
/** Bits of an RSA modulus, at the least (RFC 7518, section 3.3). */
const minimumRsaBits = 2048;

const readPublicKey = (pem: string): Result<KeyObject, string> => {
  // A public key could be derived from a private one, but a verifier that holds one is a leak in waiting.
  if (pem.includes('PRIVATE KEY')) return err('holds a private key; the public one is needed');
  try {
    return ok(createPublicKey(pem));
  } catch {
    return err('holds no public key in PEM form');
  }
};

const unfitness = (key: KeyObject, algorithm: 'RS256' | 'ES256'): string | null => {
  const details = key.asymmetricKeyDetails;
  if (algorithm === 'RS256') {
    if (key.asymmetricKeyType !== 'rsa') return `holds a key of type ${key.asymmetricKeyType}, but RS256 needs RSA`;
    const bits = details?.modulusLength ?? 0;
    return bits < minimumRsaBits ? `holds an RSA key of ${bits} bits; ${minimumRsaBits} are needed at the least` : null;
  }
  if (key.asymmetricKeyType !== 'ec') return `holds a key of type ${key.asymmetricKeyType}, but ES256 needs P-256`;
  return details?.namedCurve === 'prime256v1'
    ? null
    : `holds a key on the curve ${details?.namedCurve}, but ES256 needs P-256`;
};

const webAlgorithms = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
} as const;

/**
 * Keys for jose: read from PEM (SPKI, PKCS #1, or an X.509 certificate) and checked against their algorithm. They are
 * imported here, once, because jose would do it again for each token.
 */
export class JoseVerificationKeys implements VerificationKeys {
  async prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>> {
    if (key.algorithm === 'HS256') {
      const secret = Buffer.from(key.secret.reveal(), 'utf8');
      if (secret.length < minimumSecretOctets) return err(`has fewer than ${minimumSecretOctets} bytes`);
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const imported = await webcrypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
      return ok(new JoseTokenVerifier('HS256', imported));
    }
    const publicKey = readPublicKey(key.publicKeyPem);
    if (!publicKey.ok) return publicKey;
    const unfit = unfitness(publicKey.value, key.algorithm);
    if (unfit !== null) return err(unfit);
    try {
      const spki = publicKey.value.export({ type: 'spki', format: 'der' });
      const imported = await webcrypto.subtle.importKey('spki', spki, webAlgorithms[key.algorithm], false, ['verify']);
      return ok(new JoseTokenVerifier(key.algorithm, imported));
    } catch {
      return err(`holds a key that cannot be used for ${key.algorithm}`);
    }
  }
}
