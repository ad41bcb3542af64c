import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import { looksHashed, readPasswordHash } from '../identity/password-hash-rules.js';
import type { ClientSecret } from './token-exchange-options.js';

const digestPrefix = 'sha256:';
const hexadecimalDigest = /^[0-9a-f]{64}$/i;
const namedDigest = /^[0-9a-f]{64}:[\x20-\x7e]{1,64}$/i;
/** RFC 6749, appendix A.2. */
const printable = /^[\x20-\x7e]+$/;

/** Octets that a secret, which is sent as it is, has at the least without a warning. */
export const shortestClientSecret = 16;

/**
 * Reads the secret of a client: `sha256:<digest>`, a password hash, or the secret itself. The error is the end of a sentence that
 * begins with the secret; it holds nothing of it.
 */
export const parseClientSecret = (secret: Secret): Result<ClientSecret, string> => {
  const text = secret.reveal();
  // It may be a slip, or the end of the secret: to drop it would be a guess.
  if (text !== text.trim()) return err('begins or ends with white space: remove it');
  if (text.toLowerCase().startsWith(digestPrefix)) {
    const digest = text.slice(digestPrefix.length);
    // What `hash-key --name` prints, for an API key.
    if (namedDigest.test(digest)) {
      return err('has a name behind its digest, as the entry of an API key: leave out :<name>');
    }
    if (!hexadecimalDigest.test(digest)) return err('has no 64 hexadecimal digits after sha256:');
    return ok({ kind: 'sha256', digest: new Secret(digest.toLowerCase()) });
  }
  if (looksHashed(text)) return readPasswordHash(text);
  if (!printable.test(text)) return err('has characters other than printable ASCII');
  return ok({ kind: 'plain', text: secret });
};

/** The same text for the same secret, where it is kept in the same way. It is as secret as that. */
export const clientSecretText = (secret: ClientSecret): string =>
  `${secret.kind} ${(secret.kind === 'sha256' ? secret.digest : secret.text).reveal()}`;
