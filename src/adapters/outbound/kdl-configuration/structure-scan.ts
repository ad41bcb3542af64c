/** Largest number of tokens in all files together: about 15 000 routes. */
export const maximumConfigurationTokens = 250_000;

const tooLong = `the configuration is too long: it may have at most ${maximumConfigurationTokens} tokens`;

/** A reason not to parse a text, with its offset. */
export interface StructureFault {
  readonly offset: number;
  readonly message: string;
}

/** The result of the scan. */
export interface Structure {
  readonly fault: StructureFault | null;
  /** Start and end offsets of multi-line strings. */
  readonly longStrings: readonly (readonly [number, number])[];
  /** Number of tokens, which determines the time of the parsers. */
  readonly tokens: number;
}

/** Largest nesting depth of blocks and of comments. */
const maximumDepth = 64;
/** Largest number of number signs around a raw string. The parsers need quadratic time for them. */
const maximumHashes = 64;

const isIdentifierCharacter = (character: string): boolean => /[\p{L}\p{N}_.+-]/u.test(character);

/**
 * Scans strings, comments and blocks of a text (KDL 1 or 2) in linear time, before a recursive parser. A text that
 * passes may still have errors, which the parser reports.
 */
class StructureScan {
  readonly #text: string;
  readonly #opened: number[] = [];
  readonly #longStrings: [number, number][] = [];
  readonly #maximumTokens: number;
  #tokens = 0;
  #offset = 0;

  constructor(text: string, maximumTokens: number) {
    this.#text = text;
    this.#maximumTokens = maximumTokens;
  }

  run(): Structure {
    const fault = this.#scan();
    return { fault, longStrings: this.#longStrings, tokens: this.#tokens };
  }

  #scan(): StructureFault | null {
    while (this.#offset < this.#text.length) {
      const fault = this.#step();
      if (fault !== null) return fault;
    }
    const open = this.#opened.at(-1);
    return open === undefined ? null : { offset: open, message: 'the block that begins here is not closed' };
  }

  #step(): StructureFault | null {
    const character = this.#text.charAt(this.#offset);
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') {
      this.#offset += 1;
      return null;
    }
    if (this.#text.startsWith('//', this.#offset)) return this.#lineComment();
    if (this.#text.startsWith('/*', this.#offset)) return this.#blockComment();
    this.#tokens += 1;
    if (this.#tokens > this.#maximumTokens) {
      return { offset: this.#offset, message: tooLong };
    }
    return this.#token(character);
  }

  #token(character: string): StructureFault | null {
    if (character === '{') return this.#open();
    if (character === '}') return this.#close();
    if (character === '"') return this.#quoted();
    if (character === '#') return this.#hashes(this.#offset);
    if (character === 'r' && this.#beginsOldRawString()) return this.#hashes(this.#offset + 1);
    const word = /[^\s{}"#;=()\\/]+|/y;
    word.lastIndex = this.#offset;
    this.#offset += Math.max(1, word.exec(this.#text)?.[0].length ?? 0);
    return null;
  }

  #open(): StructureFault | null {
    if (this.#opened.length === maximumDepth) {
      return { offset: this.#offset, message: `blocks are nested more than ${maximumDepth} levels deep` };
    }
    this.#opened.push(this.#offset);
    this.#offset += 1;
    return null;
  }

  #close(): StructureFault | null {
    if (this.#opened.pop() === undefined) {
      return { offset: this.#offset, message: 'this brace closes a block that was not opened' };
    }
    this.#offset += 1;
    return null;
  }

  /** `r"` or `r#` of KDL 1, if `r` is not the end of a longer word. */
  #beginsOldRawString(): boolean {
    const next = this.#text.charAt(this.#offset + 1);
    if (next !== '"' && next !== '#') return false;
    return this.#offset === 0 || !isIdentifierCharacter(this.#text.charAt(this.#offset - 1));
  }

  #quoted(): StructureFault | null {
    const start = this.#offset;
    const fence = this.#text.startsWith('"""', start) ? '"""' : '"';
    let at = start + fence.length;
    while (at < this.#text.length && !this.#text.startsWith(fence, at)) at += this.#text.charAt(at) === '\\' ? 2 : 1;
    return this.#endString(start, at < this.#text.length ? at + fence.length : -1);
  }

  /** Number signs: a raw string if a quote follows, otherwise a keyword or an error. */
  #hashes(first: number): StructureFault | null {
    const start = this.#offset;
    let after = first;
    while (this.#text.charAt(after) === '#') after += 1;
    const count = after - first;
    if (count > maximumHashes)
      return { offset: start, message: `there are more than ${maximumHashes} number signs in a row` };
    if (this.#text.charAt(after) !== '"') {
      this.#offset = after;
      return null;
    }
    const quote = this.#text.startsWith('"""', after) ? '"""' : '"';
    const fence = quote + '#'.repeat(count);
    const end = this.#text.indexOf(fence, after + quote.length);
    return this.#endString(start, end < 0 ? -1 : end + fence.length);
  }

  #endString(start: number, end: number): StructureFault | null {
    const stop = end < 0 ? this.#text.length : end;
    if (/[\r\n]/.test(this.#text.slice(start, stop))) this.#longStrings.push([start, stop]);
    if (end < 0) return { offset: start, message: 'the string that begins here is not closed' };
    this.#offset = end;
    return null;
  }

  #lineComment(): null {
    const end = /[\n\r\u0085\u000b\u000c\u2028\u2029]/g;
    end.lastIndex = this.#offset;
    this.#offset = end.exec(this.#text)?.index ?? this.#text.length;
    return null;
  }

  #blockComment(): StructureFault | null {
    const start = this.#offset;
    const mark = /\/\*|\*\//g;
    mark.lastIndex = start;
    let depth = 0;
    for (let found = mark.exec(this.#text); found !== null; found = mark.exec(this.#text)) {
      depth += found[0] === '/*' ? 1 : -1;
      if (depth > maximumDepth) {
        return { offset: found.index, message: `comments are nested more than ${maximumDepth} levels deep` };
      }
      if (depth > 0) continue;
      this.#offset = mark.lastIndex;
      return null;
    }
    return { offset: start, message: 'the comment that begins here is not closed' };
  }
}

/** `maximumTokens` bounds the time of the parsers, which are linear but slow. */
export const scanStructure = (text: string, maximumTokens: number): Structure =>
  new StructureScan(text, maximumTokens).run();
