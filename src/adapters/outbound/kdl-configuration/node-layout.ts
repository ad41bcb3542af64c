import type { Document, Node } from '@bgotink/kdl';

/** How the lines of a text are laid out. */
export interface TextLayout {
  readonly newline: string;
  /** What a block is indented by. */
  readonly unit: string;
}

const newlineIn = /\r\n|[\n\r]/;

/** The layout that a text has; two spaces where it has no block on lines of its own. */
export const layoutOf = (text: string): TextLayout => ({
  newline: newlineIn.exec(text)?.[0] ?? '\n',
  unit: /\{[ \t]*(?:\/\/[^\n\r]*)?(?:\r\n|[\n\r])+([ \t]+)\S/.exec(text)?.[1] ?? '  ',
});

export const hasLineEnd = (text: string | undefined): boolean => text !== undefined && newlineIn.test(text);

/** A text before and after the end of its first line; all of it is after, where it has one line. */
export const splitFirstLine = (text: string): readonly [string, string] => {
  const end = newlineIn.exec(text);
  return end === null ? ['', text] : [text.slice(0, end.index + end[0].length), text.slice(end.index + end[0].length)];
};

/**
 * What stands before a setting: up to the last line that is blank, and what is next to it, as its
 * comments are.
 */
export const splitAtBlank = (text: string): readonly [string, string] => {
  const blank = /^(?:[\s\S]*(?:\r\n|\n|\r(?!\n)))?[ \t]*(?:\r\n|\n|\r(?!\n))/.exec(text);
  return blank === null ? ['', text] : [text.slice(0, blank[0].length), text.slice(blank[0].length)];
};

/** The white space after the last line end: what a setting is indented by. */
export const lastIndent = (text: string | undefined): string => /[ \t]*$/.exec(text ?? '')?.[0] ?? '';

/** Lines further in. `begins` says that the text begins a line, and does not go on with one. */
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

/**
 * Settings further in, with the comments between them. The first one goes on with a line where
 * `begins` is false.
 */
export const indentNodes = (document: Document, by: string, begins: boolean): void => {
  let atLineStart = begins;
  for (const node of document.nodes) {
    node.leading = indented(node.leading ?? '', by, atLineStart);
    indentInside(node, by);
    atLineStart = hasLineEnd(node.trailing);
  }
  document.trailing = indented(document.trailing ?? '', by, atLineStart && document.nodes.length > 0);
};

/**
 * What is inside a setting, and the lines that it goes on with, further in; its first line stays.
 */
export const indentInside = (node: Node, by: string): void => {
  for (const entry of node.entries) entry.leading = indented(entry.leading ?? '', by, false);
  if (node.children !== null) indentNodes(node.children, by, false);
};

/** Has a setting end its line. */
export const endLine = (node: Node, newline: string): void => {
  if (hasLineEnd(node.trailing)) return;
  const rest = (node.trailing ?? '').replace(/[;\s]+$/, '');
  node.trailing = rest + newline;
};
