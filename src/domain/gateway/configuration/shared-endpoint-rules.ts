import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { hostKey } from '../../configuration/schema/scalar-keys.js';
import { settingsToJson } from '../../configuration/setting/setting-json.js';
import { canonicalJson } from '../../shared/json.js';
import type { ReadAgent } from './read-gateway.js';

/** The socket or address of an agent. */
interface AgentEndpoint {
  /** Equal for equal endpoints. */
  readonly key: string;
  /** The term in messages. */
  readonly label: 'socket' | 'address';
}

const endpointOf = ({ fields: { transport, socket } }: ReadAgent): AgentEndpoint | null => {
  const written = transport.value;
  if (written?.kind === 'unix_socket') return { key: `unix ${written.path}`, label: 'socket' };
  if (written?.kind === 'grpc') {
    const address = written.fields.address.value;
    if (address.kind === 'unix') return { key: `unix ${address.path}`, label: 'socket' };
    return { key: `tcp ${hostKey(address.host)} ${address.port}`, label: 'address' };
  }
  return socket.sound && socket.value !== null ? { key: `unix ${socket.value}`, label: 'socket' } : null;
};

const configText = ({ fields: { config } }: ReadAgent): string | null =>
  config.value === null ? 'none' : canonicalJson(settingsToJson(config.value));

/** Refuses two agent blocks with one endpoint and different configs: each would overwrite the config of the other. */
export const requireOneConfigPerEndpoint = (agents: readonly ReadAgent[], report: ProblemReport): void => {
  const owners = new Map<string, ReadAgent>();
  for (const agent of agents) {
    const endpoint = endpointOf(agent);
    if (endpoint === null || !agent.fields.config.sound) continue;
    const owner = owners.get(endpoint.key);
    if (owner === undefined) owners.set(endpoint.key, agent);
    else if (configText(owner) !== configText(agent)) {
      report.add(
        `agent "${agent.name.value}" has the same ${endpoint.label} as agent "${owner.name.value}", but a different config`,
        {
          position: agent.fields.config.position ?? agent.name.position,
          path: ['agents', `agent "${agent.name.value}"`],
          suggestion: `give both the same config, or use another ${endpoint.label} for one of them`,
        },
      );
    }
  }
};
