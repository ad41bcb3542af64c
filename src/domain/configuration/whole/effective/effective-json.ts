import { agentOptionsShape } from '../../../agent/configuration/agent-options-schema.js';
import { agentShape } from '../../../gateway/configuration/agent-schema.js';
import { gatewayShape } from '../../../gateway/configuration/gateway-schema.js';
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import type { Key, Shape } from '../../schema/schema.js';
import { hasMembers, members, type Setting, type SettingScalar } from '../../setting/setting.js';
import { isGroup } from './setting-group.js';

const scalarJson = ({ value, reference }: SettingScalar): JsonValue =>
  reference === undefined ? value : `(${reference.kind})${reference.name}`;

const innerShape = (key: Key<unknown> | undefined, name: string, shape: Shape | null): Shape | null => {
  if (name === 'config' && shape === agentShape) return agentOptionsShape;
  return key?.shape ?? null;
};

const valueJson = (setting: Setting, shape: Shape | null): JsonValue => {
  const args = setting.args.map(scalarJson);
  if (!hasMembers(setting)) return args.length === 0 ? true : ((args.length === 1 ? args[0] : args) as JsonValue);
  const inner = blockJson(members(setting), shape);
  if (args.length === 0) return inner;
  return Object.fromEntries([['name', (args.length === 1 ? args[0] : args) as JsonValue], ...Object.entries(inner)]);
};

/** A repeatable key is an array even if it occurs once. */
const isMany = (key: Key<unknown>): boolean =>
  key.document.type.startsWith('list of') || (key.document.type.includes('may be repeated') && !isGroup(key));

const blockJson = (settings: readonly Setting[], shape: Shape | null): JsonObject => {
  const names = [...new Set(settings.map(({ name }) => name))];
  return Object.fromEntries(
    names.map((name): readonly [string, JsonValue] => {
      const key = shape !== null && Object.hasOwn(shape, name) ? shape[name] : undefined;
      const inner = innerShape(key, name, shape);
      const values = settings
        .filter((setting) => setting.name === name)
        .flatMap((setting): readonly JsonValue[] =>
          hasMembers(setting) || !(key?.document.type.startsWith('list of') ?? false)
            ? [valueJson(setting, inner)]
            : setting.args.map(scalarJson),
        );
      const [first] = values;
      return values.length === 1 && first !== undefined && !(key !== undefined && isMany(key))
        ? [name, first]
        : [name, values];
    }),
  );
};

/** Converts the result of `effectiveSettings` to JSON. A reference becomes the text `(env)NAME` or `(file)/path`. */
export const effectiveJson = (settings: readonly Setting[]): JsonObject => blockJson(settings, gatewayShape);
