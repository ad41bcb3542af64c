import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { agentShape } from '../../../gateway/configuration/agent-schema.js';
import { standardCompressionLists } from '../../../gateway/configuration/compress-schema.js';
import { standardCorsLists } from '../../../gateway/configuration/cors-schema.js';
import { printedPolicies } from '../../../gateway/configuration/default-policies.js';
import { gatewayShape } from '../../../gateway/configuration/gateway-schema.js';
import { standardHealthTimeoutSecs } from '../../../gateway/configuration/health-check-schema.js';
import { rateLimitOf } from '../../../gateway/configuration/rate-limit-schema.js';
import { target } from '../../../gateway/configuration/target-key.js';
import { keptIdleConnections } from '../../../gateway/configuration/upstream-options.js';
import { hasChoice } from '../../../gateway/configuration/upstream-schema.js';
import { ProblemReport } from '../../schema/problem-report.js';
import type { Key, Shape } from '../../schema/schema.js';
import { hasMembers, members, type Setting, type SettingScalar } from '../../setting/setting.js';
import { hiddenSetting } from './hidden-settings.js';
import { isGroup } from './setting-group.js';

/** A setting without a position in a file. */
const madeSetting = (name: string, args: readonly SettingScalar[], children: readonly Setting[] | null): Setting => ({
  name,
  args,
  properties: [],
  children,
  position: null,
  listed: false,
});

const argumentOf = (settings: readonly Setting[], name: string): SettingScalar | undefined =>
  settings.find((setting) => setting.name === name)?.args[0];

/** A literal number. A referenced number may change, so it does not count. */
const numberOf = (settings: readonly Setting[], name: string): number | null => {
  const argument = argumentOf(settings, name);
  return typeof argument?.value === 'number' && argument.reference === undefined ? argument.value : null;
};

const scalar = (name: string, value: string | number | boolean | null): readonly Setting[] =>
  value === null ? [] : [madeSetting(name, [{ value, position: null, hidden: false }], null)];

const burst = (rateLimit: readonly Setting[]): number | null => {
  const rate = numberOf(rateLimit, 'requests-per-second');
  return rate === null ? null : rateLimitOf(rate).burst;
};

const checkTimeout = (healthCheck: readonly Setting[]): number | null => {
  const interval = argumentOf(healthCheck, 'interval-secs') === undefined ? 10 : numberOf(healthCheck, 'interval-secs');
  return interval === null ? null : standardHealthTimeoutSecs(interval);
};

const connections = (agent: readonly Setting[]): number | null => {
  if (argumentOf(agent, 'transport')?.value === 'embedded') return null;
  return argumentOf(agent, 'protocol-version')?.value === 1 ? 16 : 4;
};

/** Null for a referenced protocol, which may change. */
const speaksHttp2 = (listener: readonly Setting[]): boolean | null => {
  const protocol = argumentOf(listener, 'protocol');
  return protocol?.reference === undefined ? protocol?.value === 'https' : null;
};

const targetBreaker = (upstream: readonly Setting[]): readonly Setting[] => {
  const grouped = upstream.filter(({ name }) => name === 'targets').flatMap(members);
  const targets = [...grouped, ...upstream].filter(({ name }) => name === 'target');
  const context = { report: new ProblemReport(() => null), path: [], position: null };
  return hasChoice(target.read('target', targets, context).value.map(({ value }) => value))
    ? [madeSetting('circuit-breaker', [], scalar('spare-last-target', true))]
    : [];
};

/**
 * Defaults that depend on other keys of the block.
 *
 * @param block name of the block that lacks the key
 * @param siblings settings in the block
 */
const defaultInForce = (name: string, block: string, siblings: readonly Setting[]): readonly Setting[] => {
  if (block === 'rate-limit' && name === 'burst') return scalar(name, burst(siblings));
  if (block === 'health-check' && name === 'timeout-secs') return scalar(name, checkTimeout(siblings));
  if (block === 'listener' && name === 'http2') return scalar(name, speaksHttp2(siblings));
  if (block === 'compress') return listSetting(name, standardCompressionLists[name]);
  if (block === 'agent' && name === 'connections') return scalar(name, connections(siblings));
  return block === 'upstream' && name === 'circuit-breaker' ? targetBreaker(siblings) : [];
};

const listSetting = (name: string, values: readonly string[] | undefined): readonly Setting[] => {
  if (values === undefined) return [];
  const args = values.map((value) => ({ value, position: null, hidden: false }));
  return [madeSetting(name, args, null)];
};

/** The list of a block `cors` that is not written. Referenced methods may change, so a list with them stays out. */
const corsList = (name: string, { outer }: Surroundings): readonly Setting[] => {
  const route = outer?.outer?.siblings ?? [];
  const matches = route.filter((setting) => setting.name === 'matches').flatMap(members);
  const methods = matches.filter((setting) => setting.name === 'method').flatMap(({ args }) => args);
  if (methods.some(({ reference }) => reference !== undefined)) return [];
  const list = standardCorsLists(methods.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])))[name];
  return listSetting(name, list);
};

/** The default in the reference if it is a value: a number, or text in back quotes. */
const standardValue = (shown: string): string | number | boolean | null => {
  if (/^\d+(\.\d+)?$/.test(shown)) return Number(shown);
  const text = /^`([^`]+)`$/.exec(shown)?.[1] ?? null;
  if (text === '""') return '';
  if (text === '#true') return true;
  return text === '#false' ? false : text;
};

/** The block of a key, its settings and the outer block. */
interface Surroundings {
  readonly block: string;
  readonly siblings: readonly Setting[];
  readonly outer: Surroundings | null;
}

const inside = (block: string, siblings: readonly Setting[], outer: Surroundings | null): Surroundings => ({
  block,
  siblings,
  outer,
});

const defaultOf = (name: string, { document, shape }: Key<unknown>, around: Surroundings): readonly Setting[] => {
  if (document.type === 'block' && document.default === 'see its keys' && shape !== null) {
    const children = completed([], shape, inside(name, [], around));
    return children.length === 0 ? [] : [madeSetting(name, [], children)];
  }
  const value = standardValue(document.default);
  return value === null || shape !== null ? [] : [madeSetting(name, [{ value, position: null, hidden: false }], null)];
};

/** Types of blocks whose members alone define them, so that their defaults can be filled in. */
const isPlainBlock = (type: string): boolean =>
  type === 'block' || type === 'block, or `#null`' || type === 'block, name, or `#null`';

const completedBlock = (
  name: string,
  own: readonly Setting[],
  shape: Shape,
  around: Surroundings,
): readonly Setting[] => completed(own, shape, inside(name, own, around));

/** Completes a setting such as `type "http" { path "/health" }`, whose argument selects the block. */
const withKind = (setting: Setting, shape: Shape, around: Surroundings): Setting => {
  const kind = setting.args[0]?.value;
  const inner = typeof kind === 'string' && Object.hasOwn(shape, kind) ? shape[kind]?.shape : null;
  return inner == null
    ? hiddenSetting(setting, shape)
    : madeSetting(setting.name, setting.args, completedBlock(setting.name, members(setting), inner, around));
};

const written = (
  name: string,
  key: Key<unknown>,
  own: readonly Setting[],
  shape: Shape,
  around: Surroundings,
): readonly Setting[] => {
  const { type } = key.document;
  if (name === 'config' && shape === agentShape) {
    const options = own.flatMap(members).map((option) => hiddenSetting(option, agentOptionsShape));
    return [madeSetting(name, [], options)];
  }
  if (key.shape === null) return own.map((setting) => hiddenSetting(setting, shape));
  const inner = key.shape;
  if (isGroup(key)) return [madeSetting(name, [], completedBlock(name, own.flatMap(members), inner, around))];
  if (around.block === 'health-check' && name === 'type') return own.map((setting) => withKind(setting, inner, around));
  if (type === 'named block, may be repeated') {
    return own.map((setting) => madeSetting(name, setting.args, completedBlock(name, members(setting), inner, around)));
  }
  return own.map((setting) =>
    isPlainBlock(type) && setting.args.length === 0 && (hasMembers(setting) || type === 'block')
      ? madeSetting(name, [], completedBlock(name, members(setting), inner, around))
      : hiddenSetting(setting, shape),
  );
};

/** Keys that are errors without a certain value of another key. Their default stays out. */
const isIdle = (name: string, { siblings, outer }: Surroundings): boolean => {
  const has = (settings: readonly Setting[], key: string, ...values: readonly unknown[]): boolean =>
    settings.some((setting) => setting.name === key && values.includes(setting.args[0]?.value ?? true));
  if (name === 'hash-key') return !has(siblings, 'load-balancing', 'consistent-hash');
  if (name === 'on-store-failure') return !has(siblings, 'rate-limit-store', 'redis');
  return name === 'proxy-header-secs' && !has(outer?.siblings ?? [], 'proxy-protocol', true, 'true');
};

/** The keys of a block in the order of the reference, with defaults filled in. */
const completed = (settings: readonly Setting[], shape: Shape, around: Surroundings): readonly Setting[] =>
  Object.entries(shape).flatMap(([name, key]) => {
    const own = settings.filter((setting) => setting.name === name);
    if (own.length > 0) return written(name, key, own, shape, around);
    const inForce = around.block === 'cors' ? corsList(name, around) : defaultInForce(name, around.block, settings);
    // A block that exists by default also shows its defaults.
    if (inForce.length > 0) return written(name, key, inForce, shape, around);
    return isIdle(name, around) ? [] : defaultOf(name, key, around);
  });

/** Limits `max-idle` of a pool to `max-connections`. */
const fitPool = (setting: Setting): Setting => {
  if (setting.name !== 'connection-pool') {
    return setting.children === null ? setting : { ...setting, children: setting.children.map(fitPool) };
  }
  const numberOf = (name: string): unknown => setting.children?.find((child) => child.name === name)?.args[0]?.value;
  const [connections, idle] = [numberOf('max-connections'), numberOf('max-idle')];
  if (typeof connections !== 'number' || typeof idle !== 'number') return setting;
  const kept = keptIdleConnections(idle, connections);
  if (kept === idle) return setting;
  const children = (setting.children ?? []).map((child) =>
    child.name === 'max-idle' ? madeSetting('max-idle', [{ value: kept, position: null, hidden: false }], null) : child,
  );
  return { ...setting, children };
};

/**
 * A valid configuration with defaults filled in, keys in the order of the reference, and secrets hidden. Routes show the
 * policies that they have from `defaults`. Options of agents have no defaults here, because the agent fills them in.
 */
export const effectiveSettings = (settings: readonly Setting[]): readonly Setting[] =>
  completed(printedPolicies(settings), gatewayShape, inside('', settings, null)).map(fitPool);
