import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { hiddenInText, hiddenSecret, looksSecret } from '../../hidden-text.js';
import type { Key, Shape } from '../../schema/schema.js';
import type { Setting, SettingScalar } from '../../setting/setting.js';
import { isHarmlessName } from './harmless-names.js';

const hide = (scalar: SettingScalar): SettingScalar => {
  if (scalar.reference !== undefined || typeof scalar.value === 'boolean' || scalar.value === null) return scalar;
  return { ...scalar, value: hiddenSecret };
};

/** Whether a value of a file key is a path, not the content of the file by mistake. */
const isPath = (name: string, { value }: SettingScalar, key?: Key<unknown>): boolean =>
  (name.endsWith('-file') || key?.document.type === 'path') && typeof value === 'string' && !/[\r\n]|-----/.test(value);

const hideParts = (scalar: SettingScalar): SettingScalar =>
  typeof scalar.value === 'string' && scalar.reference === undefined
    ? { ...scalar, value: hiddenInText(scalar.value) }
    : scalar;

/** The surroundings of a setting: known keys, a secret block, or agent options. */
interface Surroundings {
  readonly shape: Shape | null;
  readonly isInSecret: boolean;
  /** Inside the options of an agent, where unknown names may be secrets. */
  readonly isOption: boolean;
}

/**
 * A printable setting: all literal secrets are hidden.
 *
 * @param shape the keys of the enclosing block. Among agent options, an unknown name hides its value unless the name is
 *   harmless
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
  // The first of two arguments is the name of a header, which is not secret.
  const isNamed = /^name(?:,| and value)/.test(key?.document.type ?? '');
  const [first] = setting.args;
  const namesSecret = isNamed && typeof first?.value === 'string' && looksSecret(first.value);
  const argument = (scalar: SettingScalar, index: number): SettingScalar => {
    const hides = isNamed && index === 0 ? false : isSecret || (namesSecret && index > 0);
    return hides && !isPath(setting.name, scalar, key) ? hide(scalar) : hideParts(scalar);
  };
  // A block with an unknown name is not secret as a whole: its members count by their own names.
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
