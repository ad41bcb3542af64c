import { RE2JS } from 're2js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import { err, ok } from '../../../domain/shared/result.js';

/** Characters of a pattern at most. */
const maxPatternLength = 1024;

/** Instructions of a compiled pattern at most: the time that a path takes grows with them. */
const maxProgramSize = 1000;

/**
 * Compiles path patterns with RE2, whose matching takes linear time and which has therefore no look-around and no
 * back-references. A pattern matches anywhere in the path unless `^` and `$` anchor it.
 */
export const re2PathPatterns: PathPatternCompiler = (pattern) => {
  if (pattern.length > maxPatternLength) return err(`it is longer than ${maxPatternLength} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > maxProgramSize) return err('it is too large: its repetitions multiply');
    return ok((path) => compiled.test(path));
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown.message : String(thrown));
  }
};
