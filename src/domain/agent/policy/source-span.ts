/** A piece of a source text, as UTF-16 offsets: from `start` to before `end`. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** A place in a source text; both count from 1, columns in UTF-16 code units. */
export interface PolicyPosition {
  readonly line: number;
  readonly column: number;
}
