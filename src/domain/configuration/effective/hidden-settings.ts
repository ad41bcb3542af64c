import type { Shape } from '../schema/schema.js';
import type { Setting, SettingScalar } from '../setting/setting.js';

/** What stands for a secret that is written in a file. */
export const hiddenSecret = '***';

/** Names that hold secrets in the options of agents that are not known here. */
const surelySecret = /secr|passw|passphrase|token|credential|private-?key|api-?keys?/i;

/** `user:password@` in a URL. */
const withoutPassword = (text: string): string => text.replace(/(\/\/[^/?#@:]*:)[^/?#@]+(?=@)/g, `$1${hiddenSecret}`);

const hide = (scalar: SettingScalar): SettingScalar => {
  if (scalar.reference !== undefined) return scalar;
  return { ...scalar, value: hiddenSecret };
};

/** A key that names a file may be given the text of the file by mistake: a path is short, and on one line. */
const isPath = (name: string, { value }: SettingScalar): boolean =>
  name.endsWith('-file') && typeof value === 'string' && !/[\r\n]|-----/.test(value);

const hideParts = (scalar: SettingScalar): SettingScalar =>
  typeof scalar.value === 'string' && scalar.reference === undefined
    ? { ...scalar, value: withoutPassword(scalar.value) }
    : scalar;

/**
 * A setting as it may be shown: nothing is left of secrets that stand in the file.
 *
 * @param shape the keys of the block that it stands in; null: they are not known, and names say what may be a secret
 */
export const hiddenSetting = (setting: Setting, shape: Shape | null): Setting => hidden(setting, shape, false);

const hidden = (setting: Setting, shape: Shape | null, isInSecret: boolean): Setting => {
  const key = shape !== null && Object.hasOwn(shape, setting.name) ? shape[setting.name] : undefined;
  const isSecret = isInSecret || (key === undefined ? surelySecret.test(setting.name) : key.secret);
  // The first of two is the name of a header, which anybody may see.
  const kept = key?.document.type.startsWith('name and value') ? 1 : 0;
  const argument = (scalar: SettingScalar, index: number): SettingScalar =>
    isSecret && index >= kept && !isPath(setting.name, scalar) ? hide(scalar) : hideParts(scalar);
  const inner = key?.shape ?? null;
  return {
    ...setting,
    args: setting.args.map(argument),
    properties: setting.properties.map((property) => {
      const own = inner !== null && Object.hasOwn(inner, property.name) ? inner[property.name] : undefined;
      const hides = isSecret || (own === undefined ? surelySecret.test(property.name) : own.secret);
      const keeps = isPath(property.name, property.value);
      return { ...property, value: hides && !keeps ? hide(property.value) : hideParts(property.value) };
    }),
    children: setting.children?.map((child) => hidden(child, inner, isSecret)) ?? null,
  };
};
