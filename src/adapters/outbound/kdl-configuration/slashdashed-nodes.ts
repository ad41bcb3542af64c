/** A text whose settings that are commented out are settings like others, marked by a type annotation. */
export interface MarkedText {
  readonly text: string;
  /** The place in the text before, of a place in the marked one. */
  readonly originalOffset: (offset: number) => number;
  /** Whether a type annotation is such a mark. */
  readonly isMark: (tag: string | null) => boolean;
  /** Takes the marks away. */
  readonly unmark: (text: string) => string;
}

const declaration = /^\s*\/-[ \t]*kdl-version[ \t]+\d+[ \t]*(?:[\r\n]|$)/;
const blank = /[ \t\r\n\u0085\u000b\u000c\u2028\u2029\ufeff\u00a0]/;
const name = /^\/-([ \t]*)(?=[\p{L}_"])/u;

/** Where the comments of whole settings begin (KDL 2.0.0, section 3.17), of a text that has passed the structure scan. */
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
    const mark = /\/\*|\*\//g;
    mark.lastIndex = this.#at;
    let depth = 0;
    for (let found = mark.exec(this.#text); found !== null; found = mark.exec(this.#text)) {
      depth += found[0] === '/*' ? 1 : -1;
      this.#at = mark.lastIndex;
      if (depth === 0) return;
    }
    this.#at = this.#text.length;
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

/** Marks the settings of a text that are commented out as a whole, so that they can be moved as others are. */
export const markSlashdashed = (text: string): MarkedText => {
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
