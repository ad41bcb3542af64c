import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { AgentOptionProblem, OptionSource } from '../../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { AuditDestination } from '../shared/audit-log.js';

/** The options that the gateway's configuration sets for one agent. */
export interface AgentBlock {
  /** Null if there was an error. */
  readonly options: AgentOptions | null;
  readonly problems: readonly ConfigurationProblem[];
  /** The audit log of the gateway; null: it has none, or there was an error. */
  readonly audit: AuditDestination | null;
  /** Finds the place in the file of an option with a problem; null if there is none. */
  readonly locate: (problem: AgentOptionProblem) => OptionSource | null;
}

/**
 * Reads the `config` block of an agent. A null name selects the only agent of the file. Never
 * rejects.
 */
export type AgentBlockReader = (agentName: string | null) => Promise<AgentBlock>;
