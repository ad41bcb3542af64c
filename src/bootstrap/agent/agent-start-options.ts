import type { AgentRun } from '../../adapters/inbound/agent-command-line/agent-command.js';
import type { StartOptions } from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import type { AgentBlockReader } from '../../application/ports/agent/agent-block-reader.js';
import { decodeAgentOptionTexts } from '../../domain/agent/configuration/decode-agent-options.js';
import type { AgentOptionProblem, OptionSource } from '../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';

export interface ReadStartOptions {
  /** Null where there was any error. */
  readonly start: StartOptions | null;
  readonly problems: readonly ConfigurationProblem[];
  /** Where a problem with one of the options stands in the file; null: it is not from there. */
  readonly locate: (problem: AgentOptionProblem) => OptionSource | null;
}

/** Brings together what flags, variables and the config block of a file say. */
export const readStartOptions = async (
  run: AgentRun,
  openBlocks: (configFile: string) => Promise<AgentBlockReader>,
): Promise<ReadStartOptions> => {
  const given = decodeAgentOptionTexts(run.options);
  if (run.block === null) {
    const start = given.options && { overrides: given.options, block: {} };
    return { start, problems: given.problems, locate: () => null };
  }
  const readBlock = await openBlocks(run.block.configFile);
  const block = await readBlock(run.block.agentName);
  const problems = [...given.problems, ...block.problems];
  // Options with keys of their own come from the block alone.
  const { locate } = block;
  if (given.options === null || block.options === null) return { start: null, problems, locate };
  return { start: { overrides: given.options, block: block.options }, problems, locate };
};
