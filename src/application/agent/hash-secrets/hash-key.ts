import { keyNameFault, newApiKeyFault } from '../../../domain/agent/identity/new-api-key.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';

export interface GeneratedApiKey {
  readonly key: string;
  /** Null: only the digest is wanted. */
  readonly name: string | null;
}

/**
 * Hashes an API key for api-keys. Returns `sha256:<digest>`, or with a name `sha256:<digest>:<name>`. The error is one
 * clause without any part of the key.
 */
export const hashKey = ({ key, name }: GeneratedApiKey, digest: SecretDigest): Result<string, string> => {
  const fault = (name === null ? null : keyNameFault(name)) ?? newApiKeyFault(key);
  if (fault !== null) return err(fault);
  const text = `sha256:${digest.sha256Hex(key)}`;
  return ok(name === null ? text : `${text}:${name}`);
};
