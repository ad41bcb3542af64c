import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import {
  type AgentOptions,
  type ServingOptionName,
  servingOptionNames,
} from '../../../domain/agent/configuration/agent-options-schema.js';
import { grpcAddressText, streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import { Secret } from '../../../domain/shared/secret.js';

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
  'admin-address': 'adminAddress',
  'admin-token': 'adminToken',
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
  if (value instanceof Secret) return 'another one';
  return 'kind' in value ? grpcAddressText(value) : streamAddressText(value);
};

const isSame = (one: ServingOptions[keyof ServingOptions], other: ServingOptions[keyof ServingOptions]): boolean => {
  if (one instanceof Secret && other instanceof Secret) return one.reveal() === other.reveal();
  return shown(one) === shown(other);
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
    const served = start.block[member] ?? defaults[member];
    if (!isSame(options[member], served)) {
      return `${name}: it takes effect only at start, where it was ${shown(served)}`;
    }
  }
  return null;
};
