import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { didYouMean } from '../../configuration/schema/did-you-mean.js';
import { inside, readMembers } from '../../configuration/schema/read-block.js';
import { required } from '../../configuration/schema/scalar-keys.js';
import { text } from '../../configuration/schema/scalar-kind.js';
import type { Key, ReadContext } from '../../configuration/schema/schema.js';
import { members, type Setting } from '../../configuration/setting/setting.js';
import { type GrpcFields, grpcShape } from './grpc-transport-schema.js';

export type WrittenTransport =
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
export const transport: Key<WrittenTransport | null> = custom(
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
