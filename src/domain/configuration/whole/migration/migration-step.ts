/** A setting of a file: its number among the top ones, then its number among the children of that, and so on. */
export type SettingPath = readonly number[];

/** A member of a block: one of its children, or a property that stands for one. */
export type MemberReference =
  | { readonly kind: 'child'; readonly index: number }
  | { readonly kind: 'property'; readonly name: string };

/** A key that takes the place of a member; without a value it has what the member had. */
export interface MigratedKey {
  readonly name: string;
  readonly value?: number | string;
}

/** A member that goes into another block, and the keys that it becomes there. */
export interface MovedMember {
  readonly member: MemberReference;
  readonly keys: readonly MigratedKey[];
}

/** One change of how a file is written. Paths are those of the file as it was, whatever other steps there are. */
export type MigrationStep =
  /** A setting gets another name. */
  | { readonly kind: 'rename'; readonly setting: SettingPath; readonly name: string }
  /** Settings at the top that follow one another go into a new block together. */
  | { readonly kind: 'wrap'; readonly settings: readonly number[]; readonly block: string }
  /** Members of a block go into a block inside it, which is made where there is none. */
  | {
      readonly kind: 'nest';
      readonly parent: SettingPath;
      readonly members: readonly MovedMember[];
      readonly block: string;
    }
  /**
   * A member of a block goes into a block of another one, or of the file where `home` is empty; both are made where
   * they are not.
   */
  | {
      readonly kind: 'lift';
      readonly parent: SettingPath;
      readonly member: MovedMember;
      readonly home: SettingPath;
      readonly block: string;
    }
  /** A member of a block is removed; the comments next to it and in it stay. */
  | { readonly kind: 'remove'; readonly parent: SettingPath; readonly member: MemberReference }
  /** A setting of the file is removed, as a member is. */
  | { readonly kind: 'drop'; readonly setting: number }
  /** An argument, or a property by its name, gets another value. */
  | {
      readonly kind: 'retype';
      readonly setting: SettingPath;
      readonly argument: number | string;
      readonly value: string | boolean;
    };

/** Something to say of a line of a file. */
export interface MigrationNote {
  readonly line: number;
  readonly message: string;
}

/** What is to be changed in a file, in the order of its lines as far as notes go. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  /** What the steps do. */
  readonly changes: readonly MigrationNote[];
  /** What no rule can change without a guess. */
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
