import { hashKey } from '../../../application/agent/hash-secrets/hash-key.js';
import { hashPassword } from '../../../application/agent/hash-secrets/hash-password.js';
import type { KeyGenerator } from '../../../application/ports/agent/key-generator.js';
import type { PasswordHasher } from '../../../application/ports/agent/password-verifier.js';
import type { SecretDigest } from '../../../application/ports/shared/secret-digest.js';
import type { HashCommand } from './parse-hash-arguments.js';
import { readSecret, type SecretInput, type SecretReading } from './secret-input.js';

export interface HashCommandPorts {
  readonly hasher: PasswordHasher;
  readonly digest: SecretDigest;
  readonly keys: KeyGenerator;
}

/**
 * The streams of the process. A prompt has to appear before its answer is read, so the output cannot wait for the
 * end.
 */
export interface HashCommandStreams {
  readonly stdin: SecretInput;
  /** Gets the hash or the digest. */
  readonly stdout: (text: string) => void;
  /** Gets prompts and messages. */
  readonly stderr: (text: string) => void;
}

type ExitCode = 0 | 1 | 2 | 130;
const interrupted: ExitCode = 130;

const fail = (message: string, exitCode: ExitCode, { stderr }: HashCommandStreams): ExitCode => {
  stderr(`error: ${message}\n`);
  return exitCode;
};

const failRead = (reading: Exclude<SecretReading, { kind: 'read' }>, streams: HashCommandStreams): ExitCode =>
  reading.kind === 'cancelled' ? interrupted : fail(reading.message, 2, streams);

const runHashPassword = async (
  { algorithm, user }: Extract<HashCommand, { kind: 'hash-password' }>,
  { hasher }: HashCommandPorts,
  streams: HashCommandStreams,
): Promise<ExitCode> => {
  const reading = await readSecret(['Password: ', 'Repeat the password: '], streams.stdin, streams.stderr);
  if (reading.kind !== 'read') return failRead(reading, streams);
  const hashed = await hashPassword({ password: reading.text, algorithm, user }, hasher);
  if (!hashed.ok) return fail(hashed.error.message, hashed.error.kind === 'unfit' ? 2 : 1, streams);
  streams.stdout(`${hashed.value}\n`);
  return 0;
};

const runHashKey = async (
  { generate, name }: Extract<HashCommand, { kind: 'hash-key' }>,
  { digest, keys }: HashCommandPorts,
  streams: HashCommandStreams,
): Promise<ExitCode> => {
  const reading: SecretReading = generate
    ? { kind: 'read', text: keys.newKey() }
    : await readSecret(['API key: '], streams.stdin, streams.stderr);
  if (reading.kind !== 'read') return failRead(reading, streams);
  const hashed = hashKey({ key: reading.text, name }, digest);
  if (!hashed.ok) return fail(hashed.error, 2, streams);
  if (generate) {
    streams.stderr(`The key, shown only once and stored nowhere: ${reading.text}\n`);
    streams.stderr(`Its entry for api-keys${name === null ? ', which lacks :<name>' : ''}:\n`);
  }
  streams.stdout(`${hashed.value}\n`);
  return 0;
};

/** Runs `hash-password` or `hash-key`. Resolves to the exit code. The only secret that it writes is a generated key. */
export const runHashCommand = (
  command: HashCommand,
  ports: HashCommandPorts,
  streams: HashCommandStreams,
): Promise<ExitCode> =>
  command.kind === 'hash-password' ? runHashPassword(command, ports, streams) : runHashKey(command, ports, streams);
