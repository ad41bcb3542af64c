import { agentOptionsShape } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { Shape } from '../../../domain/configuration/schema/schema.js';
import { gatewayShape } from '../../../domain/gateway/configuration/gateway-schema.js';

const namesOf = (shape: Shape): readonly string[] =>
  Object.entries(shape).flatMap(([name, key]) => [name, ...(key.shape === null ? [] : namesOf(key.shape))]);

const known: ReadonlySet<string> = new Set([...namesOf(gatewayShape), ...namesOf(agentOptionsShape)]);

/** Whether a name is that of a key, of which is known whether it holds a secret. */
export const isKnownName = (name: string): boolean => known.has(name);
