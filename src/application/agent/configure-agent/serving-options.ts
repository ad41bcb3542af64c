import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import {
  type AgentOptions,
  type ServingOptionName,
  servingOptionNames,
} from '../../../domain/agent/configuration/agent-options-schema.js';
import { grpcAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import { socketAddressText } from '../../../domain/configuration/schema/network-kinds.js';

/** Options of how the agent is served, in the units that they are held in. */
const members = {
  socket: 'socket',
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

/** What holds where an option was not given. */
const defaults: ServingOptions = {
  socket: agentDefaults.socket,
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

/** Those of the options that say how the agent is served. */
export const servingOptions = (options: AgentOptions): ServingOptions =>
  Object.fromEntries(
    Object.values(members).flatMap((member) => (options[member] === undefined ? [] : [[member, options[member]]])),
  );

/**
 * Why a config block that was handed over cannot be taken: the agent is served as it was told at its start, so other
 * values could only be read and dropped. Null: it says the same, or nothing. `start` has the options of then;
 * `overrides` win over every block, so what a block says beside them does not count.
 */
export const changedServingOption = (
  options: AgentOptions,
  start: { readonly overrides: AgentOptions; readonly block: AgentOptions },
): string | null => {
  for (const name of servingOptionNames) {
    const member = members[name];
    if (options[member] === undefined || start.overrides[member] !== undefined) continue;
    const served = shown(start.block[member] ?? defaults[member]);
    if (shown(options[member]) !== served) return `${name}: it is read at the start alone, where it was ${served}`;
  }
  return null;
};
