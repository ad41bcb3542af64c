import { adminToken } from '../../configuration/schema/admin-token.js';
import { custom, foreign, optionalBlock } from '../../configuration/schema/block-keys.js';
import { didYouMean } from '../../configuration/schema/did-you-mean.js';
import { streamAddress } from '../../configuration/schema/grpc-address.js';
import { inside, readMembers, refuseArguments, refuseRepetition } from '../../configuration/schema/read-block.js';
import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer, milliseconds, oneOf, oneOfNumbers, seconds, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, ReadContext } from '../../configuration/schema/schema.js';
import { members, type Setting } from '../../configuration/setting/setting.js';
import { foreignBreakerKeys } from './circuit-breaker-schema.js';
import { type AgentSubscription, agentSubscriptions } from './gateway-configuration.js';
import { type GrpcFields, grpcShape } from './grpc-transport-schema.js';

type WrittenTransport =
  | { readonly kind: 'unix_socket'; readonly path: string }
  | {
      readonly kind: 'grpc';
      /** Each field is checked alone, not yet against the others. */
      readonly fields: GrpcFields;
      /** Names of the enclosing blocks, outermost first. */
      readonly path: readonly string[];
    }
  | { readonly kind: 'embedded' };

const socketShape = { path: required(text, 'Path of the unix socket.') };
const kinds = ['unix_socket', 'embedded', 'grpc'];

/** The key that the shorthand `transport { <kind> "..." }` sets. */
const shorthandKey = (kind: string): string => (kind === 'grpc' ? 'address' : 'path');

/** Used by the reference page and by the search for secret keys. */
const transportShape = {
  unix_socket: optionalBlock(socketShape, 'A unix socket. Short form: `transport { unix_socket "/path" }`.'),
  grpc: optionalBlock(grpcShape, 'gRPC. Short form with only an address: `transport { grpc "host:port" }`.'),
};

const readKind = (
  kind: string,
  settings: readonly Setting[],
  position: Setting['position'],
  context: ReadContext,
): WrittenTransport | null => {
  const refuse = (message: string, suggestion: string | null = null) => {
    context.report.add(message, { position, path: context.path, suggestion });
    return null;
  };
  if (kind === 'unix_socket') {
    const { path } = readMembers(socketShape, settings, { ...context, position });
    return path.sound ? { kind, path: path.value } : null;
  }
  if (kind === 'grpc') {
    const fields = readMembers(grpcShape, settings, { ...context, position });
    return fields.address.sound ? { kind, fields, path: context.path } : null;
  }
  if (kind === 'embedded') {
    return settings.length === 0
      ? { kind }
      : refuse('transport "embedded" takes no block', 'write transport "embedded"');
  }
  return refuse(
    `transport must be "unix_socket", "grpc" or "embedded", not "${kind.slice(0, 80)}"`,
    didYouMean(kind, kinds),
  );
};

/** The kind of a transport is its argument, or the name of its only inner block. */
const readTransport = (setting: Setting, context: ReadContext): WrittenTransport | null => {
  const where = inside(context, setting);
  const [kind, more] = setting.args;
  const inner = members(setting);
  if (kind !== undefined) {
    if (more === undefined && typeof kind.value === 'string' && !kind.hidden) {
      return readKind(kind.value, inner, kind.position ?? setting.position, where);
    }
  } else {
    const [only, another] = inner;
    if (only !== undefined && another === undefined) {
      // `transport { unix_socket "/path" }` is short for a block that contains only the path.
      const value = { ...only, name: shorthandKey(only.name), children: null, properties: [] };
      const settings = only.args.length > 0 ? [value, ...members(only)] : members(only);
      return readKind(only.name, settings, only.position, where);
    }
  }
  context.report.add('"transport" needs exactly one kind of transport', {
    position: setting.position,
    path: context.path,
    suggestion: 'write transport "embedded", or transport { unix_socket { path "/run/agent.sock" } }',
  });
  return null;
};

/** The transport of an agent; null if the key is absent. */
const transport: Key<WrittenTransport | null> = custom(
  '`embedded`, or block `unix_socket { path }` or `grpc { address }`',
  'required, unless `socket` is given',
  'How the gateway reaches the agent: in its own process, over a unix socket, or by gRPC.',
  (_name, settings, context) => {
    const [first, second] = settings;
    if (first === undefined) return { value: null, given: false, sound: true, position: null };
    if (second !== undefined) {
      context.report.add('"transport" is given twice', { position: second.position, path: context.path });
    }
    const value = readTransport(first, context);
    return { value, given: true, sound: value !== null, position: first.position };
  },
  transportShape,
);

/** The options of the agent as written; null if the block is absent. */
const config: Key<readonly Setting[] | null> = custom(
  'block',
  'none',
  'Options that the gateway sends to the agent. See the options of the agent.',
  (_name, settings, context) => {
    const [first] = settings;
    if (first === undefined) return { value: null, given: false, sound: true, position: null };
    refuseRepetition(settings, context, true);
    refuseArguments(first, context);
    return { value: members(first), given: true, sound: settings.length === 1, position: first.position };
  },
);

/** The event that a similar name means, such as `request_body` or `request-headers`; null: unknown. */
export const otherSubscription = (text: string): AgentSubscription | null => {
  const name = text
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/_body$/, '_body_chunk')
    .replace(/^log$/, 'request_complete');
  return agentSubscriptions.find((known) => known === name) ?? null;
};

const protocolVersion = oneOfNumbers(
  [2, 1],
  (value) => `must be 1 or 2, not ${value}: the agent protocol has no such version`,
);

const circuitBreakerShape = {
  'failure-threshold': withDefault(integer(1, 10_000), 5, '5', 'Consecutive failed calls that open the breaker.'),
  'timeout-seconds': withDefault(
    seconds(1, 3600),
    30_000,
    '30',
    'How long an open breaker fails every call at once. Then one call probes the agent.',
  ),
  ...foreignBreakerKeys,
  'half-open-max-requests': foreign('a half-open breaker allows one call at a time', 'delete the line'),
};

export type CircuitBreakerFields = Fields<typeof circuitBreakerShape>;

const agentAdminShape = {
  address: required(streamAddress, 'Address of the admin endpoints of the agent, in plain HTTP.'),
  token: required(adminToken, 'The `admin-token` of the agent.'),
};

export type AgentAdminFields = Fields<typeof agentAdminShape>;

/** Other gateways write the purpose of the agent here. */
const agentType = oneOf(['custom'], [], () => 'custom');

export const agentShape = {
  type: withDefault(agentType, 'custom', '`custom`', 'Kind of agent. Only `custom` exists.'),
  transport,
  socket: optional(text, 'Path of the unix socket. Short for `transport { unix_socket { path } }`.'),
  'socket-owner': optional(text, 'User that may own the unix socket, besides root and the user of the gateway.'),
  events: list(
    oneOf(agentSubscriptions, ['websocket_frame', 'guardrail_inspect'], otherSubscription),
    'Events that the gateway sends to the agent. It sends a body only if the agent asks for it after the head.',
    ['request_headers'],
    '`request_headers`',
  ),
  'timeout-ms': withDefault(milliseconds(1, 600_000), 1000, '1000', 'How long the gateway waits for an answer.'),
  'failure-mode': withDefault(
    oneOf(['closed', 'open']),
    'closed',
    '`closed`',
    'Without an answer from the agent, `closed` refuses the request and `open` continues without the agent. `open` is an error together with `authz`.',
  ),
  'protocol-version': withDefault(
    protocolVersion,
    2,
    '2',
    'Version of the agent protocol. 1 is the older framing over a unix socket, without a handshake.',
  ),
  connections: optional(
    integer(1, 64),
    'Connections to the agent. Without it: 4, or 16 with `protocol-version 1`, which allows one call at a time on each.',
  ),
  'unix-socket': foreign('it belongs in `transport`', 'write transport { unix_socket { path "/run/agent.sock" } }'),
  grpc: foreign('it belongs in `transport`', 'write transport { grpc { address "127.0.0.1:50051" } }'),
  config,
  admin: optionalBlock(
    agentAdminShape,
    'Admin endpoints of an agent in another process. `/admin/sessions` of the gateway asks there; without the block it omits the sessions of this agent. `gateway-auth --config` with this file serves its admin endpoints at this address.',
  ),
  'circuit-breaker': optionalBlock(
    circuitBreakerShape,
    'Stop calling an agent that keeps failing. Without the block the gateway always calls it.',
  ),
};
