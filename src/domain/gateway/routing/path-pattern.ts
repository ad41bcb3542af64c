import type { Result } from '../../shared/result.js';

/** Whether a path matches; takes time linear in the length of the path. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a `path-regex` (RE2 syntax). It matches anywhere in the path, as in nginx: `^` and `$` anchor it. The error
 * says what is wrong, for the one who wrote it.
 */
export type PathPatternCompiler = (pattern: string) => Result<PathTest, string>;
