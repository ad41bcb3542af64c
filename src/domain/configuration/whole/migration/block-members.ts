import type { Setting, SettingScalar } from '../../setting/setting.js';
import { currentKeyName } from './current-key-name.js';
import type { MemberReference } from './migration-step.js';

/** A member of a block, for a migration plan. */
export interface BlockMember {
  /** In current spelling. */
  readonly name: string;
  readonly reference: MemberReference;
  readonly args: readonly SettingScalar[];
  readonly line: number;
}

/** Properties and children of a block, in the order of its members. */
export const blockMembers = (block: Setting): readonly BlockMember[] => [
  ...block.properties.map(
    ({ name, value, position }): BlockMember => ({
      name: currentKeyName(name),
      reference: { kind: 'property', name },
      args: [value],
      line: position?.line ?? 1,
    }),
  ),
  ...(block.children ?? []).map(
    ({ name, args, position }, index): BlockMember => ({
      name: currentKeyName(name),
      reference: { kind: 'child', index },
      args,
      line: position?.line ?? 1,
    }),
  ),
];

/** A named block inside its group or at top level, such as `upstream` in `upstreams`. */
export interface PlacedBlock {
  readonly block: Setting;
  readonly path: readonly number[];
}

/** All blocks of a name, at top level and inside their group. */
export const blocksNamed = (settings: readonly Setting[], name: string, group: string): readonly PlacedBlock[] =>
  settings.flatMap((setting, index): readonly PlacedBlock[] => {
    if (currentKeyName(setting.name) === name) return [{ block: setting, path: [index] }];
    if (currentKeyName(setting.name) !== group) return [];
    return (setting.children ?? []).flatMap((block, child) =>
      currentKeyName(block.name) === name ? [{ block, path: [index, child] }] : [],
    );
  });
