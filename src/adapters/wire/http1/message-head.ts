/** Offsets per field in `MessageHead.spans`: start and end of name and value. */
export const spanSize = 4;

/** Initial capacity in fields. */
const firstRoom = 64;

/** How the body length is determined (RFC 9112, section 6.3). */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

/**
 * Result of a head parser. One instance per kind of head, valid until the next parse; copy what is
 * needed longer. Offsets count from the start of the head, behind leading empty lines.
 */
export class MessageHead {
  /** Last digit of `HTTP/1.0` or `HTTP/1.1`. */
  minorVersion: 0 | 1 = 1;
  /** `spanSize` offsets per field. */
  spans = new Int32Array(firstRoom * spanSize);
  fieldCount = 0;
  /** Octets of leading empty lines. */
  emptyOctets = 0;
  /** Every field line is `name: value`: one space after the colon, none before the line end. */
  isPlain = true;

  /** -1 if absent. */
  contentLength = -1;
  isChunked = false;
  /** Index of the only Host field; -1 if absent. */
  hostField = -1;
  /** Index of the only Content-Length field; -1 if absent. */
  lengthField = -1;
  /** Connection options (RFC 9110, section 7.6.1). */
  saysClose = false;
  saysKeepAlive = false;
  saysUpgrade = false;
  /** Upgrade names only websocket, in HTTP/1.1. */
  namesWebSocket = false;
  hasUpgrade = false;
  /** Expect is `100-continue`, in HTTP/1.1. */
  expectsContinue = false;

  clear(): void {
    this.fieldCount = 0;
    this.emptyOctets = 0;
    this.isPlain = true;
    this.contentLength = -1;
    this.isChunked = false;
    this.hostField = -1;
    this.lengthField = -1;
    this.saysClose = false;
    this.saysKeepAlive = false;
    this.saysUpgrade = false;
    this.namesWebSocket = false;
    this.hasUpgrade = false;
    this.expectsContinue = false;
  }

  /** Whether the connection persists after this message (RFC 9112, section 9.3). */
  get isPersistent(): boolean {
    return !this.saysClose && (this.minorVersion === 1 || this.saysKeepAlive);
  }

  add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const at = this.fieldCount * spanSize;
    if (at === this.spans.length) {
      const wider = new Int32Array(at * 2);
      wider.set(this.spans);
      this.spans = wider;
    }
    const { spans } = this;
    spans[at] = nameStart;
    spans[at + 1] = nameEnd;
    spans[at + 2] = valueStart;
    spans[at + 3] = valueEnd;
    this.fieldCount += 1;
  }
}

/** Table size; a power of 2. */
const slots = 1_024;
/** Longest cached name; bounds what a client can store to `slots` of these. */
const longest = 64;

/** A name with its marks. */
interface KnownName {
  readonly text: string;
  readonly marks: number;
}

const none: KnownName = { text: '', marks: 0 };

/**
 * A hash table of field names; a collision replaces the entry. A repeated name is mostly the same
 * string object: it is not allocated again, its hash is cached, and its marks are computed once.
 */
export class FieldNames {
  /** Union of the marks of all names since the last `reset`. */
  marks = 0;
  /** Upper bound of their lengths. */
  longest = longest;
  readonly #known: KnownName[] = new Array<KnownName>(slots).fill(none);
  readonly #marksOf: (name: string) => number;

  /** @param marksOf marks of a name as bits; a pure function */
  constructor(marksOf: (name: string) => number) {
    this.#marksOf = marksOf;
  }

  /** Starts another head. */
  reset(): void {
    this.marks = 0;
    this.longest = longest;
  }

  /** The name between two offsets of a head. */
  take(text: string, start: number, end: number): string {
    const length = end - start;
    if (length > longest) return this.#long(text.slice(start, end));
    // The factors separate the common names of browsers, servers and this gateway, in both
    // spellings.
    const slot =
      (length * 155 +
        text.charCodeAt(start) * 197 +
        text.charCodeAt(end - 1) * 125 +
        text.charCodeAt(start + (length >> 1)) * 117 +
        text.charCodeAt(start + ((length * 3) >> 2)) * 225) &
      (slots - 1);
    const known = this.#known[slot] as KnownName;
    if (known.text.length === length && text.startsWith(known.text, start)) {
      this.marks |= known.marks;
      return known.text;
    }
    return this.#remember(slot, text, start, end);
  }

  #long(name: string): string {
    this.marks |= this.#marksOf(name);
    this.longest = Math.max(this.longest, name.length);
    return name;
  }

  #remember(slot: number, text: string, start: number, end: number): string {
    const codes: number[] = [];
    for (let at = start; at < end; at += 1) codes.push(text.charCodeAt(at));
    // INVARIANT: a copy. A slice would retain the whole head.
    const name = String.fromCharCode(...codes);
    const marks = this.#marksOf(name);
    this.#known[slot] = { text: name, marks };
    this.marks |= marks;
    return name;
  }
}

/** Names without marks. */
export const plainNames = new FieldNames(() => 0);

/** More digits would not be exact. */
const maxDigits = 15;

/** The Content-Length of a value (RFC 9110, section 8.6); -1 unless it is decimal digits only. */
export const lengthValue = (value: string): number => {
  const digits = value.length;
  if (digits === 0 || digits > maxDigits) return -1;
  let length = 0;
  for (let at = 0; at < digits; at += 1) {
    const digit = value.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
};

/**
 * The fields of a head as `[name, value, name, value, ...]`, with order and case kept.
 * @param text the head, one character per octet
 * @param names name table; afterwards its `marks` describe this head
 */
export const fieldList = (
  text: string,
  { spans, fieldCount }: MessageHead,
  names: FieldNames = plainNames,
): string[] => {
  const list: string[] = new Array(fieldCount * 2);
  names.reset();
  for (let field = 0; field < fieldCount; field += 1) {
    const at = field * spanSize;
    list[field * 2] = names.take(text, spans[at] as number, spans[at + 1] as number);
    list[field * 2 + 1] = text.slice(spans[at + 2] as number, spans[at + 3] as number);
  }
  return list;
};
