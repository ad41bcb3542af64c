import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** Octets of an HS256 secret, at the least (RFC 7518, section 3.2). */
const minimumOctets = 32;

/** The octets of an HS256 secret, where there are enough of them. */
export const hmacSecret = (text: Secret): Result<Buffer, string> => {
  const octets = Buffer.from(text.reveal(), 'utf8');
  return octets.length < minimumOctets ? err(`has fewer than ${minimumOctets} bytes`) : ok(octets);
};
