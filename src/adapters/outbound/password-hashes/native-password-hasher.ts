import type { PasswordHasher } from '../../../application/ports/agent/password-verifier.js';
import { newHashCosts, type PasswordAlgorithm } from '../../../domain/agent/identity/new-password.js';
import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import { loadModule, type NativeModules, nativeModules } from './native-modules.js';
import { hashWithScrypt } from './openssl-scrypt.js';

/** Hashes with bcrypt and argon2id (native modules) or scrypt (OpenSSL). */
export class NativePasswordHasher implements PasswordHasher {
  readonly #modules: NativeModules;

  constructor(modules: NativeModules = nativeModules) {
    this.#modules = modules;
  }

  async hash(password: string, algorithm: PasswordAlgorithm): Promise<Result<PasswordHash, string>> {
    try {
      const text = await this.#text(password, algorithm);
      return text.ok ? ok({ kind: algorithm, text: new Secret(text.value) }) : text;
    } catch {
      return err(`${algorithm} failed: memory may be short`);
    }
  }

  async #text(password: string, algorithm: PasswordAlgorithm): Promise<Result<string, string>> {
    if (algorithm === 'scrypt') return ok(await hashWithScrypt(password, newHashCosts.scrypt));
    if (algorithm === 'bcrypt') {
      const bcrypt = await loadModule('bcrypt', this.#modules.bcrypt);
      return bcrypt.ok ? ok(await bcrypt.value.hash(password, newHashCosts.bcrypt)) : bcrypt;
    }
    const argon2 = await loadModule('argon2', this.#modules.argon2);
    if (!argon2.ok) return argon2;
    const { memoryKib, passes, lanes } = newHashCosts.argon2id;
    // The package's default is argon2id, version 1.3, with 16 octets of salt.
    return ok(await argon2.value.hash(password, { memoryCost: memoryKib, timeCost: passes, parallelism: lanes }));
  }
}
