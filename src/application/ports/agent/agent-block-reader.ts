import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { AgentOptionProblem, OptionSource } from '../../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';

/** The options that a gateway's configuration gives an agent. */
export interface AgentBlock {
  /** Null where there was any error. */
  readonly options: AgentOptions | null;
  readonly problems: readonly ConfigurationProblem[];
  /** Where a problem with one of the options stands in the file; null: nowhere. */
  readonly locate: (problem: AgentOptionProblem) => OptionSource | null;
}

/** Reads the `config` block of an agent; a null name means the only agent of the file. Never rejects. */
export type AgentBlockReader = (agentName: string | null) => Promise<AgentBlock>;
