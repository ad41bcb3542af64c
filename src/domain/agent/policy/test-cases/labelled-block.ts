import { custom } from '../../../configuration/schema/block-keys.js';
import { inside, readMembers, refuseRepetition } from '../../../configuration/schema/read-block.js';
import type { Fields, Key, Shape } from '../../../configuration/schema/schema.js';
import { members, type Setting } from '../../../configuration/setting/setting.js';

/** The argument of a block as one of its members. */
const allMembers = (setting: Setting, label: string): readonly Setting[] => {
  const { args, position } = setting;
  const labelled: Setting = { name: label, args, properties: [], children: null, position, listed: false };
  return args.length === 0 ? members(setting) : [labelled, ...members(setting)];
};

/** A setting whose argument is a member of the block that may follow: `resource "/reports" { host "a.example" }`. */
export const labelledBlock = <S extends Shape>(
  label: keyof S & string,
  shape: S,
  meaning: string,
): Key<Fields<S> | null> =>
  custom(
    'value, with a block or without',
    'none',
    meaning,
    (_name, settings, context) => {
      refuseRepetition(settings, context, false);
      const [setting] = settings;
      if (setting === undefined) return { value: null, given: false, sound: true, position: null };
      const value = readMembers(shape, allMembers(setting, label), inside(context, setting));
      return { value, given: true, sound: settings.length === 1, position: setting.position };
    },
    shape,
  );

/** The same, where it has to be there. */
export const requiredBlock = <S extends Shape>(
  label: keyof S & string,
  shape: S,
  meaning: string,
): Key<Fields<S> | null> => {
  const key = labelledBlock(label, shape, meaning);
  return {
    ...key,
    read: (name, settings, context) => {
      if (settings.length === 0) {
        context.report.add(`"${name}" is missing`, { position: context.position, path: context.path });
      }
      return key.read(name, settings, context);
    },
    document: { ...key.document, default: 'required' },
  };
};
