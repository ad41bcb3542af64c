import type { BasicUser } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentParts } from './agent-parts.js';
import { prepareHashes } from './prepare-hashes.js';

/** Makes sure that the kinds of hashes that are configured can be checked here. */
export const preparePasswords = (
  users: readonly BasicUser[],
  parts: Pick<AgentParts, 'passwords'>,
): Promise<readonly AgentOptionProblem[]> => {
  const hashes = users.map(({ password }) => password).filter((password) => password.kind !== 'plain');
  return prepareHashes(hashes, 'basic-auth-users', 'passwords', parts);
};
