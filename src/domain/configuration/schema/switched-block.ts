import { hasMembers, members, type Setting } from '../setting/setting.js';
import { custom } from './block-keys.js';
import { inside, readMembers, refuseArguments, refuseRepetition } from './read-block.js';
import { type Field, type Fields, type Key, type ReadContext, type Shape, secretKeyNames } from './schema.js';

/** The default and the meaning for the reference page. */
export interface SwitchedBlockDocument {
  readonly standard: string;
  readonly meaning: string;
}

/** The argument of a setting without other content; otherwise undefined. */
const onlyArgument = (setting: Setting) =>
  setting.args.length === 1 && !hasMembers(setting) && !setting.listed ? setting.args[0] : undefined;

/** The members of a block, including its argument if it takes one. */
const blockMembers = (
  setting: Setting,
  argument: string | null,
  context: ReadContext,
  isSecret: boolean,
): readonly Setting[] => {
  const { args, listed, position } = setting;
  if (args.length === 0 && !listed) return members(setting);
  if (argument === null) {
    refuseArguments(setting, context, isSecret);
    return members(setting);
  }
  const named: Setting = { name: argument, args, properties: [], children: null, position, listed };
  return [named, ...members(setting)];
};

/**
 * An optional block. `#null` and `#false` turn it off, even if it exists by default. `#true` or the name alone mean a
 * block with defaults.
 *
 * @param argument the key that an argument of the block sets; null: it takes none
 */
export const switchedBlock = <S extends Shape>(
  shape: S,
  argument: (keyof S & string) | null,
  { standard, meaning }: SwitchedBlockDocument,
): Key<Fields<S> | null> =>
  custom(
    argument === null ? 'block, or `#null`' : `block, ${argument}, or \`#null\``,
    standard,
    meaning,
    (_name, settings, context): Field<Fields<S> | null> => {
      const [setting] = settings;
      if (setting === undefined) return { value: null, given: false, sound: true, position: null };
      refuseRepetition(settings, context, false);
      const sound = settings.length === 1;
      const { position } = setting;
      const only = onlyArgument(setting);
      if (only?.unresolved === true) return { value: null, given: true, sound: false, position };
      if (only?.value === null || only?.value === false) return { value: null, given: true, sound, position };
      const own =
        only?.value === true ? [] : blockMembers(setting, argument, context, secretKeyNames(shape).length > 0);
      return { value: readMembers(shape, own, inside(context, setting)), given: true, sound, position };
    },
    shape,
  );

/** A block that is absent where its key `enabled` is `#false`. */
export const withSwitch = <F extends { readonly enabled: Field<boolean> }>(key: Key<F | null>): Key<F | null> => ({
  ...key,
  read: (name, settings, context) => {
    const field = key.read(name, settings, context);
    return field.value?.enabled.value === false ? { ...field, value: null } : field;
  },
});
