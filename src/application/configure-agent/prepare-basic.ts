import type { AgentOptionProblem, BasicUser } from '../../domain/configuration/agent-configuration.js';
import type { PasswordHash } from '../../domain/identity/password-hash.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';

/** Makes sure that the kinds of hashes that are configured can be checked here. */
export const preparePasswords = async (
  users: readonly BasicUser[],
  { passwords }: AgentParts,
): Promise<readonly AgentOptionProblem[]> => {
  const kinds = new Map<string, PasswordHash>();
  for (const { password } of users) if (password.kind !== 'plain') kinds.set(password.kind, password);
  const problems: AgentOptionProblem[] = [];
  for (const hash of kinds.values()) {
    const prepared = await passwords.prepare(hash);
    if (prepared.ok) continue;
    const message = `${hash.kind} passwords cannot be checked here: ${prepared.error}`;
    problems.push(optionProblem('error', 'basic-auth-users', message));
  }
  return problems;
};
