import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { err, ok, type Result } from '../../../domain/shared/result.js';

const opening = '-----BEGIN ';

/**
 * Labels of the PEM blocks in a file (RFC 7468, section 2), such as `EC PRIVATE KEY`; empty if it
 * is not PEM.
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
 * The single private key of a file: PKCS #8, PKCS #1 or SEC 1, unencrypted. Ignores other blocks.
 */
export const readPrivatePem = (pem: string): Result<KeyObject, string> => {
  const found = labels(pem);
  const count = found.filter(isPrivate).length;
  if (count === 0) {
    return err(
      found.some(isPublic) ? 'holds only a public key; signing needs the private key' : 'holds no PEM private key',
    );
  }
  if (count > 1) return err('holds several private keys; use a file with one');
  if (found.includes('ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    return err('holds an encrypted private key; decrypt it first');
  }
  try {
    return ok(createPrivateKey(pem));
  } catch {
    return err('holds an unreadable private key');
  }
};

/** Reads a public key: SPKI, PKCS #1 or a certificate. */
export const readPublicPem = (pem: string): Result<KeyObject, string> => {
  // Refuses a private key, although it contains the public one: a verifier should not hold it.
  if (pem.includes('PRIVATE KEY')) return err('holds a private key; use the public key');
  try {
    return ok(createPublicKey(pem));
  } catch {
    return err('holds no PEM public key');
  }
};

/**
 * Reads a public key from a file with exactly one key, so that no second key is silently ignored.
 */
export const readOnePublicPem = (pem: string): Result<KeyObject, string> =>
  labels(pem).filter(isPublic).length > 1
    ? err('holds several public keys or certificates; use a file with one')
    : readPublicPem(pem);
