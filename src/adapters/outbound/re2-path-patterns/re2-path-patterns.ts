import { RE2JS } from 're2js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import { err, ok } from '../../../domain/shared/result.js';

/** Maximum characters of a pattern. */
const maxPatternLength = 1024;

/** Maximum instructions of a compiled pattern; matching time grows with them. */
const maxProgramSize = 1000;

/**
 * Compiles path patterns with RE2, which matches in linear time and therefore lacks look-around and
 * back-references. A pattern matches anywhere unless `^` and `$` anchor it.
 */
export const re2PathPatterns: PathPatternCompiler = (pattern) => {
  if (pattern.length > maxPatternLength) return err(`it is longer than ${maxPatternLength} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > maxProgramSize) return err('it is too complex: reduce nested repetitions');
    return ok((path) => compiled.test(path));
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown.message : String(thrown));
  }
};
