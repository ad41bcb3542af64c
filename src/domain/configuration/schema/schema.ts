import type { SourcePosition } from '../configuration-problem.js';
import type { Setting } from '../setting/setting.js';
import type { ProblemReport } from './problem-report.js';

/** What a key was found to be. */
export interface Field<Value> {
  /** The value, the default, or, where `sound` is false, a stand-in that must not be used for anything but going on. */
  readonly value: Value;
  /** The key was written. */
  readonly given: boolean;
  /** It could be read. Rules that look at several keys leave unsound ones alone. */
  readonly sound: boolean;
  readonly position: SourcePosition | null;
  /** It came from a variable or a file: no message may show it. */
  readonly hidden?: boolean;
}

/** Where a key is read: its block, and the way there. */
export interface ReadContext {
  readonly report: ProblemReport;
  /** Names from the top to the block. */
  readonly path: readonly string[];
  /** The place of the block. */
  readonly position: SourcePosition | null;
}

/** A line of the reference page. */
export interface KeyDocument {
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
}

/** A key of a block: how the settings that bear its name are read, and what the reference page says. */
export interface Key<Value> {
  /** `settings` holds every setting of that name in the block, in order; it is empty where the key is absent. */
  readonly read: (name: string, settings: readonly Setting[], context: ReadContext) => Field<Value>;
  readonly document: KeyDocument;
  /** The keys of the block that it opens. */
  readonly shape: Shape | null;
  readonly secret: boolean;
}

/** The keys of a block. */
export type Shape = Readonly<Record<string, Key<unknown>>>;

/** What reading a block gives. */
export type Fields<S extends Shape> = {
  readonly [Name in keyof S]: S[Name] extends Key<infer Value> ? Field<Value> : never;
};

export interface Located<Value> {
  readonly value: Value;
  readonly position: SourcePosition | null;
  /** It is an item of a JSON array. */
  readonly listed?: boolean;
  /** It came from a variable or a file: no message may show it. */
  readonly hidden?: boolean;
}

/** A text for a message: itself in quotes, or words that give nothing away. */
export const keyValueText = ({ value, hidden }: { readonly value: string; readonly hidden?: boolean }): string =>
  hidden === true ? 'that was given' : `"${value}"`;

/** Keys that hold secrets, in a block and all blocks inside it. */
export const secretKeyNames = (shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, key]) => [
    ...(key.secret ? [name] : []),
    ...(key.shape === null ? [] : secretKeyNames(key.shape)),
  ]);
