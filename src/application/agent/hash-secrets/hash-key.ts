import { keyNameFault, newApiKeyFault } from '../../../domain/agent/identity/new-api-key.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';

export interface GeneratedApiKey {
  readonly key: string;
  /** Null: the digest alone is wanted. */
  readonly name: string | null;
}

/**
 * Hashes an API key. What comes of it is `sha256:<digest>`, or with a name the entry `sha256:<digest>:<name>`, for
 * api-keys. The error is one clause, with nothing of the key.
 */
export const hashKey = ({ key, name }: GeneratedApiKey, digest: SecretDigest): Result<string, string> => {
  const fault = (name === null ? null : keyNameFault(name)) ?? newApiKeyFault(key);
  if (fault !== null) return err(fault);
  const text = `sha256:${digest.sha256Hex(key)}`;
  return ok(name === null ? text : `${text}:${name}`);
};
