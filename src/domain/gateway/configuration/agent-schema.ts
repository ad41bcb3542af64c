import { custom, foreign, optionalBlock } from '../../configuration/schema/block-keys.js';
import { didYouMean } from '../../configuration/schema/did-you-mean.js';
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
      /** Each for itself: nothing has been checked against the others. */
      readonly fields: GrpcFields;
      /** Names from the top to its block. */
      readonly path: readonly string[];
    }
  | { readonly kind: 'embedded' };

const socketShape = { path: required(text, 'Path of the socket.') };
const kinds = ['unix_socket', 'embedded', 'grpc'];

/** What the shorthand `transport { <kind> "..." }` gives. */
const shorthandKey = (kind: string): string => (kind === 'grpc' ? 'address' : 'path');

/** For the reference page, and for who looks for keys that hold secrets. */
const transportShape = {
  unix_socket: optionalBlock(
    socketShape,
    'A socket of this machine. `transport { unix_socket "/path" }` is short for it.',
  ),
  grpc: optionalBlock(grpcShape, 'gRPC. `transport { grpc "host:port" }` is short for a block with the address alone.'),
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

/** The kind of a transport stands as its argument, or as the one block inside it. */
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
      // `transport { unix_socket "/path" }` is the shorthand of a block with the path alone.
      const value = { ...only, name: shorthandKey(only.name), children: null, properties: [] };
      const settings = only.args.length > 0 ? [value, ...members(only)] : members(only);
      return readKind(only.name, settings, only.position, where);
    }
  }
  context.report.add('"transport" takes one kind of transport', {
    position: setting.position,
    path: context.path,
    suggestion: 'write transport "embedded", or transport { unix_socket { path "/run/agent.sock" } }',
  });
  return null;
};

/** How an agent is reached. Null where it does not say. */
const transport: Key<WrittenTransport | null> = custom(
  '`embedded`, or block `unix_socket { path }` or `grpc { address }`',
  'required, unless `socket` is given',
  'How the agent is reached: in the process of the gateway, over a unix socket, or by gRPC.',
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

/** The options of the agent, as they were written; null where there are none. */
const config: Key<readonly Setting[] | null> = custom(
  'block',
  'none',
  'Options that are handed to the agent; see the options of the agent.',
  (_name, settings, context) => {
    const [first] = settings;
    if (first === undefined) return { value: null, given: false, sound: true, position: null };
    refuseRepetition(settings, context, true);
    refuseArguments(first, context);
    return { value: members(first), given: true, sound: settings.length === 1, position: first.position };
  },
);

/** `request_body`, `request-headers` and their like. */
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
  (value) => `must be 1 or 2, not ${value}: there is no such version of the agent protocol`,
);

const circuitBreakerShape = {
  'failure-threshold': withDefault(integer(1, 10_000), 5, '5', 'Calls that fail in a row until it is no longer asked.'),
  'timeout-seconds': withDefault(
    seconds(1, 3600),
    30_000,
    '30',
    'How long every call fails at once, until one is let through to see whether it answers again.',
  ),
  ...foreignBreakerKeys,
  'half-open-max-requests': foreign('one call at a time is let through', 'take it out'),
};

export type CircuitBreakerFields = Fields<typeof circuitBreakerShape>;

/** Other gateways name what an agent is for. */
const agentType = oneOf(['custom'], [], () => 'custom');

export const agentShape = {
  type: withDefault(agentType, 'custom', '`custom`', 'Kind of agent.'),
  transport,
  socket: optional(text, 'Path of its socket: short for `transport { unix_socket { path } }`.'),
  'socket-owner': optional(text, 'User that may own the unix socket, besides the own one and root.'),
  events: list(
    oneOf(agentSubscriptions, ['websocket_frame', 'guardrail_inspect'], otherSubscription),
    'What the agent is asked about, or told. A body goes only to an agent that asks for it after it has seen the head.',
    ['request_headers'],
    '`request_headers`',
  ),
  'timeout-ms': withDefault(milliseconds(1, 600_000), 1000, '1000', 'How long an answer may take.'),
  'failure-mode': withDefault(
    oneOf(['closed', 'open']),
    'closed',
    '`closed`',
    'What happens when the agent gives no answer: `closed` refuses the request, `open` lets it go on without the agent. `open` cannot stand with `authz`.',
  ),
  'protocol-version': withDefault(
    protocolVersion,
    2,
    '2',
    'Version of the agent protocol. 1 is the older framing of a unix socket, without a handshake.',
  ),
  connections: optional(
    integer(1, 64),
    'Connections that are kept to it. Without it: 4, and 16 with `protocol-version 1`, which has one call at a time on each.',
  ),
  'unix-socket': foreign('it stands in `transport`', 'write transport { unix_socket { path "/run/agent.sock" } }'),
  grpc: foreign('it stands in `transport`', 'write transport { grpc { address "127.0.0.1:50051" } }'),
  config,
  'circuit-breaker': optionalBlock(circuitBreakerShape, 'Stop asking an agent that fails. Without the block: never.'),
};
