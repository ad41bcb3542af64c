import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SessionSecrets } from '../../../application/ports/agent/session-secrets.js';
import {
  nonceOctets,
  readSealedSecret,
  tagOctets,
  writeSealedSecret,
} from '../../../domain/agent/sessions/sealed-secret.js';

const algorithm = 'aes-256-gcm';
const keyOctets = 32;

/** The session id has 256 random bits, so HKDF needs no salt (RFC 5869, section 3.1). */
const keyOf = (sessionId: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', sessionId, '', `portcullis session ${use}`, keyOctets));

/** AES-256-GCM with a key of HKDF-SHA-256 (RFC 5869) from the session id, one key for each use. */
export class CryptoSessionSecrets implements SessionSecrets {
  seal(sessionId: string, use: string, text: string): string {
    const nonce = randomBytes(nonceOctets);
    const cipher = createCipheriv(algorithm, keyOf(sessionId, use), nonce, { authTagLength: tagOctets });
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return writeSealedSecret({ nonce, tag: cipher.getAuthTag(), ciphertext });
  }

  open(sessionId: string, use: string, sealed: string): string | null {
    const read = readSealedSecret(sealed);
    if (read === null) return null;
    const decipher = createDecipheriv(algorithm, keyOf(sessionId, use), read.nonce, { authTagLength: tagOctets });
    decipher.setAuthTag(read.tag);
    try {
      return Buffer.concat([decipher.update(read.ciphertext), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}
