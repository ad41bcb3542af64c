import type { JwtOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { aboutOidc, looksLikeJson } from '../../../domain/agent/configuration/public-key-text.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';

/** Makes the configured key ready, from its file where it has one. */
export const prepareJwtKey = async (
  { key }: JwtOptions,
  { keys, files }: AgentParts,
): Promise<Result<TokenVerifier, AgentOptionProblem>> => {
  if (key.algorithm === 'HS256') {
    const verifier = await keys.prepare(key);
    return verifier.ok ? verifier : err(optionProblem('error', 'jwt-secret', `the secret ${verifier.error}`));
  }
  const pem = await files.read(key.publicKeyFile);
  const verifier = pem.ok ? await keys.prepare({ algorithm: key.algorithm, publicKeyPem: pem.value }) : pem;
  if (verifier.ok) return verifier;
  const problem = optionProblem('error', 'jwt-public-key', `the file ${key.publicKeyFile} ${verifier.error}`);
  return err(pem.ok && looksLikeJson(pem.value) ? { ...problem, suggestion: aboutOidc } : problem);
};
