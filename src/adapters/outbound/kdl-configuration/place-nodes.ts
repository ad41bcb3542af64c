import { Document, Identifier, Node } from '@bgotink/kdl';
import { appendInline, appendLines, endInline, endSetting, isOnLines } from './move-nodes.js';
import { endLine, hasLineEnd, lastIndent, splitFirstLine, type TextLayout } from './node-layout.js';

export const ownIndent = (node: Node): string => lastIndent(node.leading);

/** The indentation of a block's settings, existing or future. */
export const childIndent = (parent: Node, layout: TextLayout): string => {
  const nodes = parent.children?.nodes ?? [];
  const onLine = nodes.find((node, index) =>
    index === 0 ? hasLineEnd(node.leading) : hasLineEnd(nodes[index - 1]?.trailing),
  );
  return onLine === undefined ? ownIndent(parent) + layout.unit : lastIndent(onLine.leading);
};

const insertLine = (list: Document, made: Node, index: number, indent: string, { newline }: TextLayout): void => {
  const after = list.nodes[index];
  const before = list.nodes[index - 1];
  made.trailing = newline;
  if (index > 0) {
    if (before !== undefined) endLine(before, newline);
    made.leading = indent;
  } else if (after !== undefined) {
    const [opening, rest] = splitFirstLine(after.leading ?? '');
    made.leading = (opening === '' ? newline : opening) + indent;
    after.leading = opening === '' ? indent + rest.trimStart() : rest;
  } else {
    const [opening, rest] = splitFirstLine(list.trailing ?? '');
    made.leading = (opening === '' ? newline : opening) + indent;
    if (opening !== '') list.trailing = rest;
    else if ((list.trailing ?? '').trim() === '') list.trailing = undefined;
  }
  list.nodes.splice(index, 0, made);
};

const insertInline = (list: Document, made: Node, index: number): void => {
  const before = list.nodes[index - 1];
  const after = list.nodes[index];
  if (before !== undefined) endSetting(before);
  made.leading = ' ';
  made.trailing = after === undefined ? '' : ';';
  if (after !== undefined && !/^\s/.test(after.leading ?? '')) after.leading = ` ${after.leading ?? ''}`;
  list.nodes.splice(index, 0, made);
  endInline(list);
};

/** The place of a new block, and the layout of its parent. */
interface BlockPlace {
  readonly onLines: boolean;
  readonly indent: string;
  readonly index: number;
}

/** Appends settings to an inner block. */
export const putInBlock = (
  parent: Node,
  { onLines, indent, index }: BlockPlace,
  moved: readonly Node[],
  { block }: { readonly block: string },
  layout: TextLayout,
): void => {
  const list = parent.children ?? new Document();
  const home = list.nodes.find((node) => node.getName() === block && node.getTag() === null);
  if (home !== undefined) {
    if (onLines) appendLines(home, moved, indent, layout);
    else appendInline(home, moved);
    return;
  }
  const made = new Node(new Identifier(block));
  if (parent.children === null) {
    parent.children = list;
    parent.beforeChildren = ' ';
  }
  if (onLines) {
    appendLines(made, moved, indent, layout);
    insertLine(list, made, index, indent, layout);
    if (list.nodes.length === 1 && list.trailing === undefined) list.trailing = ownIndent(parent);
  } else {
    appendInline(made, moved);
    insertInline(list, made, index);
  }
};

/** Appends settings to a top-level block. A new block follows the setting of their origin. */
export const putInFile = (
  document: Document,
  origin: Node | undefined,
  moved: readonly Node[],
  { block }: { readonly block: string },
  layout: TextLayout,
): void => {
  const home = document.nodes.find((node) => node.getName() === block && node.getTag() === null);
  if (home !== undefined) {
    if (isOnLines(home)) appendLines(home, moved, ownIndent(home), layout);
    else appendInline(home, moved);
    return;
  }
  const made = new Node(new Identifier(block));
  appendLines(made, moved, '', layout);
  if (made.children !== null) made.children.trailing = '';
  const index = origin === undefined ? document.nodes.length : document.nodes.indexOf(origin) + 1;
  insertLine(document, made, index, '', layout);
};
