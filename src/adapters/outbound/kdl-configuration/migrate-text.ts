import { type Document, format, getLocation, type Node } from '@bgotink/kdl';
import type { Setting, SettingScalar } from '../../../domain/configuration/setting/setting.js';
import { disabledSetting } from '../../../domain/configuration/whole/migration/disabled-setting.js';
import type { MigrationNote } from '../../../domain/configuration/whole/migration/migration-step.js';
import { planMigration } from '../../../domain/configuration/whole/migration/plan-migration.js';
import { applyMigration } from './apply-migration.js';
import { readKdl } from './kdl-document.js';
import { layoutOf } from './node-layout.js';
import { repairSyntax } from './repair-syntax.js';
import { blockCommentEnd, SourceText } from './source-text.js';
import { maximumConfigurationTokens, scanStructure } from './structure-scan.js';

/** A text whose commented-out settings became ordinary settings with a type annotation as mark. */
interface MarkedText {
  readonly text: string;
  /** Converts an offset in the marked text to one in the original. */
  readonly originalOffset: (offset: number) => number;
  /** Whether a type annotation is a mark. */
  readonly isMark: (tag: string | null) => boolean;
  /** Removes the marks. */
  readonly unmark: (text: string) => string;
}

const declaration = /^\s*\/-[ \t]*kdl-version[ \t]+\d+[ \t]*(?:[\r\n]|$)/;
const blank = /[ \t\r\n\u0085\u000b\u000c\u2028\u2029\ufeff\u00a0]/;
const name = /^\/-([ \t]*)(?=[\p{L}_"])/u;

/** Finds the comments of whole settings (KDL 2.0.0, section 3.17) in a text that has passed the structure scan. */
class SlashdashScan {
  readonly #text: string;
  readonly places: { readonly start: number; readonly end: number }[] = [];
  #at: number;
  #begins = true;

  constructor(text: string) {
    this.#text = text;
    this.#at = declaration.exec(text)?.[0].length ?? 0;
  }

  run(): void {
    while (this.#at < this.#text.length) this.#step();
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    if (this.#skip(/\/\/[^\n\r]*/y)) return;
    if (this.#text.startsWith('/*', this.#at)) this.#blockComment();
    else if (this.#skip(/\\[ \t]*(?:\/\/[^\n\r]*)?(?:\r\n|[\n\r])/y)) return;
    else if (character === '\n' || character === '\r' || character === ';' || character === '{' || character === '}') {
      this.#begins = true;
      this.#at += 1;
    } else if (blank.test(character)) this.#at += 1;
    else if (this.#begins && this.#text.startsWith('/-', this.#at)) this.#slashdash();
    else {
      this.#begins = false;
      if (!this.#string()) this.#at += 1;
    }
  }

  #slashdash(): void {
    const found = name.exec(this.#text.slice(this.#at, this.#at + 200));
    this.#begins = false;
    if (found === null) {
      this.#at += 2;
      return;
    }
    this.places.push({ start: this.#at, end: this.#at + found[0].length });
    this.#at += found[0].length;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return false;
    this.#at += found[0].length;
    return true;
  }

  #blockComment(): void {
    this.#at = blockCommentEnd(this.#text, this.#at);
  }

  #string(): boolean {
    const opening = /^(r?#*)("""|")/.exec(this.#text.slice(this.#at, this.#at + 70));
    if (opening === null) return false;
    const [whole, before = '', quote = ''] = opening;
    const end = quote + before.replace('r', '');
    let at = this.#at + whole.length;
    while (at < this.#text.length && !this.#text.startsWith(end, at)) {
      at += before === '' && this.#text.charAt(at) === '\\' ? 2 : 1;
    }
    this.#at = Math.min(this.#text.length, at + end.length);
    return true;
  }
}

/** Marks commented-out settings, so that they can move like others. */
const markSlashdashed = (text: string): MarkedText => {
  const scan = new SlashdashScan(text);
  scan.run();
  let mark = 'slashdashed';
  while (text.includes(mark)) mark += '-';
  let marked = '';
  let from = 0;
  const ends: (readonly [marked: number, original: number])[] = [];
  for (const [index, { start, end }] of scan.places.entries()) {
    marked += `${text.slice(from, start)}(${mark}${index})`;
    from = end;
    ends.push([marked.length, end]);
  }
  marked += text.slice(from);
  const written = new RegExp(`\\(${mark}(\\d+)\\)`, 'g');
  return {
    text: marked,
    originalOffset: (offset) => {
      const before = ends.findLast(([place]) => place <= offset);
      return before === undefined ? offset : before[1] + offset - before[0];
    },
    isMark: (tag) => tag?.startsWith(mark) === true,
    unmark: (result) =>
      result.replace(written, (_whole, index: string) => {
        const place = scan.places[Number(index)];
        return place === undefined ? '' : text.slice(place.start, place.end);
      }),
  };
};

/** The result of migrating a file. */
export interface MigratedText {
  readonly text: string;
  readonly changes: readonly MigrationNote[];
  /** Forms that no rule can migrate. */
  readonly left: readonly MigrationNote[];
  /** Why the file was not migrated; null: it was. */
  readonly refused: string | null;
}

/** A document to migrate, with positions in the file. */
interface Parsed {
  readonly version: 1 | 2;
  readonly document: Document;
  readonly lineAt: (offset: number) => number;
  readonly changes: readonly MigrationNote[];
  readonly isMark: (tag: string | null) => boolean;
  readonly unmark: (text: string) => string;
}

/** Removes duplicate notes on one line. */
const distinct = (notes: readonly MigrationNote[]): readonly MigrationNote[] => {
  const seen = new Set<string>();
  return notes.filter(({ line, message }) => {
    const key = `${line} ${message}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
};

/** Whether there may be a URL without quotes. KDL takes the text after `//` for a comment. */
const mayHoldBareUrl = (text: string): boolean => /[^\s"]:\/\//.test(text);

interface Read {
  readonly version: 1 | 2;
  readonly text: string;
  readonly originalOffset: (offset: number) => number;
  readonly changes: readonly { readonly offset: number; readonly message: string }[];
}

const readRepaired = (repaired: ReturnType<typeof repairSyntax>): Read | null => {
  const read = readKdl(repaired.text);
  return read.ok && read.value.version === 2 ? { version: 2, ...repaired } : null;
};

const readText = (text: string): Read | null => {
  const read = readKdl(text);
  if (!read.ok) return readRepaired(repairSyntax(text));
  const asItIs: Read = { version: read.value.version, text, originalOffset: (offset) => offset, changes: [] };
  if (read.value.version === 1 || !mayHoldBareUrl(text)) return asItIs;
  const repaired = repairSyntax(text);
  return repaired.hasUrl ? readRepaired(repaired) : asItIs;
};

const parse = (text: string): Parsed | null => {
  const read = readText(text);
  if (read === null) return null;
  const source = new SourceText('', text);
  const marked = markSlashdashed(read.text);
  const again = readKdl(marked.text);
  const isMarked = again.ok && again.value.version === read.version;
  const whole = isMarked ? again : readKdl(read.text);
  if (!whole.ok) return null;
  const place = (offset: number): number => (isMarked ? marked.originalOffset(offset) : offset);
  return {
    version: read.version,
    document: whole.value.places,
    lineAt: (offset) => source.lineOf(read.originalOffset(place(offset))),
    changes: distinct(read.changes.map(({ offset, message }) => ({ line: source.lineOf(offset), message }))),
    isMark: (tag) => isMarked && marked.isMark(tag),
    unmark: (result) => (isMarked ? marked.unmark(result) : result),
  };
};

/** Of several properties with one name, the last applies (KDL 2.0.0, section 3.5). */
const lastOfEach = (entries: readonly Node['entries'][number][]): readonly Node['entries'][number][] =>
  entries.filter((entry, index) => !entries.slice(index + 1).some((other) => other.getName() === entry.getName()));

const toSettings = (nodes: readonly Node[], parsed: Pick<Parsed, 'lineAt' | 'isMark'>): readonly Setting[] =>
  nodes.map((node) => {
    const at = (element: Node | Node['name'] | Node['entries'][number]) => ({
      file: '',
      line: parsed.lineAt(getLocation(element)?.start.offset ?? 0),
      column: 1,
    });
    const scalar = (entry: Node['entries'][number]): SettingScalar => ({
      value: entry.getValue(),
      position: at(entry),
      hidden: entry.getTag() !== null,
    });
    if (parsed.isMark(node.getTag())) return disabledSetting(node.getName(), at(node.name));
    return {
      name: node.getName(),
      args: node.getArgumentEntries().map(scalar),
      properties: lastOfEach(node.getPropertyEntries()).map((entry) => ({
        name: entry.getName() ?? '',
        value: scalar(entry),
        position: at(entry),
      })),
      children: node.children === null ? null : toSettings(node.children.nodes, parsed),
      position: at(node.name),
      listed: false,
    };
  });

/** The first line that differs. */
const firstDifference = (left: string, right: string): number => {
  const others = right.split(/\r\n|[\n\r]/);
  const index = left.split(/\r\n|[\n\r]/).findIndex((line, number) => line !== others[number]);
  return index < 0 ? 1 : index + 1;
};

const asVersion2 = (text: string): string => text.replace(/^(\s*\/-[ \t]*kdl-version[ \t]+)1(?=\s|$)/, '$12');

/** Why a text is unreadable after all possible repairs. The message contains no part of the text. */
const unreadable = (text: string): string => {
  const { text: repaired, originalOffset } = repairSyntax(text);
  const read = readKdl(repaired);
  const [fault] = read.ok ? [] : read.error;
  const line = fault === undefined ? 1 : new SourceText('', text).lineOf(originalOffset(fault.offset));
  return `line ${line}: ${fault?.withoutText.message ?? 'this is not valid KDL'}: correct it by hand`;
};

const refuse = (text: string, refused: string): MigratedText => ({ text, changes: [], left: [], refused });

/**
 * Migrates the text of a file to the current form. Comments, order and the layout of unchanged parts stay. A current
 * text and an invalid text are returned unchanged.
 */
export const migrateText = (text: string): MigratedText => {
  // The parser is recursive, so check the nesting depth first.
  const { fault } = scanStructure(text, maximumConfigurationTokens);
  if (fault !== null) return refuse(text, fault.message);
  const parsed = parse(text);
  if (parsed === null) return refuse(text, unreadable(text));
  const { version, document, changes, unmark } = parsed;
  const plan = planMigration(toSettings(document.nodes, parsed));
  const write = (): string => {
    const written = unmark(format(document));
    return version === 1 ? asVersion2(written) : written;
  };
  const converted = version === 1 ? write() : null;
  const written: MigrationNote[] =
    converted === null || converted === text
      ? []
      : [
          {
            line: firstDifference(text, converted),
            message: 'KDL 1 becomes KDL 2 from here on: true is #true, null is #null',
          },
        ];
  const all = [...changes, ...written, ...plan.changes].toSorted((left, right) => left.line - right.line);
  if (all.length === 0) return { text, changes: [], left: plan.left, refused: null };
  const give = { line: 1, message: 'no rule can rewrite this file: change it by hand' };
  if (!applyMigration(document, plan.steps, layoutOf(text))) return { text, changes: [], left: [give], refused: null };
  const result = write();
  const check = readKdl(result);
  // Never return an unreadable result.
  if (!check.ok || check.value.version !== 2) return { text, changes: [], left: [give], refused: null };
  return { text: result, changes: all, left: plan.left, refused: null };
};
