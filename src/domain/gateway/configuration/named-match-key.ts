import { custom } from '../../configuration/schema/block-keys.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Key } from '../../configuration/schema/schema.js';
import type { NamedMatch } from './gateway-configuration.js';

/** A key `NAME` or `NAME VALUE` that may be repeated. */
export const namedMatches = (names: ScalarKind<string>, meaning: string): Key<readonly NamedMatch[]> =>
  custom('name, or name and value; may be repeated', 'none', meaning, (key, settings, context) => {
    const matches: NamedMatch[] = [];
    let sound = true;
    for (const setting of settings) {
      const refuse = (message: string, suggestion: string | null) => {
        sound = false;
        context.report.add(message, { position: setting.position, path: [...context.path, key], suggestion });
      };
      if (refuseMembers(setting, context, false)) {
        sound = false;
        continue;
      }
      const [first, second, third] = setting.args;
      if (setting.args.some((arg) => arg.unresolved === true)) {
        sound = false;
        continue;
      }
      if (first === undefined || third !== undefined) {
        refuse(`"${key}" takes a name and at most one value`, `write ${key} "name" "value", once for each value`);
        continue;
      }
      const name = names.read(first);
      const value = second === undefined ? null : text.read(second);
      if (!name.ok) refuse(`"${key}" ${name.error.message}`, name.error.suggestion ?? null);
      else if (value !== null && !value.ok) refuse(`"${key}" ${value.error.message}`, value.error.suggestion ?? null);
      else matches.push({ name: name.value, value: value === null ? null : value.value });
    }
    return { value: matches, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
  });
