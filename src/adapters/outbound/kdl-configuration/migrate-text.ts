import { type Document, format, getLocation, type Node } from '@bgotink/kdl';
import type { MigrationNote } from '../../../domain/configuration/migration/migration-step.js';
import { planMigration } from '../../../domain/configuration/migration/plan-migration.js';
import type { Setting, SettingScalar } from '../../../domain/configuration/setting/setting.js';
import { applyMigration } from './apply-migration.js';
import { readKdl } from './kdl-document.js';
import { layoutOf } from './node-layout.js';
import { repairSyntax } from './repair-syntax.js';
import { SourceText } from './source-text.js';
import { scanStructure } from './structure-scan.js';

/** A file as it was, as it is written now, and what was done to it. */
export interface MigratedText {
  readonly text: string;
  readonly changes: readonly MigrationNote[];
  /** What was left as it is, because no rule says what is meant. */
  readonly left: readonly MigrationNote[];
}

/** A document to be changed, and the place in the file of a place in it. */
interface Parsed {
  readonly version: 1 | 2;
  readonly document: Document;
  readonly lineAt: (offset: number) => number;
  readonly changes: readonly MigrationNote[];
}

/** The notes of one line that say the same are one. */
const distinct = (notes: readonly MigrationNote[]): readonly MigrationNote[] => {
  const seen = new Set<string>();
  return notes.filter(({ line, message }) => {
    const key = `${line} ${message}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
};

const parse = (text: string): Parsed | null => {
  const source = new SourceText('', text);
  const read = readKdl(text);
  if (read.ok) {
    const { version, places } = read.value;
    return { version, document: places, lineAt: (offset) => source.lineOf(offset), changes: [] };
  }
  const repaired = repairSyntax(text);
  const again = readKdl(repaired.text);
  if (!again.ok || again.value.version !== 2) return null;
  const lineAt = (offset: number): number => source.lineOf(repaired.originalOffset(offset));
  const changes = repaired.changes.map(({ offset, message }) => ({ line: source.lineOf(offset), message }));
  return { version: 2, document: again.value.places, lineAt, changes: distinct(changes) };
};

const toSettings = (nodes: readonly Node[], lineAt: Parsed['lineAt']): readonly Setting[] =>
  nodes.map((node) => {
    const at = (element: Node | Node['name'] | Node['entries'][number]) => ({
      file: '',
      line: lineAt(getLocation(element)?.start.offset ?? 0),
      column: 1,
    });
    const scalar = (entry: Node['entries'][number]): SettingScalar => ({
      value: entry.getValue(),
      position: at(entry),
      hidden: entry.getTag() !== null,
    });
    return {
      name: node.getName(),
      args: node.getArgumentEntries().map(scalar),
      properties: node.getPropertyEntries().map((entry) => ({
        name: entry.getName() ?? '',
        value: scalar(entry),
        position: at(entry),
      })),
      children: node.children === null ? null : toSettings(node.children.nodes, lineAt),
      position: at(node.name),
      listed: false,
    };
  });

/** The first line that is not the same in both. */
const firstDifference = (left: string, right: string): number => {
  const others = right.split(/\r\n|[\n\r]/);
  const index = left.split(/\r\n|[\n\r]/).findIndex((line, number) => line !== others[number]);
  return index < 0 ? 1 : index + 1;
};

const asVersion2 = (text: string): string => text.replace(/^(\s*\/-[ \t]*kdl-version[ \t]+)1(?=\s|$)/, '$12');

const unchanged = (text: string): MigratedText => ({ text, changes: [], left: [] });

const maximumTokens = 100_000;

/**
 * Writes the text of a file as files are written now. Comments, the order, and the layout of what is not changed are kept;
 * a text that is up to date is given back as it is, and so is one that is no KDL.
 */
export const migrateText = (text: string): MigratedText => {
  // The parser recurses.
  if (scanStructure(text, maximumTokens).fault !== null) return unchanged(text);
  const parsed = parse(text);
  if (parsed === null) return unchanged(text);
  const { version, document, lineAt, changes } = parsed;
  const plan = planMigration(toSettings(document.nodes, lineAt));
  const converted = version === 1 ? asVersion2(format(document)) : null;
  const written: MigrationNote[] =
    converted === null || converted === text
      ? []
      : [
          {
            line: firstDifference(text, converted),
            message: 'KDL 1 is written as KDL 2 from here on: true is #true, null is #null',
          },
        ];
  const all = [...changes, ...written, ...plan.changes].toSorted((left, right) => left.line - right.line);
  if (all.length === 0) return { text, changes: [], left: plan.left };
  const give = { line: 1, message: 'the file cannot be rewritten by rule' };
  if (!applyMigration(document, plan.steps, layoutOf(text))) return { text, changes: [], left: [give] };
  const result = version === 1 ? asVersion2(format(document)) : format(document);
  const check = readKdl(result);
  // What cannot be read again is never given out.
  if (!check.ok || check.value.version !== 2) return { text, changes: [], left: [give] };
  return { text: result, changes: all, left: plan.left };
};
