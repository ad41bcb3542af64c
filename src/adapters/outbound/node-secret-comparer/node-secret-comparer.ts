import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretComparer } from '../../../application/ports/shared/secret-digest.js';

/** Compares HMACs under a random key, so that timing reveals neither content nor length. */
export const nodeSecretComparer = (): SecretComparer => {
  const key = randomBytes(32);
  const digest = (octets: Buffer): Buffer => createHmac('sha256', key).update(octets).digest();
  return (given, secret) => timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(Buffer.from(secret.reveal())));
};
