import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { hiddenInText, hiddenSecret, looksSecret } from '../../hidden-text.js';
import type { Shape } from '../../schema/schema.js';
import type { Setting, SettingScalar } from '../../setting/setting.js';
import { isHarmlessName } from './harmless-names.js';

const hide = (scalar: SettingScalar): SettingScalar => {
  if (scalar.reference !== undefined || typeof scalar.value === 'boolean' || scalar.value === null) return scalar;
  return { ...scalar, value: hiddenSecret };
};

/** A key that names a file may be given the text of the file by mistake: a path is short, and on one line. */
const isPath = (name: string, { value }: SettingScalar): boolean =>
  name.endsWith('-file') && typeof value === 'string' && !/[\r\n]|-----/.test(value);

const hideParts = (scalar: SettingScalar): SettingScalar =>
  typeof scalar.value === 'string' && scalar.reference === undefined
    ? { ...scalar, value: hiddenInText(scalar.value) }
    : scalar;

/** Where a setting stands: in a block whose keys are known, in a secret, among options that only an agent knows. */
interface Surroundings {
  readonly shape: Shape | null;
  readonly isInSecret: boolean;
  /** The options of an agent: what is not known there may be anything. */
  readonly isOption: boolean;
}

/**
 * A setting as it may be shown: nothing is left of secrets that stand in the file.
 *
 * @param shape the keys of the block that it stands in. Among the options of agents a name that is none of them hides
 * what
 *   it names, unless it is known to be harmless
 */
export const hiddenSetting = (setting: Setting, shape: Shape | null): Setting =>
  hidden(setting, { shape, isInSecret: false, isOption: shape === agentOptionsShape });

const isSecretName = (name: string, { shape, isInSecret, isOption }: Surroundings): boolean => {
  if (isInSecret) return true;
  const key = shape !== null && Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (key !== undefined) return key.secret;
  return isOption ? !isHarmlessName(name) : looksSecret(name);
};

const hidden = (setting: Setting, surroundings: Surroundings): Setting => {
  const { shape, isInSecret, isOption } = surroundings;
  const key = shape !== null && Object.hasOwn(shape, setting.name) ? shape[setting.name] : undefined;
  const isSecret = isSecretName(setting.name, surroundings);
  // The first of two is the name of a header, which anybody may see.
  const isNamed = /^name(?:,| and value)/.test(key?.document.type ?? '');
  const [first] = setting.args;
  const namesSecret = isNamed && typeof first?.value === 'string' && looksSecret(first.value);
  const argument = (scalar: SettingScalar, index: number): SettingScalar => {
    const hides = isNamed && index === 0 ? false : isSecret || (namesSecret && index > 0);
    return hides && !isPath(setting.name, scalar) ? hide(scalar) : hideParts(scalar);
  };
  // A block of a name that is not known is no secret for that: what is in it is looked at by its own names.
  const isBlock = setting.children !== null || setting.properties.length > 0;
  const inner: Surroundings = {
    shape: key?.shape ?? null,
    isInSecret: isInSecret || (isSecret && (key?.secret === true || looksSecret(setting.name) || !isBlock)),
    isOption,
  };
  return {
    ...setting,
    args: setting.args.map(argument),
    properties: setting.properties.map((property) => {
      const hides = isSecretName(property.name, inner) && !isPath(property.name, property.value);
      return { ...property, value: hides ? hide(property.value) : hideParts(property.value) };
    }),
    children: setting.children?.map((child) => hidden(child, inner)) ?? null,
  };
};
