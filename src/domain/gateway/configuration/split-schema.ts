import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { readMembers } from '../../configuration/schema/read-block.js';
import { requestKey } from '../../configuration/schema/request-key.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import { members, type Setting } from '../../configuration/setting/setting.js';
import type { TrafficSplit } from '../load-balancing/traffic-split.js';

const highestWeight = 1_000_000;

const sideShape = {
  name: required(text, 'Name of the upstream.'),
  weight: withDefault(
    integer(0, highestWeight),
    1,
    '1',
    'Share of the requests, relative to the other weights: 5 beside 95 gets one request in twenty. 0: none. Give every upstream of a split a weight, or none of them.',
  ),
};

/** A side as written. */
export interface ReadSide {
  readonly name: Located<string>;
  readonly weight: Located<number>;
  /** The weight is not the default. */
  readonly hasWeight: boolean;
}

const readSide = (setting: Setting, context: ReadContext): ReadSide | null => {
  const { args, listed, position } = setting;
  if (args.length > 1 || listed) {
    context.report.add(`"${setting.name}" of a split takes one name`, {
      position: args[1]?.position ?? position,
      path: [...context.path, setting.name],
      suggestion: `write ${setting.name} "name" weight=5, once for each upstream`,
    });
    return null;
  }
  const named: Setting = { name: 'name', args, properties: [], children: null, position, listed };
  const own = args.length === 0 ? members(setting) : [named, ...members(setting)];
  const where = { ...context, path: [...context.path, setting.name], position };
  const { name, weight } = readMembers(sideShape, own, where);
  if (!name.sound || !weight.sound) return null;
  return {
    name: { value: name.value, position: name.position, hidden: name.hidden ?? false },
    weight: { value: weight.value, position: weight.position ?? position },
    hasWeight: weight.given,
  };
};

const side: Key<readonly ReadSide[]> = custom(
  'name, or block; may be repeated',
  'required',
  'An upstream that gets a share of the requests, such as `upstream "canary" weight=5`.',
  (_name, settings, context) => {
    const sides = settings.map((setting) => readSide(setting, context));
    return {
      value: sides.filter((each) => each !== null),
      given: settings.length > 0,
      sound: !sides.includes(null),
      position: settings[0]?.position ?? null,
    };
  },
  sideShape,
);

const shape = {
  key: optional(
    requestKey(['client_ip'], ['header', 'cookie']),
    'What keeps a client on its side. Requests without the header or cookie count by client address. Without this key each request is divided at random.',
  ),
  upstream: side,
};

export type SplitFields = Fields<typeof shape>;

export const split = optionalBlock(
  shape,
  'Divides the requests among upstreams by weight, such as for a canary. In place of `upstream`.',
);

/** Converts a block `split` that has no errors. */
export const toSplit = ({ key, upstream }: SplitFields): TrafficSplit => ({
  key: key.value,
  sides: upstream.value.map(({ name, weight }) => ({ upstream: name.value, weight: weight.value })),
});
