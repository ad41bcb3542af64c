import { dirname, isAbsolute, join } from 'node:path';
import type { ConfigurationProblem, SourcePosition } from '../../../domain/configuration/configuration-problem.js';
import { hiddenInLine } from '../../../domain/configuration/hidden-text.js';
import type { Setting, SettingScalar } from '../../../domain/configuration/setting/setting.js';
import type { ConfigurationFiles } from './configuration-files.js';
import { type KdlDocument, readKdl } from './kdl-document.js';
import {
  bracketFault,
  type Complain,
  digitFault,
  emptyStatementFault,
  equalsFault,
  type KdlFault,
  keywordFault,
  plainFault,
} from './kdl-fault.js';
import { literalOffset } from './literal-places.js';
import { emptyStatement, nameWithDigit, noBrackets, noEquals, repairSyntax } from './repair-syntax.js';
import { SettingTree } from './setting-tree.js';
import { ShownLines } from './shown-lines.js';
import { SourceText } from './source-text.js';
import { maximumConfigurationTokens, scanStructure } from './structure-scan.js';
import { type Environment, resolveReferences } from './value-references.js';

/** A text as far as it can be read. */
interface DiagnosedText {
  /**
   * The document of the text, or of the repaired one where its mistakes can be repaired; null:
   * neither can be read.
   */
  readonly document: KdlDocument | null;
  /** The place in the text of a place in the document. */
  readonly originalOffset: (offset: number) => number;
  /** Mistakes of syntax, in the order of the text. */
  readonly faults: readonly KdlFault[];
}

/** Faults that are taken of one text, at most. */
const maximumFaults = 50;

const sameOffset = (offset: number): number => offset;

interface Repair {
  readonly offset: number;
  readonly message: string;
}

const faultOf = (text: string, { offset, message }: Repair): KdlFault => {
  if (message === noBrackets) return bracketFault(text, offset);
  if (message === noEquals) return equalsFault(text.indexOf('=', offset));
  if (message === nameWithDigit) return digitFault(text, offset);
  if (message === emptyStatement) return emptyStatementFault(offset);
  const keyword = /^(true|false|null) is written/.exec(message)?.[1];
  return keyword === undefined
    ? plainFault(offset, message, 'gateway config migrate writes it so')
    : keywordFault(offset, keyword);
};

/** Of a list in brackets the opening one stands for all of its repairs. */
const isShown = (text: string, { offset, message }: Repair): boolean =>
  message !== noBrackets || text.charAt(offset) === '[';

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1));

/**
 * Faults of the reader, then those of repairs on lines that the reader has nothing to say about.
 */
const merged = (text: string, read: readonly KdlFault[], repairs: readonly Repair[]): readonly KdlFault[] => {
  const lines = new Set(read.map(({ offset }) => lineStart(text, offset)));
  const faults = [...read];
  for (const repair of repairs) {
    if (faults.length >= maximumFaults) break;
    const line = lineStart(text, repair.offset);
    if (lines.has(line) || !isShown(text, repair)) continue;
    lines.add(line);
    faults.push(faultOf(text, repair));
  }
  return faults.toSorted((left, right) => left.offset - right.offset);
};

/**
 * Reads a text that has passed the structure scan. Lists in brackets and other mistakes with a rule
 * for their repair hide nothing: the rest is read as if they were repaired.
 */
const diagnose = (text: string): DiagnosedText => {
  const read = readKdl(text);
  if (read.ok) return { document: read.value, originalOffset: sameOffset, faults: [] };
  const { text: repaired, changes, originalOffset } = repairSyntax(text);
  if (changes.length === 0) return { document: null, originalOffset: sameOffset, faults: read.error };
  const again = readKdl(repaired);
  if (again.ok) return { document: again.value, originalOffset, faults: merged(text, read.error, changes) };
  const places = new Set(read.error.map(({ offset }) => offset));
  const real = again.error
    .map((fault) => ({ ...fault, offset: originalOffset(fault.offset) }))
    .filter(({ offset }) => !places.has(offset));
  return { document: null, originalOffset: sameOffset, faults: merged(text, [...read.error, ...real], changes) };
};

/**
 * Octets of a configuration, all its files together: the reader of values takes seconds for more.
 */
export const maximumConfigurationBytes = 2_097_152;
/** Files that include one another, at most. */
const maximumIncludeDepth = 16;

/** What KDL forbids in a text (KDL 2.0.0, section 3.19). */
const forbidden = /[\0-\x08\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

const hexadecimal = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A file on the way from the first one to one that it includes. */
interface Origin {
  readonly paths: readonly string[];
  /** Where the file was asked for; null for the first one. */
  readonly position: SourcePosition | null;
}

/** A document, and the place in its file of a place in it. */
type ReadDocument = Pick<DiagnosedText, 'originalOffset'> & {
  readonly document: NonNullable<DiagnosedText['document']>;
};

/** Reads a file and those that it includes, as one list of settings. Serves one reading. */
export class FileTree {
  readonly #files: ConfigurationFiles;
  readonly #environment: Environment;
  readonly #secretNames: ReadonlySet<string>;
  readonly #lines = new Map<string, ShownLines>();
  readonly #sources = new Map<string, SourceText>();
  readonly #texts = new Map<string, string>();
  readonly #problems: ConfigurationProblem[] = [];
  #hasGaps = false;
  #bytesLeft = maximumConfigurationBytes;
  #tokensLeft = maximumConfigurationTokens;

  constructor(files: ConfigurationFiles, environment: Environment, secretNames: ReadonlySet<string>) {
    this.#files = files;
    this.#environment = environment;
    this.#secretNames = secretNames;
  }

  get problems(): readonly ConfigurationProblem[] {
    return this.#problems;
  }

  /** The texts of the files that were read, by path. They may hold secrets. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts;
  }

  /** A file, or all of one, could not be read: what seems to be missing may stand there. */
  get hasGaps(): boolean {
    return this.#hasGaps;
  }

  /** A line of one of the files as it may be shown. */
  lineAt(position: SourcePosition, secret: boolean): string | null {
    return this.#lines.get(position.file)?.at(position, secret) ?? null;
  }

  /**
   * The place of an offset in the text whose literal stands at a position; null: no literal that
   * can be read stands there.
   */
  placeInText(text: SourcePosition, offset: number): SourcePosition | null {
    const source = this.#sources.get(text.file);
    const found = source === undefined ? null : literalOffset(source.text, source.offsetAt(text), offset);
    return source === undefined || found === null ? null : source.positionAt(found);
  }

  read(path: string): Promise<readonly Setting[]> {
    return this.#file(path, { paths: [], position: null });
  }

  async #file(path: string, origin: Origin): Promise<readonly Setting[]> {
    const read = await this.#files.read(path, this.#bytesLeft);
    if (!read.ok) {
      this.#hasGaps = true;
      const { message, before } = read.error;
      this.#add(
        `${path} cannot be read: ${message}`,
        before === null ? origin.position : new SourceText(path, before).positionAt(before.length),
      );
      return [];
    }
    this.#bytesLeft -= Buffer.byteLength(read.value);
    this.#texts.set(path, read.value);
    const source = new SourceText(path, read.value);
    this.#sources.set(path, source);
    const found = this.#document(source);
    if (found === null) {
      this.#hasGaps = true;
      return [];
    }
    const { document, originalOffset } = found;
    const places = { file: path, positionAt: (offset: number) => source.positionAt(originalOffset(offset)) };
    const complain: Complain = (offset, message, suggestion) =>
      this.#add(message, places.positionAt(offset), suggestion ?? null);
    const references = await resolveReferences(document.places, path, this.#environment, complain);
    const settings = new SettingTree(places, references, complain).build(document);
    return this.#withIncluded(settings, path, origin);
  }

  /** The document, whose mistakes have been reported; null where it cannot be read at all. */
  #document(source: SourceText): ReadDocument | null {
    const stray = forbidden.exec(source.text);
    const { fault, longStrings, tokens } = scanStructure(source.text, this.#tokensLeft);
    this.#tokensLeft -= tokens;
    const lines = new ShownLines(source, this.#secretNames, longStrings);
    this.#lines.set(source.file, lines);
    const complain = this.#complaints(source);
    if (stray !== null) {
      complain(stray.index, `the character ${hexadecimal(stray[0])} is not allowed in KDL`);
      return null;
    }
    if (fault !== null) {
      complain(fault.offset, fault.message);
      return null;
    }
    const { document, originalOffset, faults } = diagnose(source.text);
    if (document !== null) lines.learn(document.places, (offset) => source.lineOf(originalOffset(offset)));
    for (const { offset, message, suggestion, withoutText } of faults) {
      const position = source.positionAt(offset);
      const shown = lines.at(position, false);
      const said = shown === source.line(position.line) ? { message, suggestion } : withoutText;
      this.#add(said.message, position, said.suggestion);
    }
    return document === null ? null : { document, originalOffset };
  }

  /** Puts the settings of an included file where its `include` stands. */
  async #withIncluded(settings: readonly Setting[], path: string, origin: Origin): Promise<readonly Setting[]> {
    const result: Setting[] = [];
    const own = settings.some(({ name }) => name === 'include') ? await this.#files.identity(path) : path;
    for (const setting of settings) {
      if (setting.name !== 'include') {
        result.push(setting);
        continue;
      }
      if (setting.args.length === 0 || setting.children !== null || setting.properties.length > 0) {
        this.#add('"include" takes the names of files', setting.position, 'write include "other.kdl"');
        continue;
      }
      for (const arg of setting.args) result.push(...(await this.#included(arg, path, [...origin.paths, own])));
    }
    return result;
  }

  async #included(arg: SettingScalar, from: string, paths: readonly string[]): Promise<readonly Setting[]> {
    if (typeof arg.value !== 'string' || arg.value === '' || arg.value.includes('\0')) {
      this.#add('"include" takes the names of files', arg.position, 'write include "other.kdl"');
      return [];
    }
    const path = isAbsolute(arg.value) ? arg.value : join(dirname(from), arg.value);
    const real = await this.#files.identity(path);
    if (paths.includes(real)) {
      this.#add(`${path} includes itself`, arg.position);
      return [];
    }
    if (paths.length >= maximumIncludeDepth) {
      this.#add(`files include one another more than ${maximumIncludeDepth} levels deep`, arg.position);
      return [];
    }
    return this.#file(path, { paths, position: arg.position });
  }

  #complaints(source: SourceText): Complain {
    return (offset, message, suggestion) => this.#add(message, source.positionAt(offset), suggestion ?? null);
  }

  #add(message: string, position: SourcePosition | null, suggestion: string | null = null): void {
    const line = position === null ? null : this.lineAt(position, false);
    this.#problems.push({
      severity: 'error',
      message: hiddenInLine(message),
      position,
      line,
      suggestion: suggestion === null ? null : hiddenInLine(suggestion),
    });
  }
}
