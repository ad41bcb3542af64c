import { custom } from '../../configuration/schema/block-keys.js';
import { inside, readMembers, refuseArguments, refuseRepetition } from '../../configuration/schema/read-block.js';
import type { Fields, Key, ReadContext, Shape } from '../../configuration/schema/schema.js';
import { hasMembers, members, type Setting } from '../../configuration/setting/setting.js';

/** `null` or an empty list: both mean no block. */
const saysNone = (setting: Setting): boolean =>
  !hasMembers(setting) &&
  setting.args.every(({ value }) => value === null) &&
  (setting.listed || setting.args.length > 0);

/** The settings that are blocks; reports others. `example`: the content of an example block. */
const blocksOf = (name: string, settings: readonly Setting[], context: ReadContext, example: string): Setting[] => {
  const blocks: Setting[] = [];
  for (const setting of settings) {
    if (hasMembers(setting)) blocks.push(setting);
    else if (!saysNone(setting)) {
      const suggestion = `write ${name} { ${example} }`;
      context.report.add(`"${name}" needs a block`, {
        position: setting.position,
        path: context.path,
        suggestion,
        secret: true,
      });
    }
  }
  return blocks;
};

/** The members of a block, with its argument as the member `name`, as in JSON. */
const namedMembers = (setting: Setting): readonly Setting[] => {
  const { args, position } = setting;
  const name: Setting = { name: 'name', args, properties: [], children: null, position, listed: false };
  return args.length === 0 ? members(setting) : [name, ...members(setting)];
};

const anything = '...';

/** An option with at most one block. */
export const optionBlock = <S extends Shape>(shape: S, meaning: string): Key<Fields<S> | null> =>
  custom(
    'block',
    'none',
    meaning,
    (name, settings, context) => {
      const [first, ...others] = blocksOf(name, settings, context, anything);
      const position = first?.position ?? settings[0]?.position ?? null;
      if (first === undefined) return { value: null, given: false, sound: true, position };
      refuseRepetition([first, ...others], context, false);
      refuseArguments(first, context);
      const value = readMembers(shape, members(first), inside(context, first));
      return { value, given: true, sound: others.length === 0, position };
    },
    shape,
  );

/**
 * An option with repeatable blocks, each with a name as argument or as member `name`, or without one.
 * @param example the content of an example block, for error messages
 */
export const optionBlocks = <S extends Shape>(
  shape: S,
  meaning: string,
  example = anything,
): Key<readonly { readonly fields: Fields<S>; readonly position: Setting['position'] }[]> =>
  custom(
    'block, may be repeated and have a name',
    'none',
    meaning,
    (name, settings, context) => {
      const blocks = blocksOf(name, settings, context, example);
      return {
        value: blocks.map((setting) => ({
          fields: readMembers(shape, namedMembers(setting), inside(context, setting)),
          position: setting.position,
        })),
        given: settings.length > 0,
        sound: settings.every((setting) => hasMembers(setting) || saysNone(setting)),
        position: settings[0]?.position ?? null,
      };
    },
    shape,
  );
