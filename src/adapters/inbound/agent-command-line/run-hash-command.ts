import { hashKey } from '../../../application/agent/hash-secrets/hash-key.js';
import { hashPassword } from '../../../application/agent/hash-secrets/hash-password.js';
import type { KeyGenerator } from '../../../application/ports/agent/key-generator.js';
import type { PasswordHasher } from '../../../application/ports/agent/password-verifier.js';
import type { SecretDigest } from '../../../application/ports/shared/secret-digest.js';
import type { HashCommand } from './parse-hash-arguments.js';
import { readSecret, type SecretInput, type SecretReading } from './secret-input.js';

export interface HashCommandParts {
  readonly hasher: PasswordHasher;
  readonly digest: SecretDigest;
  readonly keys: KeyGenerator;
}

/** The streams of the process, by what goes through them. */
export interface HashCommandStreams {
  readonly secrets: SecretInput;
  /** Hashes and digests, one line. */
  readonly result: (text: string) => void;
  /** Everything that is for a person to read. */
  readonly messages: (text: string) => void;
}

/** What the command comes to: what a shell gets to know of it. */
type ExitCode = 0 | 1 | 2 | 130;
const interrupted: ExitCode = 130;

const complain = (message: string, exitCode: ExitCode, { messages }: HashCommandStreams): ExitCode => {
  messages(`error: ${message}\n`);
  return exitCode;
};

const unread = (reading: Exclude<SecretReading, { kind: 'read' }>, streams: HashCommandStreams): ExitCode =>
  reading.kind === 'cancelled' ? interrupted : complain(reading.message, 2, streams);

const runHashPassword = async (
  { algorithm, user }: Extract<HashCommand, { kind: 'hash-password' }>,
  { hasher }: HashCommandParts,
  streams: HashCommandStreams,
): Promise<ExitCode> => {
  const reading = await readSecret(['Password: ', 'The same again: '], streams.secrets, streams.messages);
  if (reading.kind !== 'read') return unread(reading, streams);
  const hashed = await hashPassword({ password: reading.text, algorithm, user }, hasher);
  if (!hashed.ok) return complain(hashed.error.message, hashed.error.kind === 'unfit' ? 2 : 1, streams);
  streams.result(`${hashed.value}\n`);
  return 0;
};

const runHashKey = async (
  { generate, name }: Extract<HashCommand, { kind: 'hash-key' }>,
  { digest, keys }: HashCommandParts,
  streams: HashCommandStreams,
): Promise<ExitCode> => {
  const reading: SecretReading = generate
    ? { kind: 'read', text: keys.newKey() }
    : await readSecret(['API key: '], streams.secrets, streams.messages);
  if (reading.kind !== 'read') return unread(reading, streams);
  const hashed = hashKey({ key: reading.text, name }, digest);
  if (!hashed.ok) return complain(hashed.error, 2, streams);
  if (generate) {
    streams.messages(`The key, shown this once and kept nowhere: ${reading.text}\n`);
    streams.messages(`Its entry for api-keys${name === null ? ', which lacks :<name>' : ''}:\n`);
  }
  streams.result(`${hashed.value}\n`);
  return 0;
};

/** Runs `hash-password` or `hash-key` and gives the exit code. No secret is written but the key that was made. */
export const runHashCommand = (
  command: HashCommand,
  parts: HashCommandParts,
  streams: HashCommandStreams,
): Promise<ExitCode> =>
  command.kind === 'hash-password' ? runHashPassword(command, parts, streams) : runHashKey(command, parts, streams);
