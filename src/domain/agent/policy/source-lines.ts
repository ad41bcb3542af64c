/** A range of a source text in UTF-16 offsets: `start` is inclusive, `end` exclusive. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** A position in a source text. Line and column count from 1; columns are UTF-16 code units. */
export interface PolicyPosition {
  readonly line: number;
  readonly column: number;
}

const lineFeed = '\n';

/** A line index of one source text. */
export interface SourceLines {
  /** Clamps offsets outside the text. */
  positionAt(offset: number): PolicyPosition;
  /** The text of a line without its line end. Lines count from 1; a line that does not exist is empty. */
  lineAt(line: number): string;
}

const lineStarts = (text: string): Uint32Array => {
  let count = 1;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count += 1;
  const starts = new Uint32Array(count);
  let line = 1;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) {
    starts[line] = at + 1;
    line += 1;
  }
  return starts;
};

/** Indexes the lines of `text`. A line ends with LF or CRLF. */
export const sourceLines = (text: string): SourceLines => {
  const starts = lineStarts(text);
  const lineOf = (offset: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    positionAt: (offset) => {
      const inside = Math.max(0, Math.min(offset, text.length));
      const line = lineOf(inside);
      return { line: line + 1, column: inside - (starts[line] ?? 0) + 1 };
    },
    lineAt: (line) => {
      const start = starts[line - 1];
      if (start === undefined) return '';
      const next = starts[line];
      const end = next === undefined ? text.length : next - 1;
      const hasReturn = next !== undefined && end > start && text[end - 1] === '\r';
      return text.slice(start, hasReturn ? end - 1 : end);
    },
  };
};
