import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { hasMembers, maximumSettingDepth, members, type Setting, type SettingScalar } from './setting.js';

type Scalar = SettingScalar['value'];

const oneOrMany = (values: readonly JsonValue[]): JsonValue =>
  values.length === 1 ? (values[0] as JsonValue) : values;

const settingToJson = (setting: Setting): JsonValue => {
  const args = setting.args.map((arg) => arg.value);
  if (hasMembers(setting)) {
    const json = settingsToJson(members(setting));
    if (args.length === 0) return json;
    const own = oneOrMany(args);
    const other = json['name'];
    const name = other === undefined ? own : [own, other];
    return Object.fromEntries([['name', name], ...Object.entries(json).filter(([key]) => key !== 'name')]);
  }
  if (setting.listed) return args;
  return args.length === 0 ? true : oneOrMany(args);
};

/**
 * Converts a block to JSON. One argument becomes a scalar, several an array, and none without children `true`. Children
 * and properties become an object, with an argument as its `name`. A repeated setting becomes an array.
 */
export const settingsToJson = (settings: readonly Setting[]): JsonObject => {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const group = groups.get(setting.name);
    if (group === undefined) groups.set(setting.name, [setting]);
    else group.push(setting);
  }
  // Object.fromEntries makes own members of every name, `__proto__` included.
  return Object.fromEntries(
    [...groups].map(([name, group]) => {
      if (group.length === 1) return [name, settingToJson(group[0] as Setting)];
      // Several settings of several arguments are one list: an array of arrays has no counterpart.
      return [
        name,
        group.flatMap((setting) => {
          const json = settingToJson(setting);
          return Array.isArray(json) ? (json as readonly JsonValue[]) : [json];
        }),
      ];
    }),
  );
};

const isScalar = (value: JsonValue): value is Scalar => value === null || typeof value !== 'object';

const fromScalars = (name: string, values: readonly Scalar[], listed: boolean): Setting => ({
  name,
  args: values.map((value) => ({ value, position: null, hidden: false })),
  properties: [],
  children: null,
  position: null,
  listed,
});

const fromMember = (name: string, value: JsonValue, depth: number): Result<readonly Setting[], string> => {
  if (depth > maximumSettingDepth) return err(`it is nested more than ${maximumSettingDepth} levels deep`);
  if (isScalar(value)) return ok([fromScalars(name, [value], false)]);
  if (isJsonObject(value)) {
    const children = fromMembers(value, depth + 1);
    if (!children.ok) return children;
    return ok([{ name, args: [], properties: [], children: children.value, position: null, listed: false }]);
  }
  const items = value as readonly JsonValue[];
  if (items.every(isScalar)) return ok([fromScalars(name, items, true)]);
  const settings: Setting[] = [];
  for (const item of items) {
    const made = fromMember(name, item, depth + 1);
    if (!made.ok) return made;
    settings.push(...made.value);
  }
  return ok(settings);
};

const fromMembers = (json: JsonObject, depth: number): Result<readonly Setting[], string> => {
  const settings: Setting[] = [];
  for (const [name, value] of Object.entries(json)) {
    const made = fromMember(name, value, depth);
    if (!made.ok) return made;
    settings.push(...made.value);
  }
  return ok(settings);
};

/** Converts a JSON object to settings without positions: the inverse of `settingsToJson`. */
export const settingsFromJson = (json: JsonObject): Result<readonly Setting[], string> => fromMembers(json, 1);
