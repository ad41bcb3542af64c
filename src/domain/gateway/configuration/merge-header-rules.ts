import { members, type Setting } from '../../configuration/setting/setting.js';
import { canonicalName } from '../../http/canonical-name.js';

const listKey = 'remove';
const operations: readonly string[] = [listKey, 'set', 'add'];

/** The names that the rules of a block are about, in canonical form. `set { "X" #null }` counts. */
const namesIn = (rules: readonly Setting[]): ReadonlySet<string> =>
  new Set(
    rules.flatMap((setting) =>
      setting.name === listKey
        ? setting.args.map(({ value }) => canonicalName(String(value)))
        : members(setting).map(({ name }) => canonicalName(name)),
    ),
  );

/** A default operation without the headers that a route has rules for; null: nothing is left. */
const without = (setting: Setting, names: ReadonlySet<string>): Setting | null => {
  if (setting.name === listKey) {
    const args = setting.args.filter(({ value }) => !names.has(canonicalName(String(value))));
    return args.length === 0 && setting.args.length > 0 ? null : { ...setting, args };
  }
  const all = members(setting);
  const children = all.filter(({ name }) => !names.has(canonicalName(name)));
  return children.length === 0 && all.length > 0 ? null : { ...setting, properties: [], children };
};

/** Joins the settings of one operation. A malformed one keeps its form, so that readers refuse it. */
const joined = (settings: readonly Setting[]): readonly Setting[] => {
  const [first] = settings;
  const isSound = settings.every((setting) =>
    setting.name === listKey
      ? setting.args.length > 0 && members(setting).length === 0
      : setting.args.length === 0 && !setting.listed,
  );
  if (first === undefined || !isSound) return settings;
  const isList = first.name === listKey;
  return [
    {
      ...first,
      args: settings.flatMap(({ args }) => args),
      properties: [],
      children: isList ? null : settings.flatMap(members),
      listed: settings.some(({ listed }) => listed),
    },
  ];
};

const switchKey = 'enabled';

/** Whether a block is turned off. */
const isOff = (rules: Setting): boolean =>
  members(rules).some(({ name, args }) => name === switchKey && args[0]?.value === false);

/**
 * Merges the header rules of a route with those of `defaults`, by header name: where the route has a rule for a header,
 * the default rules for that header do not apply. Defaults that are turned off leave the rules of the route alone.
 */
export const mergeHeaderRules = (own: Setting, standard: Setting): Setting => {
  if (own.args.length > 0 || own.listed) return own;
  const rules = members(own);
  if (isOff(standard) && !rules.some(({ name }) => name === switchKey)) return own;
  const names = namesIn(rules.filter(({ name }) => operations.includes(name)));
  const inherited = members(standard).flatMap((setting) => {
    if (!operations.includes(setting.name)) return rules.some(({ name }) => name === setting.name) ? [] : [setting];
    const left = without(setting, names);
    return left === null ? [] : [left];
  });
  const all = [...inherited, ...rules];
  return {
    ...own,
    properties: [],
    children: [
      ...all.filter(({ name }) => !operations.includes(name)),
      ...operations.flatMap((operation) => joined(all.filter(({ name }) => name === operation))),
    ],
  };
};
