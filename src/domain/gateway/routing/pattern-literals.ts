/** Text that is plain to see in a pattern. */
export interface PatternLiterals {
  /** What every matching path begins with: `/api/v` of `^/api/v\d+`. Empty where the pattern is not anchored by `^`. */
  readonly prefix: string;
  /** Further texts that every matching path holds somewhere: `/items/` of `^/api/\w+/items/\d+`. */
  readonly inner: readonly string[];
}

const nothing: PatternLiterals = { prefix: '', inner: [] };

const metacharacters: ReadonlySet<string> = new Set('.+*?()|[]{}^$\\');
const punctuation: ReadonlySet<string> = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
/** Escapes of one letter that stand for no text of their own. */
const classEscapes: ReadonlySet<string> = new Set('dDwWsSbBAz');

/** The offset behind a character class that opens at `start`. */
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

/** The offset behind a group that opens at `start`, or -1 where it may set flags for what comes after it. */
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

/** The offset behind something that is no literal, or -1 where its meaning is not plain. */
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
 * The texts that a path has to hold so that a valid pattern (RE2 syntax) can match it. What is not plain to see is left
 * out; a pattern with an alternation outside every group, with flags or with rarer escapes has none.
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
    // What may be there not at all is required by nobody; no path holds what is not ASCII.
    const isOptional = quantifier === '*' || quantifier === '?' || quantifier === '{';
    if (isOptional || character > '~') endRun();
    else run += escaped ?? character;
    index = next;
  }
  endRun();
  return { prefix: prefix ?? '', inner: runs };
};
