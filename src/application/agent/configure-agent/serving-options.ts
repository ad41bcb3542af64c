import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import {
  type AgentOptions,
  type ServingOptionName,
  servingOptionNames,
} from '../../../domain/agent/configuration/agent-options-schema.js';
import { grpcAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import { socketAddressText } from '../../../domain/configuration/schema/network-kinds.js';

/** The serving options, by their members. */
const members = {
  socket: 'socket',
  sockets: 'sockets',
  'grpc-address': 'grpcAddress',
  'grpc-tls-cert-file': 'grpcTlsCertFile',
  'grpc-tls-key-file': 'grpcTlsKeyFile',
  'grpc-client-ca-file': 'grpcClientCaFile',
  'grpc-insecure': 'grpcInsecure',
  'metrics-address': 'metricsAddress',
  'health-interval-secs': 'healthIntervalMs',
  'metrics-interval-secs': 'metricsIntervalMs',
} as const satisfies Record<ServingOptionName, keyof AgentOptions>;

type ServingOptions = Pick<AgentOptions, (typeof members)[ServingOptionName]>;

/** The default values. */
const defaults: ServingOptions = {
  socket: agentDefaults.socket,
  sockets: agentDefaults.sockets,
  grpcInsecure: false,
  healthIntervalMs: agentDefaults.healthIntervalMs,
  metricsIntervalMs: agentDefaults.metricsIntervalMs,
};

const shown = (value: ServingOptions[keyof ServingOptions]): string => {
  if (value === undefined) return 'not given';
  if (typeof value === 'number') return `${value / 1000}`;
  if (typeof value !== 'object') return `${value}`;
  return 'kind' in value ? grpcAddressText(value) : socketAddressText(value);
};

/** The serving options that are set. */
export const servingOptions = (options: AgentOptions): ServingOptions =>
  Object.fromEntries(
    Object.values(members).flatMap((member) => (options[member] === undefined ? [] : [[member, options[member]]])),
  );

/**
 * Why the block of a gateway cannot be applied: serving options take effect only at start, so a different value could
 * not be enforced. Null: no difference. `start`: the options at start. Options that `overrides` sets are not compared.
 */
export const changedServingOption = (
  options: AgentOptions,
  start: { readonly overrides: AgentOptions; readonly block: AgentOptions },
): string | null => {
  for (const name of servingOptionNames) {
    const member = members[name];
    if (options[member] === undefined || start.overrides[member] !== undefined) continue;
    const served = shown(start.block[member] ?? defaults[member]);
    if (shown(options[member]) !== served) return `${name}: it takes effect only at start, where it was ${served}`;
  }
  return null;
};
