import type { SourcePosition } from '../configuration-problem.js';
import type { Setting } from '../setting/setting.js';
import type { ProblemReport } from './problem-report.js';

/** The result of reading a key. */
export interface Field<Value> {
  /** The value or the default. If `sound` is false, a placeholder that only lets checking continue. */
  readonly value: Value;
  /** The key is present. */
  readonly given: boolean;
  /** The value is valid. Rules that compare keys skip unsound ones. */
  readonly sound: boolean;
  readonly position: SourcePosition | null;
  /** It came from a variable or a file: no message may show it. */
  readonly hidden?: boolean;
}

/** The place of a key: its block and the path to it. */
export interface ReadContext {
  readonly report: ProblemReport;
  /** Names of the enclosing blocks, outermost first. */
  readonly path: readonly string[];
  /** The position of the block. */
  readonly position: SourcePosition | null;
}

/** The type of a key of another gateway. No message suggests it. */
export const foreignType = 'key of another gateway';

/** The type of a key of earlier versions. */
export const replacedType = 'replaced';

/** A row of the reference page. */
export interface KeyDocument {
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
}

/** A key of a block: its reader and its row in the reference. */
export interface Key<Value> {
  /** `settings` holds every setting of that name in the block, in order; empty: the key is absent. */
  readonly read: (name: string, settings: readonly Setting[], context: ReadContext) => Field<Value>;
  readonly document: KeyDocument;
  /** The keys of its block; null: it has none. */
  readonly shape: Shape | null;
  readonly secret: boolean;
}

/** The keys of a block. */
export type Shape = Readonly<Record<string, Key<unknown>>>;

/** The result of reading a block. */
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

/** A text for a message, in quotes, or a neutral phrase if it is hidden. */
export const keyValueText = ({ value, hidden }: { readonly value: string; readonly hidden?: boolean }): string =>
  hidden === true ? 'that was given' : `"${value}"`;

/** Names of secret keys in a block and its inner blocks. */
export const secretKeyNames = (shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, key]) => [
    ...(key.secret ? [name] : []),
    ...(key.shape === null ? [] : secretKeyNames(key.shape)),
  ]);

/** The key is present and not `#null`. */
export const isWritten = ({ given, value, sound }: Field<unknown>): boolean => given && !(sound && value === null);
