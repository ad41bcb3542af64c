import { agentOptionsShape } from '../agent/agent-options-schema.js';
import { agentShape } from '../gateway/agent-schema.js';
import { gatewayShape } from '../gateway/gateway-schema.js';
import type { Shape } from '../schema/schema.js';
import { members, type Setting, type SettingScalar } from '../setting/setting.js';
import type { AdviceReport } from './advice-report.js';

/** A hash gives nothing away that is worth having: `sha256:...`, `$2b$...`, and an entry that only names a file. */
const isHarmless = (entry: string): boolean => {
  const text = entry.trim();
  return text === '' || text.startsWith('@') || /^sha256:/i.test(text) || text.startsWith('$');
};

/** `user:$2b$...`: what follows the first colon is the hash. */
const isHashedUser = (entry: string): boolean => {
  const colon = entry.indexOf(':');
  return colon >= 0 && isHarmless(entry.slice(colon + 1));
};

/** Commas inside a hash of argon2 do no harm: each piece is looked at after the one that begins with a user. */
const entriesOf = (text: string): readonly string[] => text.split(/(?<!\\),(?=[^,]*:|@)/);

const holdsPassword = (url: string): boolean => {
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  return /^[^:]*:./.test(user);
};

const isSecret = (name: string, text: string): boolean => {
  // The path of a file, unless the text of the file was given by mistake.
  if (name.endsWith('-file')) return /[\r\n]|-----/.test(text);
  if (name.endsWith('-url')) return holdsPassword(text);
  if (name === 'api-keys') return !entriesOf(text).every(isHarmless);
  if (name === 'basic-auth-users') return !entriesOf(text).every((entry) => isHarmless(entry) || isHashedUser(entry));
  return !isHarmless(text);
};

const isLiteralSecret = (name: string, { value, hidden }: SettingScalar): boolean =>
  !hidden && typeof value === 'string' && isSecret(name, value);

/** The header of a collector is a name, which anybody may see, and a value. */
const secretArguments = ({ name, args }: Setting): readonly SettingScalar[] =>
  name === 'collector-header' ? args.slice(1) : args;

/** Settings whose secrets stand in the file itself. */
export const plainSecrets = (settings: readonly Setting[], shape: Shape = gatewayShape): readonly Setting[] =>
  settings.flatMap((setting) => {
    const key = Object.hasOwn(shape, setting.name) ? shape[setting.name] : undefined;
    if (key === undefined) return [];
    const own = key.secret && secretArguments(setting).some((scalar) => isLiteralSecret(setting.name, scalar));
    const inner = setting.name === 'config' && shape === agentShape ? agentOptionsShape : key.shape;
    const found = inner === null ? [] : plainSecrets(members(setting), inner);
    return own ? [setting, ...found] : found;
  });

export const adviseOnSecrets = (settings: readonly Setting[], report: AdviceReport): void => {
  for (const { name, position } of plainSecrets(settings)) {
    report.add('plain-secret', `the secret of "${name}" stands in the file`, position, true);
  }
};
