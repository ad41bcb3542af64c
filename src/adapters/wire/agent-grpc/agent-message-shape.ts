import { err, ok, type Result } from '../../../domain/shared/result.js';
import { countMembers, lookAtMessage, type MessageLook, type MessageShape } from './message-shape.js';

/** Of one message: well above what the largest report and the largest answer that are of use come to. */
const maximumFields = 50_000;

// proto/agent-service-v2.proto, from the innermost message outwards.
const header: MessageShape = { 1: 'text', 2: 'text' };
const entry: MessageShape = { 1: 'text', 2: 'text' };
const features: MessageShape = {
  1: 'small',
  2: 'small',
  3: 'small',
  4: 'small',
  5: 'small',
  6: 'small',
  7: 'small',
  8: 'small',
  9: 'small',
};
const limits: MessageShape = { 1: 'large', 2: 'small', 3: 'large', 4: 'large', 5: 'large' };
const healthConfig: MessageShape = { 1: 'small', 2: 'small', 3: 'small' };
const capabilities: MessageShape = {
  1: 'small',
  2: 'text',
  3: 'text',
  4: 'text',
  5: 'smalls',
  6: features,
  7: limits,
  8: healthConfig,
};
const handshake: MessageShape = { 1: 'small', 2: capabilities, 3: 'small', 4: 'text' };

const headerOperation: MessageShape = { 1: header, 2: header, 3: 'text' };
const audit: MessageShape = { 1: 'text', 2: 'text', 3: 'float', 4: 'text', 5: entry };
const response: MessageShape = {
  1: 'text',
  2: {},
  3: { 1: 'small', 2: 'text', 3: header },
  4: { 1: 'text', 2: 'small' },
  5: { 1: 'text', 2: entry },
  10: headerOperation,
  11: headerOperation,
  12: audit,
  13: 'large',
  14: 'small',
};

const load: MessageShape = {
  1: 'small',
  2: 'small',
  3: 'float',
  4: 'float',
  5: 'float',
  6: 'float',
  7: 'large',
  8: 'large',
  9: 'large',
};
const resources: MessageShape = {
  1: 'float',
  2: 'large',
  3: 'large',
  4: 'small',
  5: 'small',
  6: 'small',
  7: 'small',
};
const health: MessageShape = {
  1: 'text',
  2: 'small',
  3: 'text',
  4: load,
  5: resources,
  6: 'large',
  7: 'large',
  10: 'text',
  11: 'float',
  12: 'large',
  13: 'text',
  14: 'small',
};

const counter: MessageShape = { 1: 'text', 2: 'text', 3: entry, 4: 'large' };
const gauge: MessageShape = { 1: 'text', 2: 'text', 3: entry, 4: 'double' };
const bucket: MessageShape = { 1: 'double', 2: 'large' };
const histogram: MessageShape = { 1: 'text', 2: 'text', 3: entry, 4: 'double', 5: 'large', 6: bucket };
const metrics: MessageShape = { 1: 'text', 2: 'large', 3: 'large', 4: counter, 5: gauge, 6: histogram };

const rule: MessageShape = { 1: 'text', 2: 'small', 3: 'text', 4: 'small', 5: 'text', 6: 'text' };
const configUpdate: MessageShape = {
  1: 'text',
  2: 'large',
  10: {},
  11: { 1: 'text', 2: rule, 3: 'text' },
  12: { 1: 'text', 2: 'text', 3: 'text' },
  13: { 1: 'text', 2: 'large' },
  14: { 1: 'text', 2: 'text' },
};
const flowControl: MessageShape = { 1: 'text', 2: 'small', 3: 'large', 4: 'large' };
const pong: MessageShape = { 1: 'large', 2: 'large', 3: 'large' };
const logLine: MessageShape = { 1: 'small', 2: 'text', 3: 'text', 4: entry, 5: 'large' };

/** AgentToProxy. */
export const agentToProxyShape: MessageShape = {
  1: handshake,
  2: response,
  3: health,
  4: metrics,
  5: configUpdate,
  6: flowControl,
  7: pong,
  8: logLine,
};

/** ProxyControl. */
export const proxyControlShape: MessageShape = {
  1: { 1: 'text', 2: 'text', 3: 'small', 4: 'large' },
  2: { 1: 'small', 2: 'large', 3: 'large' },
  3: { 1: 'large', 2: 'small', 3: 'large' },
  4: { 1: 'text', 2: 'small', 3: 'text', 4: 'large' },
};

/**
 * Looks at what an agent sent, before it is decoded. The error says why it must not be.
 *
 * @param shape of one of the messages above, which hold one member each
 */
export const lookAtAgentMessage = (octets: Uint8Array, shape: MessageShape): Result<MessageLook, string> => {
  const look = lookAtMessage(octets, shape, maximumFields);
  if (!look.ok) return look;
  return countMembers(octets, shape) > 1 ? err('it holds two messages') : ok(look.value);
};
