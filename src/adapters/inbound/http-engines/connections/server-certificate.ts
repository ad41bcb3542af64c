import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import type { TlsCertificate } from '../../../../application/ports/gateway/http-engine.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { ordinal, readCertificates } from './read-certificates.js';

/** Finds out whether a certificate, its intermediates and its key belong together. Gives the certificate first. */
export const checkServerCertificate = ({
  chain,
  privateKey,
}: TlsCertificate): Result<readonly [X509Certificate, ...X509Certificate[]], string> => {
  const read = readCertificates(chain);
  if (!read.ok) return err(`the certificate file ${read.error}`);
  const [leaf, ...others] = read.value as readonly [X509Certificate, ...X509Certificate[]];
  const key = readKey(privateKey.reveal());
  if (!key.ok) return key;
  if (!leaf.checkPrivateKey(key.value)) {
    const belongs = others.some((certificate) => certificate.checkPrivateKey(key.value));
    return err(
      belongs
        ? 'the certificate of the private key has to be the first in its file'
        : 'the private key does not belong to the certificate',
    );
  }
  const chained = [leaf, ...others] as const;
  const broken = others.findIndex((issuer, index) => !hasIssued(issuer, chained[index] as X509Certificate));
  return broken < 0
    ? ok(chained)
    : err(`the chain is out of order: its ${ordinal(broken + 1)} certificate has not issued the one before it`);
};

const hasIssued = (issuer: X509Certificate, child: X509Certificate): boolean => {
  try {
    return child.checkIssued(issuer) && child.verify(issuer.publicKey);
  } catch {
    // A key that this library cannot use has signed nothing that it could check.
    return false;
  }
};

const readKey = (pem: string): Result<KeyObject, string> => {
  // PKCS #8 and the older form of OpenSSL.
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    return err('the private key is encrypted; it has to be stored without a pass phrase');
  }
  try {
    return ok(createPrivateKey({ key: pem, format: 'pem' }));
  } catch {
    // What the library says may quote what it could not read.
    return err('the key file holds no private key in PEM that can be read');
  }
};
