/** Literal text in a pattern. */
export interface PatternLiterals {
  /** Prefix of every matching path: `/api/v` of `^/api/v\d+`. Empty if the pattern does not begin with `^`. */
  readonly prefix: string;
  /** Further literals in every matching path: `/items/` of `^/api/\w+/items/\d+`. */
  readonly inner: readonly string[];
}

const nothing: PatternLiterals = { prefix: '', inner: [] };

const metacharacters: ReadonlySet<string> = new Set('.+*?()|[]{}^$\\');
const punctuation: ReadonlySet<string> = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
/** Single-letter escapes of classes and assertions. */
const classEscapes: ReadonlySet<string> = new Set('dDwWsSbBAz');

/** The offset after a character class that begins at `start`. */
const classEnd = (pattern: string, start: number): number => {
  let index = start + 1;
  if (pattern[index] === '^') index += 1;
  if (pattern[index] === ']') index += 1;
  while (index < pattern.length && pattern[index] !== ']') {
    if (pattern[index] === '\\') index += 2;
    else if (pattern.startsWith('[:', index)) {
      const end = pattern.indexOf(':]', index + 2);
      index = end < 0 ? index + 1 : end + 2;
    } else index += 1;
  }
  return index + 1;
};

/** The offset after a group that begins at `start`; -1: it may set flags for the following text. */
const groupEnd = (pattern: string, start: number): number => {
  let depth = 0;
  let index = start;
  while (index < pattern.length) {
    const character = pattern[index];
    if (character === '\\') {
      if (pattern[index + 1] === 'Q') return -1;
      index += 2;
      continue;
    }
    if (character === '[') {
      index = classEnd(pattern, index);
      continue;
    }
    if (character === '(') {
      depth += 1;
      if (pattern[index + 1] === '?' && !':P<'.includes(pattern[index + 2] ?? ' ')) return -1;
    }
    if (character === ')') depth -= 1;
    index += 1;
    if (depth === 0) return index;
  }
  return -1;
};

/** The offset after a non-literal element; -1: unsupported. */
const skipSpecial = (pattern: string, index: number): number => {
  switch (pattern[index]) {
    case '|':
      return -1;
    case '(':
      return groupEnd(pattern, index);
    case '[':
      return classEnd(pattern, index);
    case '{': {
      const end = pattern.indexOf('}', index);
      return end < 0 ? -1 : end + 1;
    }
    case '\\':
      return classEscapes.has(pattern[index + 1] ?? ' ') ? index + 2 : -1;
    default:
      return index + 1;
  }
};

/**
 * The literals that every path must contain to match a valid pattern (RE2 syntax). Only obvious ones are returned: none
 * for a top-level alternation, flags or rare escapes.
 */
export const patternLiterals = (pattern: string): PatternLiterals => {
  const runs: string[] = [];
  const anchored = pattern.startsWith('^');
  let run = '';
  let index = anchored ? 1 : 0;
  let prefix: string | null = anchored ? null : '';
  const endRun = (): void => {
    if (prefix === null) prefix = run;
    else if (run !== '') runs.push(run);
    run = '';
  };
  while (index < pattern.length) {
    const character = pattern[index] as string;
    const escaped = character === '\\' ? (pattern[index + 1] ?? '') : null;
    const isLiteral = escaped === null ? !metacharacters.has(character) : punctuation.has(escaped);
    if (!isLiteral) {
      endRun();
      index = skipSpecial(pattern, index);
      if (index < 0) return nothing;
      continue;
    }
    const next = index + (escaped === null ? 1 : 2);
    const quantifier = pattern[next];
    // Optional text is not required, and no path contains non-ASCII characters.
    const isOptional = quantifier === '*' || quantifier === '?' || quantifier === '{';
    if (isOptional || character > '~') endRun();
    else run += escaped ?? character;
    index = next;
  }
  endRun();
  return { prefix: prefix ?? '', inner: runs };
};
