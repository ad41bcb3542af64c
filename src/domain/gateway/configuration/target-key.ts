import { custom } from '../../configuration/schema/block-keys.js';
import { streamAddress } from '../../configuration/schema/grpc-address.js';
import { readMembers } from '../../configuration/schema/read-block.js';
import { list, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer } from '../../configuration/schema/scalar-kind.js';
import type { Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import { hasMembers, members, type Setting } from '../../configuration/setting/setting.js';
import type { TargetConfiguration } from './gateway-configuration.js';

const standardWeight = 1;

const shape = {
  address: required(streamAddress, 'Address of the target.'),
  weight: withDefault(
    integer(0, 1000),
    standardWeight,
    '1',
    'Share of the requests, relative to the other weights: 1 beside 19 gets one request in twenty. 0: none.',
  ),
};

const addresses = list(streamAddress, '');

/** A target with a block or properties; its address may be the argument. Null: an error. */
const readBlock = (setting: Setting, context: ReadContext): Located<TargetConfiguration> | null => {
  const { args, listed, position } = setting;
  const named: Setting = { name: 'address', args, properties: [], children: null, position, listed };
  const own = args.length === 0 ? members(setting) : [named, ...members(setting)];
  const { address, weight } = readMembers(shape, own, { ...context, position });
  if (!address.sound || !weight.sound) return null;
  const value = { address: address.value, weight: weight.value };
  return { value, position: address.position, hidden: address.hidden ?? false };
};

/** `target "host:port"` or `target "unix:/path"`, with several or with `weight=3`, and `target { address "host:port"; weight 3 }`. */
export const target: Key<readonly Located<TargetConfiguration>[]> = custom(
  'list of host:port or unix:/path, or block; may be repeated',
  'required',
  'Address of a target, or a block that contains it. A host name with several addresses uses all of them.',
  (name, settings, context) => {
    const targets: Located<TargetConfiguration>[] = [];
    let sound = true;
    for (const setting of settings) {
      if (hasMembers(setting)) {
        const read = readBlock(setting, { ...context, path: [...context.path, name] });
        if (read === null) sound = false;
        else targets.push(read);
        continue;
      }
      const field = addresses.read(name, [setting], context);
      for (const { value, position, hidden = false } of field.value) {
        targets.push({ value: { address: value, weight: standardWeight }, position, hidden });
      }
      sound &&= field.sound;
    }
    return { value: targets, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
  },
  shape,
);
