import {
  type AgentOptions,
  agentOptionsShape,
  toAgentOptions,
} from '../../agent/configuration/agent-options-schema.js';
import type { ReadAgent } from '../../gateway/configuration/read-gateway.js';
import { ProblemReport } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';
import type { Fields } from '../schema/schema.js';

/** The config of an agent, read as options of the auth agent. Invalid options are missing. */
export interface TriedOptions {
  readonly fields: Fields<typeof agentOptionsShape>;
  readonly options: AgentOptions;
}

/** Reads the options without reporting problems, because the agent may not be the auth agent. */
export const triedOptions = ({ fields: { config } }: ReadAgent): TriedOptions => {
  const fields = readMembers(agentOptionsShape, config.value ?? [], {
    report: new ProblemReport(() => null),
    path: [],
    position: null,
  });
  return { fields, options: toAgentOptions(fields) };
};
