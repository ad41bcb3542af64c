import { Document, Entry, format, Identifier, Node, Value } from '@bgotink/kdl';
import type {
  MigratedKey,
  MigrationStep,
  MovedMember,
  SettingPath,
} from '../../../domain/configuration/whole/migration/migration-step.js';
import { isOnLines, keyNode, removeNode, takeOut } from './move-nodes.js';
import { endLine, hasLineEnd, indentNodes, lastIndent, splitAtBlank, type TextLayout } from './node-layout.js';
import { childIndent, ownIndent, putInBlock, putInFile } from './place-nodes.js';

type StepOf<Kind extends MigrationStep['kind']> = Extract<MigrationStep, { kind: Kind }>;

const nodeAt = (document: Document, path: SettingPath): Node | undefined => {
  let found: Node | undefined;
  for (const index of path) {
    const list: Document | null | undefined = found === undefined ? document : found.children;
    found = list?.nodes[index];
    if (found === undefined) return undefined;
  }
  return found;
};

/** A migration step bound to its nodes, so that it stays valid after other steps have moved them. */
type BoundStep = () => void;

const valueEntry = (value: number | string): Entry => {
  const entry = new Entry(valueOfStep(value), null);
  entry.leading = ' ';
  return entry;
};

const bindRename = (document: Document, step: StepOf<'rename'>): BoundStep | null => {
  const node = nodeAt(document, step.setting);
  return node === undefined ? null : () => node.setName(step.name);
};

/** Text always gets quotes. */
const valueOfStep = (given: string | number | boolean): Value => {
  const value = new Value(given);
  if (typeof given === 'string') value.representation = JSON.stringify(given);
  return value;
};

const bindRetype = (document: Document, step: StepOf<'retype'>): BoundStep | null => {
  const node = nodeAt(document, step.setting);
  const { argument } = step;
  const entry = typeof argument === 'number' ? node?.getArgumentEntry(argument) : node?.getPropertyEntry(argument);
  return entry === undefined
    ? null
    : () => {
        entry.value = valueOfStep(step.value);
      };
};

/** Splits after a version marker, which can only be at the start of a text. */
const splitAtMarker = (leading: string): readonly [string, string] => {
  const marker = /^\s*\/-[ \t]*kdl-version[ \t]+\d+[ \t]*(?:\r\n|[\n\r]|$)/.exec(leading)?.[0] ?? '';
  const [above, own] = splitAtBlank(leading.slice(marker.length));
  return [marker + above, own];
};

const bindWrap = (document: Document, step: StepOf<'wrap'>, layout: TextLayout): BoundStep | null => {
  const nodes = step.settings.flatMap((index) => document.nodes[index] ?? []);
  const [first] = nodes;
  if (first === undefined || nodes.length !== step.settings.length) return null;
  return () => {
    const index = document.nodes.indexOf(first);
    const last = nodes.at(-1) ?? first;
    const [above, own] = index === 0 ? splitAtMarker(first.leading ?? '') : splitAtBlank(first.leading ?? '');
    const startsLine = index === 0 || hasLineEnd(document.nodes[index - 1]?.trailing);
    const endsText = !hasLineEnd(last.trailing) && index + nodes.length === document.nodes.length;
    first.leading = startsLine ? own : own.trimStart();
    for (const node of nodes) {
      if (!hasLineEnd(node.trailing)) {
        endLine(node, layout.newline);
        const next = document.nodes[document.nodes.indexOf(node) + 1];
        if (next !== undefined) next.leading = (next.leading ?? '').trimStart();
      }
    }
    const list = new Document(nodes);
    indentNodes(list, layout.unit, true);
    first.leading = layout.newline + (first.leading ?? '');
    const group = new Node(new Identifier(step.block), [], list);
    group.leading = startsLine ? above : `${above} `;
    group.beforeChildren = ' ';
    group.trailing = endsText ? '' : layout.newline;
    list.trailing = '';
    document.nodes.splice(index, nodes.length, group);
  };
};

/** The nodes that replace a member: the node itself if it keeps its value, otherwise new ones. */
const movedNodes = (parent: Node, { member, keys }: MovedMember, source: Node | undefined): readonly Node[] => {
  const entries =
    member.kind === 'child'
      ? (source?.entries ?? [])
      : [parent.getPropertyEntry(member.name)].flatMap((one) => one ?? []);
  const nameless = entries.map((entry) => (member.kind === 'child' ? entry : new Entry(entry.value, null)));
  if (source !== undefined && keys.length === 1 && keys[0]?.value === undefined) {
    source.setName(keys[0]?.name ?? source.getName());
    return [source];
  }
  // One of several keys keeps the comments between the values.
  const keeper = member.kind === 'child' ? keys.findIndex(({ value }) => value === undefined) : -1;
  const made = keys.map(({ name, value }: MigratedKey, index) =>
    keyNode(name, value === undefined ? nameless : [valueEntry(value)], index === keeper),
  );
  const [first] = made;
  const last = made.at(-1);
  if (source !== undefined && first !== undefined && last !== undefined) {
    first.leading = source.leading;
    last.trailing = source.trailing;
    for (const node of made.slice(1)) node.leading = lastIndent(source.leading);
  }
  return made;
};

const bindNest = (document: Document, step: StepOf<'nest'>, layout: TextLayout): BoundStep | null => {
  const parent = nodeAt(document, step.parent);
  if (parent === undefined) return null;
  const sources = step.members.map(({ member }) =>
    member.kind === 'child' ? parent.children?.nodes[member.index] : undefined,
  );
  return () => {
    const onLines = isOnLines(parent);
    const list = parent.children ?? new Document();
    const places = sources.flatMap((source) => (source === undefined ? [] : [list.nodes.indexOf(source)]));
    const indent = childIndent(parent, layout);
    for (const source of sources) if (source !== undefined) takeOut(list, source);
    const moved = step.members.flatMap((member, index) => movedNodes(parent, member, sources[index]));
    for (const { member } of step.members) if (member.kind === 'property') dropProperty(parent, member.name);
    putInBlock(
      parent,
      { onLines, indent, index: Math.max(0, Math.min(...places, list.nodes.length)) },
      moved,
      step,
      layout,
    );
  };
};

const bindLift = (document: Document, step: StepOf<'lift'>, layout: TextLayout): BoundStep | null => {
  const parent = nodeAt(document, step.parent);
  const home = step.home.length === 0 ? null : nodeAt(document, step.home);
  const origin = document.nodes[step.parent[0] ?? 0];
  const { member } = step.member;
  const source = member.kind === 'child' ? parent?.children?.nodes[member.index] : undefined;
  if (parent === undefined || home === undefined || (member.kind === 'child' && source === undefined)) return null;
  return () => {
    if (source !== undefined && parent.children !== null) takeOut(parent.children, source);
    const moved = movedNodes(parent, step.member, source);
    if (member.kind === 'property') dropProperty(parent, member.name);
    if (home === null) putInFile(document, origin, moved, step, layout);
    else {
      const index = home.children?.nodes.length ?? 0;
      putInBlock(home, { onLines: isOnLines(home), indent: childIndent(home, layout), index }, moved, step, layout);
    }
  };
};

/** Comments and line continuations around an entry. */
const commentsOf = ({ leading, equals, trailing }: Entry): string =>
  [leading, equals === undefined ? '' : equals.replace('=', ' '), trailing]
    .map((text) => ((text ?? '').trim() === '' ? '' : ` ${(text ?? '').replace(/^[ \t]+/, '')}`))
    .join('');

/** Removes every property of a name. The comments before them stay. */
const dropProperty = (node: Node, name: string): void => {
  let kept = '';
  const entries: Entry[] = [];
  for (const entry of node.entries) {
    if (entry.getName() === name) {
      kept += commentsOf(entry);
      continue;
    }
    if (kept !== '') entry.leading = kept + (entry.leading ?? ' ');
    kept = '';
    entries.push(entry);
  }
  node.entries = entries;
  if (kept === '') return;
  if (node.children === null) node.trailing = kept + (node.trailing ?? '');
  else node.beforeChildren = kept + (node.beforeChildren ?? ' ');
};

const bindRemove = (document: Document, { parent, member }: StepOf<'remove'>): BoundStep | null => {
  const block = nodeAt(document, parent);
  if (block === undefined) return null;
  if (member.kind === 'property') return () => dropProperty(block, member.name);
  const node = block.children?.nodes[member.index];
  return node === undefined ? null : () => removeNode(block.children ?? new Document(), withInnerComments(node));
};

const bindDrop = (document: Document, { setting }: StepOf<'drop'>): BoundStep | null => {
  const node = document.nodes[setting];
  if (node === undefined) return null;
  return () => {
    // Blank lines separated it from the setting above. At the end there is nothing left to separate.
    const isLast = document.nodes.at(-1) === node && document.nodes.length > 1;
    if (isLast && (node.leading ?? '').trim() === '') node.leading = '';
    removeNode(document, withInnerComments(node));
  };
};

/** Moves the comments inside a block to lines before it. */
const withInnerComments = (node: Node): Node => {
  if (node.children === null) return node;
  // A string may contain text that looks like a comment.
  const found = format(node.children).match(/"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*(?:[^*]|\*(?!\/))*\*\//g) ?? [];
  const comments = found.filter((one) => !one.startsWith('"'));
  const indent = ownIndent(node);
  const isOwnLine = hasLineEnd(node.leading) || hasLineEnd(node.trailing);
  for (const comment of isOwnLine ? comments : []) node.leading = `${node.leading ?? ''}${comment}\n${indent}`;
  return node;
};

const bind = (document: Document, step: MigrationStep, layout: TextLayout): BoundStep | null => {
  switch (step.kind) {
    case 'rename':
      return bindRename(document, step);
    case 'retype':
      return bindRetype(document, step);
    case 'wrap':
      return bindWrap(document, step, layout);
    case 'nest':
      return bindNest(document, step, layout);
    case 'lift':
      return bindLift(document, step, layout);
    case 'drop':
      return bindDrop(document, step);
    case 'remove':
      return bindRemove(document, step);
  }
};

/** Applies the steps of a plan to a document. False: a step names a missing node, and nothing was changed. */
export const applyMigration = (document: Document, steps: readonly MigrationStep[], layout: TextLayout): boolean => {
  const bound = steps.map((step) => bind(document, step, layout));
  if (bound.includes(null)) return false;
  for (const step of bound) step?.();
  return true;
};
