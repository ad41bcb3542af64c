import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretComparer } from '../../../application/ports/shared/secret-digest.js';

/** Compares digests under a key of this process, so that neither content nor length shows in the time it takes. */
export const nodeSecretComparer = (): SecretComparer => {
  const key = randomBytes(32);
  const digest = (octets: Buffer): Buffer => createHmac('sha256', key).update(octets).digest();
  return (given, secret) => timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(Buffer.from(secret.reveal())));
};
