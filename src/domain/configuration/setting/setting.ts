import type { SourcePosition } from '../configuration-problem.js';

/** One value of a configuration. */
export interface SettingScalar {
  readonly value: string | number | boolean | null;
  readonly position: SourcePosition | null;
  /** It came from a variable or a file: no message may show it. */
  readonly hidden: boolean;
  /** The reference is unresolved and already reported, so there is no value. */
  readonly unresolved?: true;
  /** The name of the variable, or the absolute path of the file. */
  readonly reference?: { readonly kind: 'env' | 'file'; readonly name: string };
}

/**
 * A raw setting with name and position, from KDL or JSON. `route "api" priority=10 { upstream "x" }` has the name
 * `route`, one argument, one property and one child.
 */
export interface Setting {
  readonly name: string;
  readonly args: readonly SettingScalar[];
  readonly properties: readonly SettingProperty[];
  /** Null: no block, which differs from an empty block. */
  readonly children: readonly Setting[] | null;
  readonly position: SourcePosition | null;
  /** It was a JSON array, which may have fewer than two items; KDL has no such form. */
  readonly listed: boolean;
}

export interface SettingProperty {
  readonly name: string;
  readonly value: SettingScalar;
  /** The position of its name. */
  readonly position: SourcePosition | null;
}

/** Largest depth of nested blocks. */
export const maximumSettingDepth = 64;

/** The properties of a setting, as children, followed by its children. */
export const members = (setting: Setting): readonly Setting[] => [
  ...setting.properties.map(
    (property): Setting => ({
      name: property.name,
      args: [property.value],
      properties: [],
      children: null,
      position: property.position,
      listed: false,
    }),
  ),
  ...(setting.children ?? []),
];

export const hasMembers = (setting: Setting): boolean => setting.children !== null || setting.properties.length > 0;

/** The setting has `#null` as its only value, and nothing else. */
export const isNullSetting = (setting: Setting): boolean => {
  const [first] = setting.args;
  return first?.value === null && first.unresolved !== true && setting.args.length === 1 && !hasMembers(setting);
};
