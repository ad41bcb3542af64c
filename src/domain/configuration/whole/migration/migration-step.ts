/** The path to a setting: its index at top level, then among the children of that setting, and so on. */
export type SettingPath = readonly number[];

/** A member of a block: a child, or a property that is equivalent to one. */
export type MemberReference =
  | { readonly kind: 'child'; readonly index: number }
  | { readonly kind: 'property'; readonly name: string };

/** A key that replaces a member. Without a value it keeps that of the member. */
export interface MigratedKey {
  readonly name: string;
  readonly value?: number | string;
}

/** A member that moves to another block, with the keys that replace it there. */
export interface MovedMember {
  readonly member: MemberReference;
  readonly keys: readonly MigratedKey[];
}

/** One change to a file. Paths refer to the original file, whatever other steps exist. */
export type MigrationStep =
  /** Renames a setting. */
  | { readonly kind: 'rename'; readonly setting: SettingPath; readonly name: string }
  /** Wraps consecutive top-level settings in a new block. */
  | { readonly kind: 'wrap'; readonly settings: readonly number[]; readonly block: string }
  /** Moves members of a block into an inner block, and creates it if necessary. */
  | {
      readonly kind: 'nest';
      readonly parent: SettingPath;
      readonly members: readonly MovedMember[];
      readonly block: string;
    }
  /** Moves a member to a block inside `home`, or at top level if `home` is empty. Creates missing blocks. */
  | {
      readonly kind: 'lift';
      readonly parent: SettingPath;
      readonly member: MovedMember;
      readonly home: SettingPath;
      readonly block: string;
    }
  /** Removes a member of a block. The comments next to it and in it stay. */
  | { readonly kind: 'remove'; readonly parent: SettingPath; readonly member: MemberReference }
  /** Removes a top-level setting in the same way. */
  | { readonly kind: 'drop'; readonly setting: number }
  /** Replaces an argument, or a property by its name. */
  | {
      readonly kind: 'retype';
      readonly setting: SettingPath;
      readonly argument: number | string;
      readonly value: string | boolean;
    };

/** A note about a line of a file. */
export interface MigrationNote {
  readonly line: number;
  readonly message: string;
}

/** The changes to a file. Notes are in line order. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  /** Describes the steps. */
  readonly changes: readonly MigrationNote[];
  /** Remaining work for a person. */
  readonly left: readonly MigrationNote[];
}

/** Collects the parts of a plan. */
export class PlanDraft implements MigrationPlan {
  readonly steps: MigrationStep[] = [];
  readonly changes: MigrationNote[] = [];
  readonly left: MigrationNote[] = [];

  add(step: MigrationStep, line: number, message: string): void {
    this.steps.push(step);
    this.changes.push({ line, message });
  }

  leave(line: number, message: string): void {
    this.left.push({ line, message });
  }
}
