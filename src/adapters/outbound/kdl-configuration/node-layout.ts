import type { Document, Node } from '@bgotink/kdl';

/** The layout of a text. */
export interface TextLayout {
  readonly newline: string;
  /** The indentation of a block. */
  readonly unit: string;
}

const newlineIn = /\r\n|[\n\r]/;

/** Detects the layout of a text. The default indentation is two spaces. */
export const layoutOf = (text: string): TextLayout => ({
  newline: newlineIn.exec(text)?.[0] ?? '\n',
  unit: /\{[ \t]*(?:\/\/[^\n\r]*)?(?:\r\n|[\n\r])+([ \t]+)\S/.exec(text)?.[1] ?? '  ',
});

export const hasLineEnd = (text: string | undefined): boolean => text !== undefined && newlineIn.test(text);

/** Splits a text after its first line end. Without a line end, the first part is empty. */
export const splitFirstLine = (text: string): readonly [string, string] => {
  const end = newlineIn.exec(text);
  return end === null ? ['', text] : [text.slice(0, end.index + end[0].length), text.slice(end.index + end[0].length)];
};

/** Splits the text before a setting after the last blank line. The second part contains its own comments. */
export const splitAtBlank = (text: string): readonly [string, string] => {
  const blank = /^(?:[\s\S]*(?:\r\n|\n|\r(?!\n)))?[ \t]*(?:\r\n|\n|\r(?!\n))/.exec(text);
  return blank === null ? ['', text] : [text.slice(0, blank[0].length), text.slice(blank[0].length)];
};

/** The indentation: white space after the last line end. */
export const lastIndent = (text: string | undefined): string => /[ \t]*$/.exec(text ?? '')?.[0] ?? '';

/** Indents lines. `begins`: the text starts at the beginning of a line. */
const indented = (text: string, by: string, begins: boolean): string => {
  const parts = text.split(/(\r\n|[\n\r])/);
  return parts
    .map((part, index) => {
      const isLine = index % 2 === 0 && (index > 0 || begins);
      const isBlank = part === '' && index < parts.length - 1;
      return isLine && !isBlank ? by + part : part;
    })
    .join('');
};

/** Indents settings with their comments. `begins`: the first one starts at the beginning of a line. */
export const indentNodes = (document: Document, by: string, begins: boolean): void => {
  let atLineStart = begins;
  for (const node of document.nodes) {
    node.leading = indented(node.leading ?? '', by, atLineStart);
    indentInside(node, by);
    atLineStart = hasLineEnd(node.trailing);
  }
  document.trailing = indented(document.trailing ?? '', by, atLineStart && document.nodes.length > 0);
};

/** Indents the inside of a setting and its continuation lines, but not its first line. */
export const indentInside = (node: Node, by: string): void => {
  for (const entry of node.entries) entry.leading = indented(entry.leading ?? '', by, false);
  if (node.children !== null) indentNodes(node.children, by, false);
};

/** Ends the line of a setting. */
export const endLine = (node: Node, newline: string): void => {
  if (hasLineEnd(node.trailing)) return;
  const rest = (node.trailing ?? '').replace(/[;\s]+$/, '');
  node.trailing = rest + newline;
};
