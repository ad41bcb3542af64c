import type { PasswordVerifier } from '../../../application/ports/agent/password-verifier.js';
import { bcryptPasswordOctets } from '../../../domain/agent/identity/bcrypt-hash.js';
import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { loadModule, type NativeModules, nativeModules } from './native-modules.js';
import { matchesScrypt } from './openssl-scrypt.js';

/**
 * Verifies bcrypt and argon2id (native modules) and scrypt (OpenSSL) hashes. Runs in libuv's
 * threads and does not block the event loop.
 */
export class NativePasswordVerifier implements PasswordVerifier {
  readonly #modules: NativeModules;

  constructor(modules: NativeModules = nativeModules) {
    this.#modules = modules;
  }

  async prepare({ kind }: PasswordHash): Promise<Result<void, string>> {
    if (kind === 'scrypt') return ok(undefined);
    const { bcrypt, argon2 } = this.#modules;
    const loaded = await (kind === 'bcrypt' ? loadModule('bcrypt', bcrypt) : loadModule('argon2', argon2));
    return loaded.ok ? ok(undefined) : loaded;
  }

  async matches(password: string, { kind, text }: PasswordHash): Promise<Result<boolean, string>> {
    try {
      if (kind === 'bcrypt') return ok(await this.#matchesBcrypt(password, text.reveal()));
      if (kind === 'scrypt') return ok(await matchesScrypt(password, text.reveal()));
      const { verify } = await this.#modules.argon2();
      return ok(await verify(text.reveal(), password));
    } catch {
      // Omits the module's message, which may contain secrets.
      return err(`${kind} failed: memory may be short, or the package is missing`);
    }
  }

  async #matchesBcrypt(password: string, text: string): Promise<boolean> {
    const { verify } = await this.#modules.bcrypt();
    const matches = await verify(password, text);
    // bcrypt ignores octets after the 72nd; a longer password must not match.
    return matches && Buffer.byteLength(password, 'utf8') <= bcryptPasswordOctets;
  }
}
