import { decodeAgentOptions } from '../../domain/configuration/agent/decode-agent-options.js';
import type { AgentOptionProblem, AgentOptions, OptionSource } from '../../domain/configuration/agent-configuration.js';
import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import type { AgentConfiguration } from '../../domain/configuration/gateway-configuration.js';
import type { ConfigurationSource } from '../ports/configuration-source.js';

export interface ReadAgentBlock {
  /** Null where there was any error. */
  readonly options: AgentOptions | null;
  readonly problems: readonly ConfigurationProblem[];
  /** Where a problem with one of the options stands. */
  readonly locate: (problem: AgentOptionProblem) => OptionSource | null;
}

const nowhere = () => null;

const failure = (message: string, problems: readonly ConfigurationProblem[]): ReadAgentBlock => ({
  options: null,
  problems: [...problems, { severity: 'error', message, position: null, line: null, suggestion: null }],
  locate: nowhere,
});

/** Where the gateway connects to is what is to be served, unless the options say otherwise. */
const servedAt = ({ transport }: AgentConfiguration): AgentOptions => {
  if (transport.kind === 'unix_socket') return { socket: transport.path };
  return transport.kind === 'grpc' ? { grpcAddress: transport.address } : {};
};

/** Reads the options of an agent from its block in a gateway's configuration; `agentName` null means the only one. */
export const readAgentBlock = async (
  source: ConfigurationSource,
  agentName: string | null,
): Promise<ReadAgentBlock> => {
  const { configuration, problems, locate } = await source.load();
  if (configuration === null) return { options: null, problems, locate: nowhere };
  const names = configuration.agents.map(({ name }) => name);
  const agent =
    agentName === null && names.length === 1
      ? configuration.agents[0]
      : configuration.agents.find(({ name }) => name === agentName);
  if (agent === undefined) {
    if (names.length === 0) return failure('the configuration has no agent block', problems);
    const wanted = agentName === null ? 'there are several agent blocks' : `there is no agent "${agentName}"`;
    return failure(`${wanted}: choose one of ${names.map((name) => `"${name}"`).join(', ')} with --agent`, problems);
  }
  const decoded = decodeAgentOptions(agent.config);
  const options = decoded.options === null ? null : { ...servedAt(agent), ...decoded.options };
  return {
    options,
    problems: [...problems, ...decoded.problems],
    locate: (problem) => locate?.(agent.name, problem) ?? null,
  };
};
