import type { SourcePosition } from '../configuration-problem.js';

/** One value of a configuration. */
export interface SettingScalar {
  readonly value: string | number | boolean | null;
  readonly position: SourcePosition | null;
  /** It was read from a variable or a file: no message may show it. */
  readonly hidden: boolean;
  /** It refers to something that is not there, which has been reported: there is no value to look at. */
  readonly unresolved?: true;
  /** Where it was read from: the name of the variable, or the whole path of the file. */
  readonly reference?: { readonly kind: 'env' | 'file'; readonly name: string };
}

/**
 * A configuration before it has a meaning: named, positioned, and the same whether it came from a KDL file or from
 * JSON. `route "api" priority=10 { upstream "x" }` has the name `route`, one argument, one property and one child.
 */
export interface Setting {
  readonly name: string;
  readonly args: readonly SettingScalar[];
  readonly properties: readonly SettingProperty[];
  /** Null where there is no block, which is not the same as an empty one. */
  readonly children: readonly Setting[] | null;
  readonly position: SourcePosition | null;
  /** It was written as a JSON array, which may be empty or have one item; KDL has no such form. */
  readonly listed: boolean;
}

export interface SettingProperty {
  readonly name: string;
  readonly value: SettingScalar;
  /** Where its name stands. */
  readonly position: SourcePosition | null;
}

/** Blocks inside blocks, at most. */
export const maximumSettingDepth = 64;

/** What a setting holds besides its arguments: its properties, which count as children, then its children. */
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
