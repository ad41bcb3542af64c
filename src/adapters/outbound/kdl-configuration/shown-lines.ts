import { type Document, getLocation, type Node } from '@bgotink/kdl';
import { agentOptionsShape } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { SourcePosition } from '../../../domain/configuration/configuration-problem.js';
import { describesOnly, hiddenInLine, hiddenInText, looksSecret } from '../../../domain/configuration/hidden-text.js';
import { nearestWord } from '../../../domain/configuration/schema/did-you-mean.js';
import type { Shape } from '../../../domain/configuration/schema/schema.js';
import { isHarmlessName } from '../../../domain/configuration/whole/effective/harmless-names.js';
import { gatewayShape } from '../../../domain/gateway/configuration/gateway-schema.js';
import { namedMatchKeys } from '../../../domain/gateway/configuration/route-schema.js';
import type { SourceText } from './source-text.js';

const namesOf = (shape: Shape): readonly string[] =>
  Object.entries(shape).flatMap(([name, key]) => [name, ...(key.shape === null ? [] : namesOf(key.shape))]);

const known: ReadonlySet<string> = new Set([...namesOf(gatewayShape), ...namesOf(agentOptionsShape)]);

/** Whether a name is a known key, so that its secrecy is known. */
const isKnownName = (name: string): boolean => known.has(name);

const hidden = '[secret]';
/** Words that suggest a secret in unparsed text. A false match only hides a line. */
const sensitive = /secr|passw|pwd|token|key|jwt|basic|cred|priv|authori|bearer|cookie|dsn|webhook|@/i;
/** Names that always mean a secret, even in unknown agent options. */
const surelySecret = /secr|passw|private-?key/i;
/** Largest number of lines to search upwards for the start of a continued setting. */
const maximumLookBack = 200;

/** The known options in a block of an agent's config; null: none. */
interface Options {
  readonly shape: Shape | null;
}

const agentOptions: Options = { shape: agentOptionsShape };

const keyIn = ({ shape }: Options, name: string): Shape[string] | undefined =>
  shape !== null && Object.hasOwn(shape, name) ? shape[name] : undefined;

const innerOptions = (node: Node, options: Options | null): Options | null =>
  options === null ? null : { shape: keyIn(options, node.getName())?.shape ?? null };

/** A line with only a name, which a secret may follow on the next line. */
const nameAlone = /^\s*(?:[\w-]+|"[\w-]+")\s*\{?\s*$/;

/** Largest number of spelling lookups in one file. */
const maximumLookUps = 200;

/** Provides the lines of a file for messages, without possible secrets. */
export class ShownLines {
  readonly #source: SourceText;
  readonly #secretNames: ReadonlySet<string>;
  readonly #longStrings: readonly (readonly [number, number])[];
  /** The first line with the word `config`; null: not searched yet. */
  #firstConfig: number | null = null;
  #lineOf: (offset: number) => number = () => 1;
  /** Lines of settings with secrets; null: not parsed yet. */
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

  #lookUps = 0;

  /** Finds the lines with secrets in a parsed document. `lineOf` maps an offset of the document to a line. */
  learn(document: Document, lineOf: (offset: number) => number = (offset) => this.#source.lineOf(offset)): void {
    this.#lineOf = lineOf;
    this.#secretLines = new Set();
    this.#mark(document.nodes, this.#secretLines, null);
  }

  /** `secret`: the setting at the position may be a secret, whatever its name. */
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
    // The position of a flagged secret is that of its name.
    return secret && cut === hidden ? cutAfterWord(line, position.column) : cut;
  }

  /** Whether a multi-line string splits a URL over lines. */
  #continuesUrl(number: number): boolean {
    const string = this.#longStrings.find(([from, to]) => from <= number && number <= to);
    if (string === undefined) return false;
    const [from, to] = string;
    const lines = Array.from({ length: to - from + 1 }, (_, index) => this.#source.line(from + index));
    if (lines.includes(null)) return true;
    const text = lines.map((line) => (line ?? '').replace(/\\\s*$/, '').trim()).join('');
    return hiddenInText(text) !== text;
  }

  /** @param options the agent options in this block; null: not inside an agent's config */
  #mark(nodes: readonly Node[], lines: Set<number>, options: Options | null, parent: string | null = null): void {
    for (const node of nodes) {
      const isSecret =
        [node.getName(), ...node.getPropertyEntries().map((entry) => entry.getName() ?? '')].some(
          (name) => this.#isSecretName(name) && !this.#isMisspelt(name, options),
        ) ||
        namesSecret(node) ||
        (options !== null && this.#holdsUnknown(node, options));
      const inner = parent === 'agent' && node.getName() === 'config' ? agentOptions : innerOptions(node, options);
      if (node.children !== null) this.#mark(node.children.nodes, lines, inner, node.getName());
      if (!isSecret) continue;
      const place = getLocation(node);
      const [from, to] = [place?.start.offset ?? 0, place?.end.offset ?? 0];
      for (let line = this.#lineOf(from); line <= this.#lineOf(to); line += 1) lines.add(line);
    }
  }

  /** Whether a node has an unknown option that is not known to be harmless. */
  #holdsUnknown(node: Node, options: Options): boolean {
    const inner = innerOptions(node, options) ?? options;
    const isUnknown = (name: string, among: Options): boolean =>
      keyIn(among, name) === undefined && !isHarmlessName(name) && !this.#isMisspelt(name, among);
    return (
      (node.getArguments().length > 0 && isUnknown(node.getName(), options)) ||
      node.getPropertyEntries().some((entry) => isUnknown(entry.getName() ?? '', inner))
    );
  }

  /** Whether an unknown option resembles a known one without a secret, and none with a secret. */
  #isMisspelt(name: string, options: Options | null): boolean {
    if (options?.shape == null || isKnownName(name) || surelySecret.test(name)) return false;
    this.#lookUps += 1;
    if (this.#lookUps > maximumLookUps) return false;
    const keys = Object.entries(options.shape);
    const named = (isSecret: boolean): readonly string[] =>
      keys.flatMap(([key, { secret }]) => (secret === isSecret ? key : []));
    const near = nearestWord(name, named(true)) === null ? nearestWord(name, named(false)) : null;
    return near !== null && (looksSecret(near) || !looksSecret(name));
  }

  #isSecretName(name: string): boolean {
    return this.#secretNames.has(name) || surelySecret.test(name) || (!isKnownName(name) && looksSecret(name));
  }

  /** Checks an unparsed line, and the lines above that it continues. */
  #mayHoldSecret(number: number): boolean {
    let first = number;
    for (let steps = 0; ; steps += 1) {
      if (steps === maximumLookBack) return true;
      const line = this.#source.line(first);
      if (line === null || this.#isSensitive(line, first) || this.#namesSecret(line) || this.#mayBeOption(first)) {
        return true;
      }
      const string = this.#longStrings.find(([from, to]) => from < first && first <= to);
      const above = first > 1 ? (this.#source.line(first - 1) ?? '\\') : '';
      if (string !== undefined) first = string[0];
      else if (first > 1 && (/[\\[,]\s*(\/\/.*)?$/.test(above) || !/^\s*([\p{L}_}]|\/\/|$)/u.test(line))) first -= 1;
      else return false;
    }
  }

  /**
   * Checks a line without its harmless settings. From the first `config` on, names may be agent options with another
   * meaning.
   */
  #isSensitive(line: string, number: number): boolean {
    this.#firstConfig ??= this.#findConfig();
    const isOption = number >= this.#firstConfig;
    const rest = line.replace(plainSetting, (whole, start: string, _space, name: string) =>
      this.#isPlain(name) && (!isOption || describesOnly(name) || !looksSecret(name)) ? start : whole,
    );
    return sensitive.test(rest);
  }

  #isPlain(name: string): boolean {
    return isKnownName(name) && !this.#isSecretName(name) && !namedValues.has(name);
  }

  /** Whether a line may contain an unknown agent option, which is possible from the first `config` on. */
  #mayBeOption(number: number): boolean {
    this.#firstConfig ??= this.#findConfig();
    if (number < this.#firstConfig) return false;
    const bare = (this.#source.line(number) ?? '').replace(/"(?:[^"\\]|\\.)*"?/g, '"');
    return [...bare.matchAll(/(?:^|[{;])\s*([\p{L}_][\p{L}\p{N}_.-]{0,200})\s*[^\s{};]/gu)].some(
      ([, name = '']) => !isKnownName(name) && !isHarmlessName(name),
    );
  }

  #findConfig(): number {
    let number = 1;
    for (let line = this.#source.line(1); line !== null; line = this.#source.line(number)) {
      if (/\bconfig\b/.test(line)) return number;
      number += 1;
    }
    return number;
  }

  #namesSecret(line: string): boolean {
    return (line.match(/[\w-]+/g) ?? []).some((word) => this.#secretNames.has(word));
  }

  /** Keeps only the name of the first secret setting, at its column. */
  #cut(line: string): string {
    for (const word of line.matchAll(/[\w-]+/g)) {
      if (this.#secretNames.has(word[0])) return `${' '.repeat(word.index)}${word[0]} ${hidden}`;
    }
    return hidden;
  }
}

/** Keys whose first value names the second one. */
const namedValues: ReadonlySet<string> = new Set([...namedMatchKeys, 'collector-header']);

/** Whether the first value names a secret, as in `header "Authorization" "..."`. */
const namesSecret = (node: Node): boolean => {
  const [first, second] = node.getArguments();
  if (typeof first !== 'string' || second === undefined || !looksSecret(first)) return false;
  return namedValues.has(node.getName()) || !isKnownName(node.getName());
};

/** A setting with plain values in unparsed text. */
const plainSetting = /(^|[{;])(\s*)([a-z][a-z0-9_-]{0,63})((?:[ \t]+(?:"(?:[^"\\]|\\.)*"|[^\s"{};]+))+)/g;

/** Cuts a line after the word at the column, if that word begins the line; otherwise hides it. */
const cutAfterWord = (line: string, column: number): string => {
  if (nameAlone.test(line)) return line;
  const start = /^(\s*)[\w-]+/.exec(line);
  return start !== null && (start[1] ?? '').length + 1 === column ? `${start[0]} ${hidden}` : hidden;
};
