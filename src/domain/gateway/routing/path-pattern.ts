import type { Result } from '../../shared/result.js';

/** Whether a path matches; takes time linear in the length of the path. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a `path-regex` (RE2 syntax). It matches any part of the path, as in nginx; `^` and `$` anchor it. The error
 * is a message for the user.
 */
export type PathPatternCompiler = (pattern: string) => Result<PathTest, string>;
