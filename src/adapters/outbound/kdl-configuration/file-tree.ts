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

/** The result of parsing a text with repairs. */
interface DiagnosedText {
  /** The document of the original or repaired text; null: both are unreadable. */
  readonly document: KdlDocument | null;
  /** Converts an offset in the document to one in the text. */
  readonly originalOffset: (offset: number) => number;
  /** Syntax errors, in the order of the text. */
  readonly faults: readonly KdlFault[];
}

/** Largest number of faults of one text. */
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
  const keyword = /^(true|false|null) is #/.exec(message)?.[1];
  return keyword === undefined
    ? plainFault(offset, message, 'run gateway config migrate to correct it')
    : keywordFault(offset, keyword);
};

/** Reports only the opening bracket of a list, not each of its repairs. */
const isShown = (text: string, { offset, message }: Repair): boolean =>
  message !== noBrackets || text.charAt(offset) === '[';

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1));

/** Merges the faults of the parser with those of repairs on other lines. */
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
 * Parses a text that has passed the structure scan. Repairable errors, such as lists in brackets, do not hide later
 * problems, because the repaired text is checked too.
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

/** Largest size in octets of all files together. The parser takes seconds for more. */
export const maximumConfigurationBytes = 2_097_152;
/** Largest depth of includes. */
const maximumIncludeDepth = 16;

/** Characters that KDL forbids (KDL 2.0.0, section 3.19). */
const forbidden = /[\0-\x08\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

const hexadecimal = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The chain of includes that leads to a file. */
interface Origin {
  readonly paths: readonly string[];
  /** The position of the include; null for the first file. */
  readonly position: SourcePosition | null;
}

/** A document with the conversion of its offsets. */
type ReadDocument = Pick<DiagnosedText, 'originalOffset'> & {
  readonly document: NonNullable<DiagnosedText['document']>;
};

/** Reads a file and its included files as one list of settings. Use an instance once. */
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

  /** The texts of all read files, by path. They may contain secrets. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts;
  }

  /** Whether a file was unreadable, so that missing settings may be there. */
  get hasGaps(): boolean {
    return this.#hasGaps;
  }

  /** A printable line of one of the files. */
  lineAt(position: SourcePosition, secret: boolean): string | null {
    return this.#lines.get(position.file)?.at(position, secret) ?? null;
  }

  /** The position of an offset in the string literal at a position; null: there is no readable literal. */
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

  /** Parses the document and reports its errors; null: unreadable. */
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

  /** Replaces each `include` by the settings of its file. */
  async #withIncluded(settings: readonly Setting[], path: string, origin: Origin): Promise<readonly Setting[]> {
    const result: Setting[] = [];
    const own = settings.some(({ name }) => name === 'include') ? await this.#files.identity(path) : path;
    for (const setting of settings) {
      if (setting.name !== 'include') {
        result.push(setting);
        continue;
      }
      if (setting.args.length === 0 || setting.children !== null || setting.properties.length > 0) {
        this.#add('"include" needs file names', setting.position, 'write include "other.kdl"');
        continue;
      }
      for (const arg of setting.args) result.push(...(await this.#included(arg, path, [...origin.paths, own])));
    }
    return result;
  }

  async #included(arg: SettingScalar, from: string, paths: readonly string[]): Promise<readonly Setting[]> {
    if (typeof arg.value !== 'string' || arg.value === '' || arg.value.includes('\0')) {
      this.#add('"include" needs file names', arg.position, 'write include "other.kdl"');
      return [];
    }
    const path = isAbsolute(arg.value) ? arg.value : join(dirname(from), arg.value);
    const real = await this.#files.identity(path);
    if (paths.includes(real)) {
      this.#add(`${path} includes itself`, arg.position);
      return [];
    }
    if (paths.length >= maximumIncludeDepth) {
      this.#add(`includes are nested more than ${maximumIncludeDepth} levels deep`, arg.position);
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
