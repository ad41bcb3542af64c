import type { AgentRun } from '../adapters/inbound/agent-command-line/agent-command.js';
import type { StartOptions } from '../application/configure-agent/agent-configuration-in-force.js';
import { readAgentBlock } from '../application/configure-agent/read-agent-block.js';
import type { ConfigurationSource } from '../application/ports/configuration-source.js';
import { decodeAgentOptionTexts } from '../domain/configuration/agent/decode-agent-options.js';
import type { AgentOptionProblem, OptionSource } from '../domain/configuration/agent-configuration.js';
import type { ConfigurationProblem } from '../domain/configuration/configuration-problem.js';

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
  openSource: (configFile: string) => Promise<ConfigurationSource>,
): Promise<ReadStartOptions> => {
  const given = decodeAgentOptionTexts(run.options);
  if (run.block === null) {
    const start = given.options && { overrides: given.options, block: {} };
    return { start, problems: given.problems, locate: () => null };
  }
  const block = await readAgentBlock(await openSource(run.block.configFile), run.block.agentName);
  const problems = [...given.problems, ...block.problems];
  // Options with keys of their own come from the block alone.
  const { locate } = block;
  if (given.options === null || block.options === null) return { start: null, problems, locate };
  return { start: { overrides: given.options, block: block.options }, problems, locate };
};
