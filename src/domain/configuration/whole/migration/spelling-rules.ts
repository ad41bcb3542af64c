import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { agentShape } from '../../../gateway/configuration/agent-schema.js';
import { gatewayShape } from '../../../gateway/configuration/gateway-schema.js';
import { routeShape } from '../../../gateway/configuration/route-schema.js';
import type { Key, Shape } from '../../schema/schema.js';
import type { Setting } from '../../setting/setting.js';
import { currentKeyName } from './current-key-name.js';
import type { PlanDraft, SettingPath } from './migration-step.js';

/** The current name of a key that differs only in underscores and case; null: it does not. */
const properName = (name: string, shape: Shape): string | null => {
  if (Object.hasOwn(shape, name)) return null;
  const spelt = currentKeyName(name);
  return Object.hasOwn(shape, spelt) ? spelt : null;
};

const takesText = ({ document }: Key<unknown>): boolean =>
  document.type === 'string' || document.type === 'list of string';

const planArguments = (setting: Setting, key: Key<unknown>, path: SettingPath, plan: PlanDraft): void => {
  if (setting.children !== null || setting.properties.length > 0) return;
  setting.args.forEach(({ value, hidden, position }, argument) => {
    if (hidden) return;
    const line = position?.line ?? 1;
    const step = (to: string | boolean) => ({ kind: 'retype', setting: path, argument, value: to }) as const;
    if (key.document.type === 'boolean' && (value === 'true' || value === 'false')) {
      plan.add(step(value === 'true'), line, `"${setting.name}" takes #${value}, not text`);
    } else if (takesText(key) && typeof value === 'number' && Number.isSafeInteger(value)) {
      plan.add(step(String(value)), line, `"${setting.name}" takes text, not a number`);
    }
  });
};

const planBlock = (settings: readonly Setting[], shape: Shape, parent: SettingPath, plan: PlanDraft): void => {
  settings.forEach((setting, index) => {
    const path = [...parent, index];
    const proper = properName(setting.name, shape);
    const name = proper ?? setting.name;
    if (proper !== null) {
      const line = setting.position?.line ?? 1;
      plan.add({ kind: 'rename', setting: path, name }, line, `"${setting.name}" becomes "${name}"`);
    }
    const key = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (key === undefined) return;
    const inner = name === 'config' && shape === agentShape ? agentOptionsShape : key.shape;
    planArguments(setting, key, path, plan);
    if (inner !== null) planBlock(setting.children ?? [], inner, path, plan);
  });
};

/** A route that may contain the keys of its blocks directly. */
const flatRouteShape: Shape = { ...routeShape.matches.shape, ...routeShape.policies.shape, ...routeShape };

const flatRoute: Key<unknown> = { ...gatewayShape.route, shape: flatRouteShape };

/** The keys of older files. */
const olderShape: Shape = {
  ...gatewayShape,
  ...gatewayShape.listeners.shape,
  ...gatewayShape.upstreams.shape,
  ...gatewayShape.agents.shape,
  server: gatewayShape.system,
  routes: { ...gatewayShape.routes, shape: { route: flatRoute } },
  route: flatRoute,
};

/** Corrects the spelling of keys, and the types of values. */
export const planSpelling = (settings: readonly Setting[], plan: PlanDraft): void =>
  planBlock(settings, olderShape, [], plan);
