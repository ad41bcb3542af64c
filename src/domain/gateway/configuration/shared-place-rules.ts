import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { hostKey } from '../../configuration/schema/scalar-keys.js';
import { settingsToJson } from '../../configuration/setting/setting-json.js';
import { canonicalJson } from '../../shared/json.js';
import type { ReadAgent } from './read-gateway.js';

/** The place of an agent, in normal form, and its name in messages. */
interface AgentPlace {
  readonly key: string;
  readonly word: 'socket' | 'address';
}

const placeOf = ({ fields: { transport, socket } }: ReadAgent): AgentPlace | null => {
  const written = transport.value;
  if (written?.kind === 'unix_socket') return { key: `unix ${written.path}`, word: 'socket' };
  if (written?.kind === 'grpc') {
    const address = written.fields.address.value;
    if (address.kind === 'unix') return { key: `unix ${address.path}`, word: 'socket' };
    return { key: `tcp ${hostKey(address.host)} ${address.port}`, word: 'address' };
  }
  return socket.sound && socket.value !== null ? { key: `unix ${socket.value}`, word: 'socket' } : null;
};

const configText = ({ fields: { config } }: ReadAgent): string | null =>
  config.value === null ? 'none' : canonicalJson(settingsToJson(config.value));

/** Refuses two agent blocks with one place and different configs: each would overwrite the config of the other. */
export const requireOneConfigPerPlace = (agents: readonly ReadAgent[], report: ProblemReport): void => {
  const owners = new Map<string, ReadAgent>();
  for (const agent of agents) {
    const place = placeOf(agent);
    if (place === null || !agent.fields.config.sound) continue;
    const owner = owners.get(place.key);
    if (owner === undefined) owners.set(place.key, agent);
    else if (configText(owner) !== configText(agent)) {
      report.add(
        `agent "${agent.name.value}" has the same ${place.word} as agent "${owner.name.value}", but a different config`,
        {
          position: agent.fields.config.position ?? agent.name.position,
          path: ['agents', `agent "${agent.name.value}"`],
          suggestion: `give both the same config, or use another ${place.word} for one of them`,
        },
      );
    }
  }
};
