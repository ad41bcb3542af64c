import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { agentShape } from '../../../gateway/configuration/agent-schema.js';
import { gatewayShape } from '../../../gateway/configuration/gateway-schema.js';
import { describesOnly, holdsSecret, looksSecret } from '../../hidden-text.js';
import type { Key, Shape } from '../../schema/schema.js';
import { members, type Setting, type SettingScalar } from '../../setting/setting.js';
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

const isSecret = (name: string, text: string): boolean => {
  // The path of a file, unless the text of the file was given by mistake.
  if (name.endsWith('-file')) return /[\r\n]|-----/.test(text);
  if (name.endsWith('-url')) return holdsSecret(text);
  if (name === 'api-keys') return !entriesOf(text).every(isHarmless);
  if (name === 'basic-auth-users') return !entriesOf(text).every((entry) => isHarmless(entry) || isHashedUser(entry));
  return !isHarmless(text);
};

const isLiteralSecret = (name: string, { value, hidden }: SettingScalar): boolean =>
  !hidden && ((typeof value === 'string' && isSecret(name, value)) || typeof value === 'number');

/** A URL with a password or a token, or the value of `Authorization`, wherever it stands. */
const givesAway = ({ value, hidden }: SettingScalar): boolean =>
  !hidden && typeof value === 'string' && holdsSecret(value);

/** The first of two is a name, which anybody may see. */
const isNamed = (key: Key<unknown> | undefined): boolean => /^name(?:,| and value)/.test(key?.document.type ?? '');

const holdsPlainSecret = ({ name, args }: Setting, key: Key<unknown> | undefined, isInSecret: boolean): boolean => {
  const values = isNamed(key) ? args.slice(1) : args;
  if (values.some(givesAway)) return true;
  const [first] = args;
  const isNamedSecret = isNamed(key) && typeof first?.value === 'string' && looksSecret(first.value);
  const isSecretKey = key === undefined ? looksSecret(name) : key.secret;
  const isInherited = isInSecret && !(key === undefined && describesOnly(name));
  return (isInherited || isNamedSecret || isSecretKey) && values.some((scalar) => isLiteralSecret(name, scalar));
};

/** Settings whose secrets stand in the file itself. Names say what may be one where the keys are not known: null. */
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

export const adviseOnSecrets = (settings: readonly Setting[], report: AdviceReport): void => {
  for (const { name, position } of plainSecrets(settings)) {
    report.add('plain-secret', `the secret of "${name}" stands in the file`, position, true);
  }
};
