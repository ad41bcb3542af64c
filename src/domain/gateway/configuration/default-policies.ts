import { positionKey } from '../../configuration/schema/problem-report.js';
import { hasMembers, isNullSetting, members, type Setting } from '../../configuration/setting/setting.js';
import { mergeHeaderRules } from './merge-header-rules.js';
import { policiesShape } from './policies-schema.js';

/** The policy that no default may set. */
export const routeOnlyPolicy = 'forward-identity-headers';

const headerRuleKeys: ReadonlySet<string> = new Set(['request-headers', 'response-headers']);

/** Default policies of routes on which the gateway itself answers. */
const policiesOfBuiltins: ReadonlySet<string> = new Set([...headerRuleKeys, 'cors', 'error-pages']);

/** Default policies of routes that redirect or respond: those that need no upstream. */
const policiesWithoutUpstream: ReadonlySet<string> = new Set([
  'response-headers',
  'cors',
  'error-pages',
  'rate-limit',
  'max-body-size',
  'allow-encoded-slash',
]);

/** The default policies that a route takes, by its destination; null: all. */
const takenPolicies = (route: readonly Setting[]): ReadonlySet<string> | null => {
  const has = (...keys: readonly string[]): boolean => route.some(({ name }) => keys.includes(name));
  if (has('builtin-handler', 'service-type')) return policiesOfBuiltins;
  return has('redirect', 'respond') ? policiesWithoutUpstream : null;
};

/** What a `#null` of a route becomes: `drop` for readers, `keep` for a text that is read again. */
type NullHandling = 'drop' | 'keep';

const isNullPolicy = (setting: Setting): boolean =>
  isNullSetting(setting) && Object.hasOwn(policiesShape, setting.name);

const named = (settings: readonly Setting[], name: string): readonly Setting[] =>
  settings.filter((setting) => setting.name === name);

const setsRequestTimeout = (policies: readonly Setting[]): boolean =>
  named(policies, 'timeouts').some((timeouts) => members(timeouts).some(({ name }) => name === 'request-secs'));

/**
 * A default without the part that a route sets by another key: `timeout-secs` is short for `timeouts { request-secs }`.
 */
const withoutTwin = (setting: Setting, own: readonly Setting[]): readonly Setting[] => {
  if (setting.name === 'timeout-secs') return setsRequestTimeout(own) ? [] : [setting];
  if (setting.name !== 'timeouts' || named(own, 'timeout-secs').length === 0) return [setting];
  const children = members(setting).filter(({ name }) => name !== 'request-secs');
  return children.length === 0 ? [] : [{ ...setting, properties: [], children }];
};

/** The policies of a route with those of `defaults`. */
const mergePolicies = (
  own: readonly Setting[],
  defaults: readonly Setting[],
  nulls: NullHandling,
): readonly Setting[] => {
  const isOverridden = (name: string): boolean => own.some((setting) => setting.name === name);
  const inherited = defaults.flatMap((setting) => (isOverridden(setting.name) ? [] : withoutTwin(setting, own)));
  const kept = own.flatMap((setting) => {
    // A repeated key stays as it is: it is an error.
    if (named(own, setting.name).length > 1) return [setting];
    if (isNullPolicy(setting)) return nulls === 'keep' ? [setting] : [];
    const [standard, second] = named(defaults, setting.name);
    if (!headerRuleKeys.has(setting.name) || standard === undefined || second !== undefined) return [setting];
    return [mergeHeaderRules(setting, standard)];
  });
  return [...inherited, ...kept];
};

const mergeRoute = (route: Setting, defaults: readonly Setting[], nulls: NullHandling): Setting => {
  const all = members(route);
  const [policies, second] = named(all, 'policies');
  // Such a route has errors, which merging must not hide.
  if (second !== undefined || !hasMembers(route)) return route;
  if (policies !== undefined && (policies.args.length > 0 || policies.listed)) return route;
  const taken = takenPolicies(all);
  const inherited = taken === null ? defaults : defaults.filter(({ name }) => taken.has(name));
  const own = policies === undefined ? [] : members(policies);
  if (inherited.length === 0 && !own.some(isNullPolicy)) return route;
  const merged: Setting = {
    name: 'policies',
    args: [],
    properties: [],
    children: mergePolicies(own, inherited, nulls),
    position: policies?.position ?? inherited[0]?.position ?? null,
    listed: false,
  };
  return { ...route, properties: [], children: [...all.filter(({ name }) => name !== 'policies'), merged] };
};

/** The members of `defaults { policies }` that count for routes. */
const defaultsIn = (settings: readonly Setting[]): readonly Setting[] => {
  const [defaults] = named(settings, 'defaults');
  const [policies] = defaults === undefined ? [] : named(members(defaults), 'policies');
  if (policies === undefined) return [];
  return members(policies).filter((setting) => setting.name !== routeOnlyPolicy && !isNullPolicy(setting));
};

const mergeRoutes = (settings: readonly Setting[], nulls: NullHandling): readonly Setting[] => {
  const defaults = defaultsIn(settings);
  return settings.map((setting) => {
    if (setting.name !== 'routes' || setting.children === null) return setting;
    const children = setting.children.map((child) =>
      child.name === 'route' ? mergeRoute(child, defaults, nulls) : child,
    );
    return { ...setting, children };
  });
};

/** The settings of a gateway with the effective policies in each route, for readers of the schema. */
export const withDefaultPolicies = (settings: readonly Setting[]): readonly Setting[] => mergeRoutes(settings, 'drop');

/**
 * The settings of a gateway with the effective policies in each route, to print. Reading them again has the same result:
 * `defaults` stays, and so does each `#null` that keeps a default away.
 */
export const printedPolicies = (settings: readonly Setting[]): readonly Setting[] =>
  defaultsIn(settings).length === 0 ? settings : mergeRoutes(settings, 'keep');

/** The positions of all settings in `defaults`, which routes share. */
export const defaultPositions = (settings: readonly Setting[]): ReadonlySet<string> => {
  const keys = new Set<string>();
  const note = (setting: Setting): void => {
    const scalars = [...setting.args, ...setting.properties.map(({ value }) => value)];
    for (const { position } of [setting, ...scalars]) if (position !== null) keys.add(positionKey(position));
    for (const member of members(setting)) note(member);
  };
  for (const setting of named(settings, 'defaults')) note(setting);
  return keys;
};
