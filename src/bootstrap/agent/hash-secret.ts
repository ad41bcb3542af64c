import type { HashCommand } from '../../adapters/inbound/agent-command-line/parse-hash-arguments.js';
import { runHashCommand } from '../../adapters/inbound/agent-command-line/run-hash-command.js';
import { HmacSecretDigest } from '../../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { CryptoKeyGenerator } from '../../adapters/outbound/node-random/crypto-random.js';
import { NativePasswordHasher } from '../../adapters/outbound/password-hashes/native-password-hasher.js';

/**
 * Runs `gateway-auth hash-password` and `hash-key` with this process's streams. Resolves with the
 * exit code.
 */
export const hashSecret = (command: HashCommand): Promise<number> =>
  runHashCommand(
    command,
    { hasher: new NativePasswordHasher(), digest: new HmacSecretDigest(), keys: new CryptoKeyGenerator() },
    {
      stdin: process.stdin,
      stdout: (text) => void process.stdout.write(text),
      stderr: (text) => void process.stderr.write(text),
    },
  );
