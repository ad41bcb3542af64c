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

/** Whether a name is that of a key, of which is known whether it holds a secret. */
const isKnownName = (name: string): boolean => known.has(name);

const hidden = '[secret]';
/**
 * Words that may stand beside a secret, in a text that has no tree yet. A word too many costs a
 * line, not more.
 */
const sensitive = /secr|passw|pwd|token|key|jwt|basic|cred|priv|authori|bearer|cookie|dsn|webhook|@/i;
/** Names that hold a secret in the configuration of any agent, whether they are known or not. */
const surelySecret = /secr|passw|private-?key/i;
/** Lines that are looked at upwards for the beginning of what a line continues. */
const maximumLookBack = 200;

/** Options of an agent: those that are known in a block, and null where none is. */
interface Options {
  readonly shape: Shape | null;
}

const agentOptions: Options = { shape: agentOptionsShape };

const keyIn = ({ shape }: Options, name: string): Shape[string] | undefined =>
  shape !== null && Object.hasOwn(shape, name) ? shape[name] : undefined;

const innerOptions = (node: Node, options: Options | null): Options | null =>
  options === null ? null : { shape: keyIn(options, node.getName())?.shape ?? null };

/** The line that a secret may follow, where nothing follows. */
const nameAlone = /^\s*(?:[\w-]+|"[\w-]+")\s*\{?\s*$/;

/** Misspelt names that are looked for in one file. */
const maximumLookUps = 200;

/** The lines of a file as they may be shown: what may be a secret is cut off. */
export class ShownLines {
  readonly #source: SourceText;
  readonly #secretNames: ReadonlySet<string>;
  readonly #longStrings: readonly (readonly [number, number])[];
  /** The first line with the word `config`; null: not looked for. */
  #firstConfig: number | null = null;
  #lineOf: (offset: number) => number = () => 1;
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

  #lookUps = 0;

  /**
   * Learns from the tree which lines hold secrets; `lineOf` finds the line of an offset in the
   * tree.
   */
  learn(document: Document, lineOf: (offset: number) => number = (offset) => this.#source.lineOf(offset)): void {
    this.#lineOf = lineOf;
    this.#secretLines = new Set();
    this.#mark(document.nodes, this.#secretLines, null);
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

  /** @param options the options of an agent that may stand there; null: none do */
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

  /**
   * An option that no agent of ours has, and that is not known to be harmless, may hold anything.
   */
  #holdsUnknown(node: Node, options: Options): boolean {
    const inner = innerOptions(node, options) ?? options;
    const isUnknown = (name: string, among: Options): boolean =>
      keyIn(among, name) === undefined && !isHarmlessName(name) && !this.#isMisspelt(name, among);
    return (
      (node.getArguments().length > 0 && isUnknown(node.getName(), options)) ||
      node.getPropertyEntries().some((entry) => isUnknown(entry.getName() ?? '', inner))
    );
  }

  /**
   * An unknown option that is near one without a secret, and near none with one: it was meant to be
   * that.
   */
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

  /** Looks at a line and at those above that it continues, by their looks alone. */
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
   * Looks at a line but for the settings that are known to hold no secret. From the first `config`
   * on their names may mean others.
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

  /**
   * From the first `config` on, a name that is known nowhere may be an option of an agent, and its
   * value anything.
   */
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

  /** The name of the first setting that holds a secret, at its place; nothing else of the line. */
  #cut(line: string): string {
    for (const word of line.matchAll(/[\w-]+/g)) {
      if (this.#secretNames.has(word[0])) return `${' '.repeat(word.index)}${word[0]} ${hidden}`;
    }
    return hidden;
  }
}

/** Keys whose first value is the name of what the second one is. */
const namedValues: ReadonlySet<string> = new Set([...namedMatchKeys, 'collector-header']);

/** `header "Authorization" "..."`: the name says what the value is. */
const namesSecret = (node: Node): boolean => {
  const [first, second] = node.getArguments();
  if (typeof first !== 'string' || second === undefined || !looksSecret(first)) return false;
  return namedValues.has(node.getName()) || !isKnownName(node.getName());
};

/** A setting with plain values, in a text that has no tree. */
const plainSetting = /(^|[{;])(\s*)([a-z][a-z0-9_-]{0,63})((?:[ \t]+(?:"(?:[^"\\]|\\.)*"|[^\s"{};]+))+)/g;

/** The line up to the word that the column points at, where that word begins the line. */
const cutAfterWord = (line: string, column: number): string => {
  if (nameAlone.test(line)) return line;
  const start = /^(\s*)[\w-]+/.exec(line);
  return start !== null && (start[1] ?? '').length + 1 === column ? `${start[0]} ${hidden}` : hidden;
};
