import { canonicalJson } from '../../shared/canonical-json.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { settingsToJson } from '../setting/setting-json.js';
import type { ReadAgent } from './read-gateway.js';

const socketPath = ({ fields: { transport, socket } }: ReadAgent): string | null => {
  if (transport.value?.kind === 'unix_socket') return transport.value.path;
  return socket.sound ? socket.value : null;
};

const configText = ({ fields: { config } }: ReadAgent): string | null =>
  config.value === null ? 'none' : canonicalJson(settingsToJson(config.value));

/** One agent has one configuration: two blocks that reach it by one socket would take turns in replacing each other's. */
export const requireOneConfigPerSocket = (agents: readonly ReadAgent[], report: ProblemReport): void => {
  const owners = new Map<string, ReadAgent>();
  for (const agent of agents) {
    const path = socketPath(agent);
    if (path === null || !agent.fields.config.sound) continue;
    const owner = owners.get(path);
    if (owner === undefined) owners.set(path, agent);
    else if (configText(owner) !== configText(agent)) {
      report.add(`agent "${agent.name.value}" has the socket of agent "${owner.name.value}", and another config`, {
        position: agent.fields.config.position ?? agent.name.position,
        path: ['agents', `agent "${agent.name.value}"`],
        suggestion: 'give both the same config, or each a socket of its own',
      });
    }
  }
};
