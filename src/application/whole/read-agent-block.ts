import type { AgentOptions } from '../../domain/agent/configuration/agent-options-schema.js';
import { decodeAgentOptions } from '../../domain/agent/configuration/decode-agent-options.js';
import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import type { AgentConfiguration } from '../../domain/gateway/configuration/gateway-configuration.js';
import type { AgentBlock, AgentBlockReader } from '../ports/agent/agent-block-reader.js';
import type { ConfigurationSource } from '../ports/gateway/configuration-source.js';

const nowhere = () => null;

const failure = (message: string, problems: readonly ConfigurationProblem[]): AgentBlock => ({
  options: null,
  problems: [...problems, { severity: 'error', message, position: null, line: null, suggestion: null }],
  audit: null,
  locate: nowhere,
});

/** Serves on the addresses that the gateway connects to, unless the options name others. */
const servedAt = ({ transport, admin }: AgentConfiguration): AgentOptions => ({
  ...(transport.kind === 'unix_socket' && { socket: transport.path }),
  ...(transport.kind === 'grpc' && { grpcAddress: transport.address }),
  ...(admin !== null && { adminAddress: admin.address, adminToken: admin.token }),
});

/** Reads agent blocks from the configuration of a source. */
export const agentBlockReader =
  (source: ConfigurationSource): AgentBlockReader =>
  async (agentName) => {
    const { configuration, problems, locate } = await source.load();
    if (configuration === null) return { options: null, problems, audit: null, locate: nowhere };
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
      audit: configuration.audit?.output ?? null,
      locate: (problem) => locate?.(agent.name, problem) ?? null,
    };
  };
