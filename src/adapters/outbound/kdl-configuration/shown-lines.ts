import { type Document, getLocation, type Node } from '@bgotink/kdl';
import type { SourcePosition } from '../../../domain/configuration/configuration-problem.js';
import { hiddenInLine, hiddenInText, looksSecret } from '../../../domain/configuration/effective/hidden-text.js';
import { isKnownName } from './known-names.js';
import type { SourceText } from './source-text.js';

const hidden = '[secret]';
/** Words that may stand beside a secret, in a text that has no tree yet. A word too many costs a line, not more. */
const sensitive = /secr|passw|pwd|token|key|jwt|basic|cred|priv|authori|bearer|cookie|dsn|webhook|:\/\/.*@/i;
/** Names that hold a secret in the configuration of any agent, whether they are known or not. */
const surelySecret = /secr|passw|private-?key/i;
/** Lines that are looked at upwards for the beginning of what a line continues. */
const maximumLookBack = 200;

/** The lines of a file as they may be shown: what may be a secret is cut off. */
export class ShownLines {
  readonly #source: SourceText;
  readonly #secretNames: ReadonlySet<string>;
  readonly #longStrings: readonly (readonly [number, number])[];
  /** Lines that hold a part of a setting with a secret; null while there is no tree. */
  #secretLines: Set<number> | null = null;

  constructor(
    source: SourceText,
    secretNames: ReadonlySet<string>,
    longStrings: readonly (readonly [number, number])[],
  ) {
    this.#source = source;
    this.#secretNames = secretNames;
    this.#longStrings = longStrings.map(([from, to]) => [source.lineOf(from), source.lineOf(to)]);
  }

  /** Learns from the tree which lines hold secrets. */
  learn(document: Document): void {
    this.#secretLines = new Set();
    this.#mark(document.nodes, this.#secretLines);
  }

  /** `secret` says that what stands at the position may be a secret whatever its name is. */
  at(position: SourcePosition, secret: boolean): string | null {
    const line = this.#source.line(position.line);
    if (line === null) return null;
    const shown = this.#shown(line, position, secret);
    if (shown !== line) return shown;
    return this.#continuesUrl(position.line) ? hidden : hiddenInLine(line);
  }

  #shown(line: string, position: SourcePosition, secret: boolean): string {
    if (this.#secretLines === null) return this.#mayHoldSecret(position.line) ? this.#cut(line) : line;
    if (!this.#secretLines.has(position.line)) return secret ? cutAfterWord(line, position.column) : line;
    const cut = this.#cut(line);
    // What is flagged as a secret is flagged at its name.
    return secret && cut === hidden ? cutAfterWord(line, position.column) : cut;
  }

  /** A string over several lines may hold one URL in two of them. */
  #continuesUrl(number: number): boolean {
    const string = this.#longStrings.find(([from, to]) => from <= number && number <= to);
    if (string === undefined) return false;
    const [from, to] = string;
    const lines = Array.from({ length: to - from + 1 }, (_, index) => this.#source.line(from + index));
    if (lines.includes(null)) return true;
    const text = lines.map((line) => (line ?? '').replace(/\\\s*$/, '').trim()).join('');
    return hiddenInText(text) !== text;
  }

  #mark(nodes: readonly Node[], lines: Set<number>): void {
    for (const node of nodes) {
      const isSecret =
        [node.getName(), ...node.getPropertyEntries().map((entry) => entry.getName() ?? '')].some((name) =>
          this.#isSecretName(name),
        ) || namesSecret(node);
      if (node.children !== null) this.#mark(node.children.nodes, lines);
      if (!isSecret) continue;
      const place = getLocation(node);
      const [from, to] = [place?.start.offset ?? 0, place?.end.offset ?? 0];
      for (let line = this.#source.lineOf(from); line <= this.#source.lineOf(to); line += 1) lines.add(line);
    }
  }

  #isSecretName(name: string): boolean {
    return this.#secretNames.has(name) || surelySecret.test(name) || (!isKnownName(name) && looksSecret(name));
  }

  /** Looks at a line and at those above that it continues, by their looks alone. */
  #mayHoldSecret(number: number): boolean {
    let first = number;
    for (let steps = 0; ; steps += 1) {
      if (steps === maximumLookBack) return true;
      const line = this.#source.line(first);
      if (line === null || sensitive.test(line) || this.#namesSecret(line)) return true;
      const string = this.#longStrings.find(([from, to]) => from < first && first <= to);
      const above = first > 1 ? (this.#source.line(first - 1) ?? '\\') : '';
      if (string !== undefined) first = string[0];
      else if (first > 1 && (/[\\[,]\s*(\/\/.*)?$/.test(above) || !/^\s*([\p{L}_}]|\/\/|$)/u.test(line))) first -= 1;
      else return false;
    }
  }

  #namesSecret(line: string): boolean {
    return (line.match(/[\w-]+/g) ?? []).some((word) => this.#secretNames.has(word));
  }

  /** The name of the first setting that holds a secret, at its place; nothing else of the line. */
  #cut(line: string): string {
    for (const word of line.matchAll(/[\w-]+/g)) {
      if (this.#secretNames.has(word[0])) return `${' '.repeat(word.index)}${word[0]} ${hidden}`;
    }
    return hidden;
  }
}

/** `header "Authorization" "..."`: the name says what the value is. */
const namesSecret = (node: Node): boolean => {
  const [first, second] = node.getArguments();
  return typeof first === 'string' && second !== undefined && looksSecret(first);
};

/** The line up to the word that the column points at, where that word begins the line. */
const cutAfterWord = (line: string, column: number): string => {
  const start = /^(\s*)[\w-]+/.exec(line);
  return start !== null && (start[1] ?? '').length + 1 === column ? `${start[0]} ${hidden}` : hidden;
};
