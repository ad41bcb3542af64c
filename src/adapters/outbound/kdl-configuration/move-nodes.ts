import { Document, Entry, Identifier, Node } from '@bgotink/kdl';
import {
  endLine,
  hasLineEnd,
  indentInside,
  lastIndent,
  splitAtBlank,
  splitFirstLine,
  type TextLayout,
} from './node-layout.js';

/** Whether the settings of a block are on separate lines. */
export const isOnLines = ({ children }: Node): boolean =>
  children === null || children.nodes.some((node) => hasLineEnd(node.leading) || hasLineEnd(node.trailing));

/**
 * Removes a setting from a list together with its own comments. Other comments stay. Its leading text is then only its
 * comments and indentation.
 */
export const takeOut = (list: Document, node: Node): void => {
  const index = list.nodes.indexOf(node);
  const [opening, rest] = index === 0 ? splitFirstLine(node.leading ?? '') : ['', node.leading ?? ''];
  const [above, own] = splitAtBlank(rest);
  const before = list.nodes[index - 1];
  const after = list.nodes[index + 1];
  const stays = opening + above;
  if (after === undefined) {
    // A blank line separated it from the setting above. There is nothing left to separate.
    list.trailing = (above.trim() === '' ? opening : stays) + (list.trailing ?? '');
    if (before !== undefined && hasLineEnd(node.trailing) && !hasLineEnd(before.trailing)) {
      before.trailing = (before.trailing ?? '') + (/\r\n|[\n\r]/.exec(node.trailing ?? '')?.[0] ?? '');
    }
  } else if (hasLineEnd(node.trailing) || !hasLineEnd(rest + stays)) {
    after.leading = stays + (after.leading ?? '');
  } else {
    after.leading = stays + lastIndent(own) + (after.leading ?? '').trimStart();
  }
  list.nodes.splice(index, 1);
  node.leading = own;
};

/** Removes a setting from a list. The comments before and after it stay. */
export const removeNode = (list: Document, node: Node): void => {
  const index = list.nodes.indexOf(node);
  const leading = node.leading ?? '';
  const trailing = node.trailing ?? '';
  const comment = trailing.replace(/^[;\s]+/, '').trimEnd();
  const lineEnd = /\r\n|[\n\r]/.exec(trailing)?.[0] ?? '';
  const before = list.nodes[index - 1];
  const after = list.nodes[index + 1];
  const kept = comment === '' ? leading.slice(0, leading.length - lastIndent(leading).length) : leading + comment;
  list.nodes.splice(index, 1);
  if (after !== undefined && lineEnd === '') {
    after.leading = leading + (comment === '' ? '' : `${comment} `) + (after.leading ?? '').trimStart();
  } else if (after !== undefined) {
    after.leading = kept + (comment === '' ? '' : lineEnd) + (after.leading ?? '');
  } else {
    const endsLine = before !== undefined && !hasLineEnd(before.trailing) && comment === '';
    list.trailing = kept + (comment !== '' || endsLine ? lineEnd : '') + (list.trailing ?? '');
    if (lineEnd === '') endInline(list);
  }
};

/** Makes a key from the entries of another setting, optionally with the comments between them. */
export const keyNode = (name: string, entries: readonly Entry[], keepsComments: boolean): Node => {
  const made = new Node(
    new Identifier(name),
    entries.map((entry) => {
      const own = new Entry(entry.value.clone(), entry.name);
      own.leading = keepsComments ? (entry.leading ?? ' ') : ' ';
      own.trailing = keepsComments ? entry.trailing : undefined;
      return own;
    }),
  );
  made.leading = '';
  return made;
};

/** Appends settings with their comments to a block, on separate lines. */
export const appendLines = (block: Node, nodes: readonly Node[], indent: string, layout: TextLayout): void => {
  const list = block.children ?? new Document();
  if (block.children === null) {
    block.children = list;
    block.beforeChildren = ' ';
  }
  const inner = indent + layout.unit;
  breakLines(list, indent, inner, layout);
  for (const node of nodes) {
    const own = node.leading ?? '';
    const comments = own.slice(0, own.length - lastIndent(own).length);
    const from = lastIndent(own);
    node.leading = comments === '' ? inner : reindented(comments, from, inner) + inner;
    if (inner.startsWith(from)) indentInside(node, inner.slice(from.length));
    if (list.nodes.length === 0) node.leading = layout.newline + node.leading;
    endLine(node, layout.newline);
    list.nodes.push(node);
  }
};

const reindented = (comments: string, from: string, to: string): string =>
  comments
    .split(/(?<=\r\n|\n|\r(?!\n))/)
    .filter((line) => line !== '')
    .map((line) => to + (line.startsWith(from) ? line.slice(from.length) : line.trimStart()))
    .join('');

/** Moves settings that share a line to separate lines. */
const breakLines = (list: Document, outer: string, inner: string, { newline }: TextLayout): void => {
  list.nodes.forEach((node, index) => {
    const atLineStart = index === 0 ? hasLineEnd(node.leading) : hasLineEnd(list.nodes[index - 1]?.trailing);
    if (!atLineStart) node.leading = (index === 0 ? newline : '') + inner + (node.leading ?? '').trimStart();
    if (!hasLineEnd(node.trailing)) endLine(node, newline);
  });
  const ending = list.trailing ?? '';
  if (lastIndent(ending) === ending) list.trailing = outer;
  else if (!/[\r\n][ \t]*$/.test(ending)) list.trailing = `${inner}${ending.trim()}${newline}${outer}`;
};

/** Appends settings to a one-line block. They must not have line comments. */
export const appendInline = (block: Node, nodes: readonly Node[]): void => {
  const list = block.children ?? new Document();
  if (block.children === null) {
    block.children = list;
    block.beforeChildren = ' ';
  }
  for (const node of nodes) {
    const before = list.nodes.at(-1);
    if (before !== undefined) endSetting(before);
    node.leading = ` ${(node.leading ?? '').trim()}`.trimEnd().concat(' ');
    node.trailing = (node.trailing ?? '').replace(/[;\s]+$/, '');
    list.nodes.push(node);
  }
  endInline(list);
};

/** Ends a setting before another one on the same line. */
export const endSetting = (node: Node): void => {
  if ((node.trailing ?? '').trim() === '') node.trailing = ';';
  else if (!/;/.test(withoutComments(node.trailing ?? ''))) node.trailing = `${node.trailing ?? ''};`;
};

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*\*\/|\/\/[^\n\r]*/g, '');

/** Adds white space before the closing brace of a one-line block. */
export const endInline = (list: Document): void => {
  const before = `${list.nodes.at(-1)?.trailing ?? ''}${list.trailing ?? ''}`;
  if (!/\s$/.test(before)) list.trailing = `${list.trailing ?? ''} `;
};
