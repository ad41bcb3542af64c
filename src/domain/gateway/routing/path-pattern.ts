import type { Result } from '../../shared/result.js';

/** Whether a path matches; takes time linear in the length of the path. */
export type PathTest = (path: string) => boolean;

/** A part of a path that a pattern matches. */
export interface PathPatternMatch {
  /** Offsets in the path. */
  readonly start: number;
  readonly end: number;
  /** Texts of the groups, from `$1`. Empty for a group that did not take part. */
  readonly groups: readonly string[];
}

/** A compiled regular expression for paths. As a function it is a `PathTest`. */
export type CompiledPathPattern = PathTest & {
  readonly groupCount: number;
  /** The first matches from left to right, at most `limit`. Takes time linear in the path for each match. */
  readonly matches: (path: string, limit: number) => readonly PathPatternMatch[];
};

/** Compiles a `path-regex`. */
export type PathTestCompiler = (pattern: string) => Result<PathTest, string>;

/**
 * Compiles a regular expression in RE2 syntax. It matches any part of the path, as in nginx; `^` and `$` anchor it. The
 * error is a message for the user.
 */
export type PathPatternCompiler = (pattern: string) => Result<CompiledPathPattern, string>;

/**
 * The error in a regular expression; null: it is valid.
 *
 * @param groups the number of groups that it must have
 */
export type PatternFault = (source: string, groups?: number) => string | null;
