import { RE2JS } from 're2js';
import type { PathPatternCompiler, PathPatternMatch } from '../../../domain/gateway/routing/path-pattern.js';
import { err, ok } from '../../../domain/shared/result.js';

/** Maximum characters of a pattern. */
const maxPatternLength = 1024;

/** Maximum instructions of a compiled pattern; matching time grows with them. */
const maxProgramSize = 1000;

const matchesOf = (compiled: RE2JS, path: string, limit: number): readonly PathPatternMatch[] => {
  const found: PathPatternMatch[] = [];
  const matcher = compiled.matcher(path);
  while (found.length < limit && matcher.find()) {
    const groups = Array.from({ length: compiled.groupCount() }, (_, index) => matcher.group(index + 1) ?? '');
    found.push({ start: matcher.start(), end: matcher.end(), groups });
  }
  return found;
};

/**
 * Compiles path patterns with RE2, which matches in linear time and therefore lacks look-around and
 * back-references. A pattern matches anywhere unless `^` and `$` anchor it.
 */
export const re2PathPatterns: PathPatternCompiler = (pattern) => {
  if (pattern.length > maxPatternLength) return err(`it is longer than ${maxPatternLength} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > maxProgramSize) return err('it is too complex: reduce nested repetitions');
    const test = (path: string): boolean => compiled.test(path);
    return ok(
      Object.assign(test, {
        groupCount: compiled.groupCount(),
        matches: (path: string, limit: number) => matchesOf(compiled, path, limit),
      }),
    );
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown.message : String(thrown));
  }
};
