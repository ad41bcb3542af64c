import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { agentShape } from '../../../gateway/configuration/agent-schema.js';
import { gatewayShape } from '../../../gateway/configuration/gateway-schema.js';
import { describesOnly, holdsSecret, looksSecret } from '../../hidden-text.js';
import type { Key, Shape } from '../../schema/schema.js';
import { members, type Setting, type SettingScalar } from '../../setting/setting.js';
import type { AdviceReport } from './advice-report.js';

/** A hash, such as `sha256:...` or `$2b$...`, or an entry that only names a file. Neither reveals a secret. */
const isHarmless = (entry: string): boolean => {
  const text = entry.trim();
  return text === '' || text.startsWith('@') || /^sha256:/i.test(text) || text.startsWith('$');
};

/** `user:$2b$...`: the hash follows the first colon. */
const isHashedUser = (entry: string): boolean => {
  const colon = entry.indexOf(':');
  return colon >= 0 && isHarmless(entry.slice(colon + 1));
};

/** Splits entries at commas, but not at the commas inside an argon2 hash. */
const entriesOf = (text: string): readonly string[] => text.split(/(?<!\\),(?=[^,]*:|@)/);

const isSecret = (name: string, text: string, isPath: boolean): boolean => {
  // A path, unless it is the content of the file by mistake.
  if (isPath) return /[\r\n]|-----/.test(text);
  if (name.endsWith('-url')) return holdsSecret(text);
  if (name === 'api-keys') return !entriesOf(text).every(isHarmless);
  if (name === 'basic-auth-users') return !entriesOf(text).every((entry) => isHarmless(entry) || isHashedUser(entry));
  return !isHarmless(text);
};

const isLiteralSecret = (name: string, { value, hidden }: SettingScalar, isPath: boolean): boolean =>
  !hidden && ((typeof value === 'string' && isSecret(name, value, isPath)) || typeof value === 'number');

/** A URL with a password or token, or a value of `Authorization`. */
const givesAway = ({ value, hidden }: SettingScalar): boolean =>
  !hidden && typeof value === 'string' && holdsSecret(value);

/** Whether the first argument is a name, which is not secret. */
const isNamed = (key: Key<unknown> | undefined): boolean => /^name(?:,| and value)/.test(key?.document.type ?? '');

const holdsPlainSecret = ({ name, args }: Setting, key: Key<unknown> | undefined, isInSecret: boolean): boolean => {
  const values = isNamed(key) ? args.slice(1) : args;
  if (values.some(givesAway)) return true;
  const [first] = args;
  const isNamedSecret = isNamed(key) && typeof first?.value === 'string' && looksSecret(first.value);
  const isSecretKey = key === undefined ? looksSecret(name) : key.secret;
  const isInherited = isInSecret && !(key === undefined && describesOnly(name));
  const isPath = name.endsWith('-file') || key?.document.type === 'path';
  return (isInherited || isNamedSecret || isSecretKey) && values.some((one) => isLiteralSecret(name, one, isPath));
};

/** Settings that contain a literal secret. A null `shape` means unknown keys, which count as secret by name. */
export const plainSecrets = (
  settings: readonly Setting[],
  shape: Shape | null = gatewayShape,
  isInSecret = false,
): readonly Setting[] =>
  settings.flatMap((setting) => {
    const key = shape !== null && Object.hasOwn(shape, setting.name) ? shape[setting.name] : undefined;
    const own = holdsPlainSecret(setting, key, isInSecret) ? [setting] : [];
    const inner = setting.name === 'config' && shape === agentShape ? agentOptionsShape : (key?.shape ?? null);
    const isSecretBlock = isInSecret || (key === undefined && looksSecret(setting.name));
    return [...own, ...plainSecrets(members(setting), inner, isSecretBlock)];
  });

export const warnAboutSecrets = (settings: readonly Setting[], report: AdviceReport): void => {
  for (const { name, position } of plainSecrets(settings)) {
    report.add('plain-secret', `the file contains the secret of "${name}"`, position, true);
  }
};
