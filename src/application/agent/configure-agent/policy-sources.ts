import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { PolicyFile, PolicyFiles } from '../../ports/agent/policy-files.js';
import { optionProblem } from './option-problem.js';

/** The texts of policies, or why there are none. */
export interface ReadPolicySources {
  readonly sources: readonly PolicyFile[];
  readonly problems: readonly AgentOptionProblem[];
}

/** Reads the files and folders that a key names; each file counts once, and twice is an error. */
export const readPolicySources = async (
  key: 'policy-file' | 'shadow-policy-file',
  paths: readonly string[],
  files: PolicyFiles,
): Promise<ReadPolicySources> => {
  const sources = new Map<string, PolicyFile>();
  const problems: AgentOptionProblem[] = [];
  const complain = (message: string) => problems.push(optionProblem('error', 'authz', `${key}: ${message}`));
  for (const path of paths) {
    const read = await files.read(path);
    if (!read.ok) {
      for (const { name, reason } of read.error) complain(`${name} ${reason}`);
      continue;
    }
    for (const file of read.value) {
      if (sources.has(file.name)) complain(`${file.name} is given twice`);
      sources.set(file.name, file);
    }
  }
  return { sources: [...sources.values()], problems };
};
