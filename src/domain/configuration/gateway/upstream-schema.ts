import type { SocketAddress } from '../gateway-configuration.js';
import { block, custom, notYet, notYetBlock, replaced } from '../schema/block-keys.js';
import { socketAddress } from '../schema/network-kinds.js';
import { readMembers } from '../schema/read-block.js';
import { list, required, withDefault } from '../schema/scalar-keys.js';
import { integer, seconds } from '../schema/scalar-kind.js';
import type { Key, Located } from '../schema/schema.js';
import { hasMembers, members } from '../setting/setting.js';
import { requestTimeout } from './route-schema.js';

const targetShape = {
  address: required(socketAddress(1), 'Where it listens.'),
  weight: notYet('Share of the requests.'),
};

const addresses = list(socketAddress(1), '');

/** `target "host:port"`, with several addresses too, and `target { address "host:port" }`. */
const target: Key<readonly Located<SocketAddress>[]> = custom(
  'list of host:port, or block; may be repeated',
  'required',
  'One target: its address, or a block with it.',
  (name, settings, context) => {
    const targets: Located<SocketAddress>[] = [];
    let sound = true;
    for (const setting of settings) {
      if (hasMembers(setting) && setting.args.length === 0) {
        const path = [...context.path, name];
        const { address } = readMembers(targetShape, members(setting), {
          ...context,
          path,
          position: setting.position,
        });
        if (address.sound) targets.push({ value: address.value, position: address.position });
        else sound = false;
        continue;
      }
      const field = addresses.read(name, [setting], context);
      targets.push(...field.value);
      sound &&= field.sound;
    }
    return { value: targets, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
  },
  targetShape,
);

const timeoutsShape = {
  'connect-secs': withDefault(seconds(1, 3600), 10_000, '10', 'Until a connection stands.'),
  'request-secs': withDefault(seconds(1, 86_400), 60_000, '60', requestTimeout),
  'read-secs': withDefault(
    seconds(1, 86_400),
    30_000,
    '30',
    'Silence of the upstream: before the head, and between pieces of the body.',
  ),
};

const poolShape = {
  'max-connections': withDefault(integer(1, 100_000), 100, '100', 'Connections to each target.'),
  'max-idle': notYet('Connections that are kept while nothing uses them.'),
};

export const upstreamShape = {
  targets: block({ target }, 'The targets.'),
  target,
  timeouts: block(timeoutsShape, 'Time-outs.'),
  'connection-pool': block(poolShape, 'Connections.'),
  'health-check': notYetBlock('Checks whether a target is there.', [
    'type',
    'http',
    'tcp',
    'grpc',
    'path',
    'expected-status',
    'host',
    'service',
    'interval-secs',
    'timeout-secs',
    'healthy-threshold',
    'unhealthy-threshold',
  ]),
  'load-balancing': notYet('How a target is chosen; they take turns.'),
  'timeout-secs': replaced(
    'the block `timeouts` has taken its place',
    'write timeouts { connect-secs 10; request-secs 60 }',
  ),
};
