import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';

/** Checks that this process can verify hashes of these kinds. `what`: the hashed secrets, as in `passwords`. */
export const prepareHashes = async (
  hashes: readonly PasswordHash[],
  option: AgentOptionProblem['option'],
  what: string,
  { passwords }: Pick<AgentProcessServices, 'passwords'>,
): Promise<readonly AgentOptionProblem[]> => {
  const kinds = new Map(hashes.map((hash) => [hash.kind, hash]));
  const problems: AgentOptionProblem[] = [];
  for (const hash of kinds.values()) {
    const prepared = await passwords.prepare(hash);
    if (prepared.ok) continue;
    problems.push(optionProblem('error', option, `${hash.kind} ${what} cannot be checked here: ${prepared.error}`));
  }
  return problems;
};
