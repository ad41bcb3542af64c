/** Largest examined offset in a literal. */
const longest = 2_097_152;

/** A backslash and following white space, including line ends, are dropped (KDL 2.0.0, section 3.12). */
const skipped = /\\\s+/y;

const unicodeEscape = /\\u\{([0-9a-fA-F]{1,6})\}/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The end of the literal content that begins at `start`; -1: none. */
const contentEnd = (text: string, start: number, fence: string, isRaw: boolean): number => {
  if (isRaw) return text.indexOf(fence, start);
  let at = start;
  while (at < text.length && !text.startsWith(fence, at)) at += text.charAt(at) === '\\' ? 2 : 1;
  return at < text.length ? at : -1;
};

/** The lengths in code units, in the source and in the value, of the element at an offset. */
const unitAt = (text: string, at: number, isRaw: boolean): readonly [source: number, value: number] => {
  if (isRaw || text.charAt(at) !== '\\') return text.startsWith('\r\n', at) && !isRaw ? [2, 1] : [1, 1];
  const blank = matchAt(skipped, text, at);
  if (blank !== null) return [blank[0].length, 0];
  const code = matchAt(unicodeEscape, text, at);
  if (code === null) return [2, 1];
  return [code[0].length, Number.parseInt(code[1] ?? '0', 16) > 0xffff ? 2 : 1];
};

/** Advances until the value has the wanted length. `missing` is the rest at the end of the range. */
const walk = (
  text: string,
  range: readonly [start: number, end: number],
  wanted: number,
  isRaw: boolean,
): { readonly at: number; readonly missing: number } => {
  let [at] = range;
  let missing = wanted;
  while (missing > 0 && at < range[1]) {
    const [source, value] = unitAt(text, at, isRaw);
    at += source;
    missing -= value;
  }
  // Dropped white space belongs to the following element.
  for (let blank = matchAt(skipped, text, at); !isRaw && missing === 0 && blank !== null && at < range[1]; ) {
    at += blank[0].length;
    blank = matchAt(skipped, text, at);
  }
  return { at, missing };
};

/** In a multi-line literal, every line loses the indentation of the last line (KDL 2.0.0, section 3.11.3). */
const offsetInLines = (text: string, start: number, end: number, wanted: number, isRaw: boolean): number | null => {
  const first = matchAt(/[ \t]*(?:\r\n|[\n\r])/y, text, start);
  if (first === null) return null;
  const indent = /[^\n\r]*$/.exec(text.slice(start, end))?.[0].length ?? 0;
  let at = start + first[0].length;
  let missing = wanted;
  while (at < end) {
    const line = matchAt(/[^\n\r]*/y, text, at)?.[0] ?? '';
    const lineEnd = at + line.length;
    const content = line.trim() === '' ? lineEnd : at + indent;
    const found = walk(text, [content, lineEnd], missing, isRaw);
    if (found.missing === 0) return found.at;
    missing = found.missing - 1;
    at = lineEnd + (text.startsWith('\r\n', lineEnd) ? 2 : 1);
  }
  return null;
};

/**
 * Converts an offset in a string value to an offset in the text (KDL 1 or 2). The string literal begins at `start`.
 * Null: there is no literal.
 */
export const literalOffset = (text: string, start: number, offset: number): number | null => {
  const opening = matchAt(/(r?)(#*)("""|")/y, text, start);
  if (opening === null || offset > longest) return null;
  const [whole, old = '', hashes = '', quotes = '"'] = opening;
  const isRaw = old !== '' || hashes !== '';
  const quote = old === '' ? quotes : '"';
  const content = start + whole.length - (quotes.length - quote.length);
  const end = contentEnd(text, content, quote + hashes, isRaw);
  if (end < 0) return null;
  if (quote === '"""') return offsetInLines(text, content, end, offset, isRaw);
  const found = walk(text, [content, end], offset, isRaw);
  return found.missing > 0 ? null : found.at;
};
