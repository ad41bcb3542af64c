const width = 100;

/** Splits at spaces outside code spans, so that no code span is broken. */
const wordsOf = (text: string): readonly string[] => text.match(/(?:`[^`]*`|[^\s`])+/g) ?? [];

const wrapBlock = (lines: readonly string[]): readonly string[] => {
  const indent = /^(\s*)((?:[-*]|\d+\.) )?/.exec(lines[0] ?? '');
  const first = `${indent?.[1] ?? ''}${indent?.[2] ?? ''}`;
  const rest = ' '.repeat(first.length);
  const wrapped: string[] = [];
  let line = first;
  for (const word of wordsOf(lines.join(' ').slice(first.length))) {
    const isEmpty = line === first || line === rest;
    if (!isEmpty && line.length + 1 + word.length > width) {
      wrapped.push(line);
      line = rest + word;
    } else line += isEmpty ? word : ` ${word}`;
  }
  return [...wrapped, line];
};

const isVerbatim = (line: string): boolean => /^\s*(?:\||#|<|>|$)/.test(line);
const isItem = (line: string): boolean => /^\s*(?:[-*]|\d+\.) /.test(line);

/** Wraps the paragraphs and list items of a Markdown page at 100 columns. Tables, headings and code stay as they are. */
export const wrapProse = (page: string): string => {
  const output: string[] = [];
  let block: string[] = [];
  const flush = (): void => {
    if (block.length > 0) output.push(...wrapBlock(block));
    block = [];
  };
  let isVerbatimBlock = false;
  for (const line of page.split('\n')) {
    const isFence = /^\s*```/.test(line);
    const isComment = line.startsWith('<!--');
    if (isFence || isComment || isVerbatimBlock || isVerbatim(line)) {
      flush();
      output.push(line);
      if (isFence) isVerbatimBlock = !isVerbatimBlock;
      else if (isComment) isVerbatimBlock = true;
      if (line.endsWith('-->')) isVerbatimBlock = false;
      continue;
    }
    if (isItem(line)) flush();
    block.push(block.length === 0 ? line : line.trim());
  }
  flush();
  return output.join('\n');
};
