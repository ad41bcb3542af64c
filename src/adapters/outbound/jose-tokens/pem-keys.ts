import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { err, ok, type Result } from '../../../domain/shared/result.js';

const opening = '-----BEGIN ';

/**
 * Labels of the blocks of a file (RFC 7468, section 2), as in `EC PRIVATE KEY`; empty: it is no
 * PEM.
 */
const labels = (pem: string): readonly string[] =>
  pem
    .split(opening)
    .slice(1)
    .map((block) => block.slice(0, Math.max(0, block.indexOf('-----'))));

const isPrivate = (label: string): boolean => label.includes('PRIVATE KEY');
const isPublic = (label: string): boolean => label.includes('PUBLIC KEY') || label.includes('CERTIFICATE');

export const isPem = (text: string): boolean => text.includes(opening);
export const holdsPrivateKey = (pem: string): boolean => labels(pem).some(isPrivate);

/**
 * The one private key of a file: PKCS #8, PKCS #1 or SEC 1, without a pass phrase. Nothing beside
 * it is read.
 */
export const readPrivatePem = (pem: string): Result<KeyObject, string> => {
  const found = labels(pem);
  const count = found.filter(isPrivate).length;
  if (count === 0) {
    return err(
      found.some(isPublic)
        ? 'holds a public key alone; the private one is needed to sign'
        : 'holds no private key in PEM form',
    );
  }
  if (count > 1) return err('holds several private keys; one is needed');
  if (found.includes('ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    return err('holds a private key under a pass phrase; one without it is needed');
  }
  try {
    return ok(createPrivateKey(pem));
  } catch {
    return err('holds a private key that cannot be read');
  }
};

/** A public key: SPKI, PKCS #1 or a certificate. */
export const readPublicPem = (pem: string): Result<KeyObject, string> => {
  // A public key could be derived from a private one, but a verifier that holds one is a leak in
  // waiting.
  if (pem.includes('PRIVATE KEY')) return err('holds a private key; the public one is needed');
  try {
    return ok(createPublicKey(pem));
  } catch {
    return err('holds no public key in PEM form');
  }
};

/**
 * The same of a file that has to hold this one key alone, so that nobody takes a second one to
 * count.
 */
export const readOnePublicPem = (pem: string): Result<KeyObject, string> =>
  labels(pem).filter(isPublic).length > 1
    ? err('holds several public keys or certificates; one is needed')
    : readPublicPem(pem);
