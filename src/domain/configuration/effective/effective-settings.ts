import { agentOptionsShape } from '../agent/agent-options-schema.js';
import { agentShape } from '../gateway/agent-schema.js';
import { gatewayShape } from '../gateway/gateway-schema.js';
import type { Key, Shape } from '../schema/schema.js';
import { hasMembers, members, type Setting, type SettingScalar } from '../setting/setting.js';
import { hiddenSetting } from './hidden-settings.js';
import { isGroup } from './setting-group.js';

const made = (name: string, args: readonly SettingScalar[], children: readonly Setting[] | null): Setting => ({
  name,
  args,
  properties: [],
  children,
  position: null,
  listed: false,
});

/** The default that the reference page names, where it is a value: `30`, or in back quotes. */
const standardValue = (shown: string): string | number | boolean | null => {
  if (/^\d+(\.\d+)?$/.test(shown)) return Number(shown);
  const text = /^`([^`]+)`$/.exec(shown)?.[1] ?? null;
  if (text === '#true') return true;
  return text === '#false' ? false : text;
};

const defaultOf = (name: string, { document, shape }: Key<unknown>): readonly Setting[] => {
  if (document.type === 'block' && document.default === 'see its keys' && shape !== null) {
    const children = completed([], shape);
    return children.length === 0 ? [] : [made(name, [], children)];
  }
  const value = standardValue(document.default);
  return value === null || shape !== null ? [] : [made(name, [{ value, position: null, hidden: false }], null)];
};

/** The types of keys whose blocks can be filled: nothing but what stands in them says what they mean. */
const isPlainBlock = (type: string): boolean => type === 'block' || type === 'block, or `#null`';

const written = (name: string, key: Key<unknown>, own: readonly Setting[], shape: Shape): readonly Setting[] => {
  const { type } = key.document;
  if (name === 'config' && shape === agentShape) {
    const options = own.flatMap(members).map((option) => hiddenSetting(option, agentOptionsShape));
    return [made(name, [], options)];
  }
  if (key.shape === null) return own.map((setting) => hiddenSetting(setting, shape));
  const inner = key.shape;
  if (isGroup(key)) return [made(name, [], completed(own.flatMap(members), inner))];
  if (type === 'named block, may be repeated') {
    return own.map((setting) => made(name, setting.args, completed(members(setting), inner)));
  }
  return own.map((setting) =>
    isPlainBlock(type) && setting.args.length === 0 && (hasMembers(setting) || type === 'block')
      ? made(name, [], completed(members(setting), inner))
      : hiddenSetting(setting, shape),
  );
};

/** Keys whose default means something beside another value alone; to write it without that is an error. */
const isIdle = (name: string, siblings: readonly Setting[]): boolean => {
  const has = (key: string, value: string): boolean =>
    siblings.some((setting) => setting.name === key && setting.args[0]?.value === value);
  if (name === 'hash-key') return !has('load-balancing', 'consistent-hash');
  if (name === 'on-store-failure') return !has('rate-limit-store', 'redis');
  // What it depends on stands outside of its block.
  return name === 'proxy-header-secs';
};

/** The keys of a block in the order of its reference, those with a default that is a value filled in. */
const completed = (settings: readonly Setting[], shape: Shape): readonly Setting[] =>
  Object.entries(shape).flatMap(([name, key]) => {
    const own = settings.filter((setting) => setting.name === name);
    if (own.length > 0) return written(name, key, own, shape);
    return isIdle(name, settings) ? [] : defaultOf(name, key);
  });

/** The pool of an upstream keeps no more idle connections than it may have. */
const fitPool = (setting: Setting): Setting => {
  if (setting.name !== 'connection-pool') {
    return setting.children === null ? setting : { ...setting, children: setting.children.map(fitPool) };
  }
  const numberOf = (name: string): unknown => setting.children?.find((child) => child.name === name)?.args[0]?.value;
  const [most, idle] = [numberOf('max-connections'), numberOf('max-idle')];
  if (typeof most !== 'number' || typeof idle !== 'number' || idle <= most) return setting;
  const children = (setting.children ?? []).map((child) =>
    child.name === 'max-idle' ? made('max-idle', [{ value: most, position: null, hidden: false }], null) : child,
  );
  return { ...setting, children };
};

/**
 * A configuration without errors as the gateway understands it: defaults filled in, keys in the order of the reference, what
 * is secret hidden. Options of agents are as they were written: the agent fills them in.
 */
export const effectiveSettings = (settings: readonly Setting[]): readonly Setting[] =>
  completed(settings, gatewayShape).map(fitPool);
