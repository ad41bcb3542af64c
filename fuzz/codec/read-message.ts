import type { ChunkedReader } from '../../src/adapters/wire/http1/chunked-reader.js';
import type { HeadBuffer } from '../../src/adapters/wire/http1/head-buffer.js';
import type { HeadLines } from '../../src/adapters/wire/http1/head-lines.js';
import type { Codec } from './codec.js';

/** A message as the codec has read it; texts have one character for each octet. */
export interface ReadMessage {
  /** Method and target, or the status. */
  readonly line: string;
  readonly minorVersion: number;
  /** Name and value in turn. */
  readonly fields: readonly string[];
  /** Of its head, where it is written as the writers do. */
  readonly lines: HeadLines | null;
  readonly framing: string;
  body: string;
  trailers: readonly string[];
  isComplete: boolean;
  /** It wants the connection for something else than HTTP from here on, where it gets it. */
  readonly mayUpgrade: boolean;
  readonly isPersistent: boolean;
  /** Octets of the stream up to its end; up to that of its head while it is incomplete. */
  end: number;
}

export interface StreamReading {
  readonly messages: readonly ReadMessage[];
  /** How it ended: between two messages, inside one, or by a fault. */
  readonly ending: string;
}

interface NotedHead {
  readonly message: ReadMessage;
  /** Octets of content; -1: in chunks; Infinity: up to the end of the connection. */
  readonly length: number;
}

const textOf = (octets: Uint8Array, start: number, end: number): string =>
  Buffer.from(octets.buffer, octets.byteOffset + start, end - start).toString('latin1');

/** What differs between the directions: how a head is read, and what it says. */
export interface HeadKind {
  read(octets: Uint8Array, start: number, end: number): number;
  emptyOctets(): number;
  noted(text: string, end: number): NotedHead;
}

const framed = (isChunked: boolean, contentLength: number) =>
  isChunked
    ? { framing: 'chunked', length: -1 }
    : { framing: `length ${Math.max(0, contentLength)}`, length: Math.max(0, contentLength) };

export const requestHeads = (codec: Codec, maxOctets: number): HeadKind => {
  const head = codec.requestHead;
  return {
    read: (octets, start, end) => codec.readRequestHead(octets, start, end, maxOctets),
    emptyOctets: () => head.emptyOctets,
    noted: (text, end) => {
      const { framing, length } = framed(head.isChunked, head.contentLength);
      const method = text.slice(0, head.methodEnd);
      const fields = codec.fieldList(text, head);
      const message = {
        line: `${method} ${text.slice(head.targetStart, head.targetEnd)}`,
        minorVersion: head.minorVersion,
        fields,
        lines: codec.headLines(text, head, head.methodEnd, fields, 0),
        framing,
        body: '',
        trailers: [],
        isComplete: length === 0,
        mayUpgrade: method === 'CONNECT' || (head.saysUpgrade && head.hasUpgrade),
        isPersistent: head.isPersistent,
        end,
      };
      return { message, length };
    },
  };
};

export const responseHeads = (codec: Codec, maxOctets: number, isToHead: boolean): HeadKind => {
  const head = codec.responseHead;
  const lengths = { none: 0, length: 0, chunked: -1, close: Number.POSITIVE_INFINITY };
  return {
    read: (octets, start, end) => codec.readResponseHead(octets, start, end, maxOctets),
    emptyOctets: () => 0,
    noted: (text, end) => {
      const framing = codec.responseFraming(head, isToHead);
      const fields = codec.fieldList(text, head);
      const length = framing === 'length' ? head.contentLength : lengths[framing];
      const message = {
        line: String(head.status),
        minorVersion: head.minorVersion,
        fields,
        lines: codec.headLines(text, head, 0, fields, 0),
        framing: framing === 'length' ? `length ${length}` : framing,
        body: '',
        trailers: [],
        isComplete: length === 0,
        mayUpgrade: head.status === 101,
        isPersistent: head.isPersistent,
        end,
      };
      return { message, length };
    },
  };
};

const noLine = Buffer.from('\0\n\n');

/** Reads a stream as the engines do: heads in place, or held where they come in pieces; then bodies. */
export class MessageStream {
  readonly messages: ReadMessage[] = [];
  readonly #codec: Codec;
  readonly #heads: HeadKind;
  readonly #maxOctets: number;
  #fault: string | null = null;
  #held: HeadBuffer | null = null;
  #current: ReadMessage | null = null;
  #left = 0;
  #chunks: ChunkedReader | null = null;
  #passed = 0;

  constructor(codec: Codec, heads: HeadKind, maxOctets: number) {
    this.#codec = codec;
    this.#heads = heads;
    this.#maxOctets = maxOctets;
  }

  push(octets: Uint8Array): void {
    let at = 0;
    while (at < octets.length && this.#fault === null) {
      const next = this.#current === null ? this.#readHead(octets, at) : this.#readBody(octets, at, this.#current);
      if (next <= at && this.#current === null && this.#fault === null) throw new Error('the codec does not get on');
      at = next;
    }
    this.#passed += octets.length;
  }

  finish(): StreamReading {
    const held = this.#held;
    if (held !== null && this.#fault === null) this.#reads(held.octets, 0, held.length);
    // What is held of a trailer section is read with the next line: one that no section can end with.
    if (this.#chunks !== null && this.#fault === null) this.push(noLine);
    const { messages } = this;
    if (this.#fault !== null) return { messages, ending: this.#fault };
    const isBetween = this.#current === null && (held === null || held.length === 0);
    return { messages, ending: isBetween ? 'between' : this.#current === null ? 'inside a head' : 'inside a body' };
  }

  #reads(octets: Uint8Array, start: number, end: number): number {
    const reading = this.#heads.read(octets, start, end);
    if (reading < 0) this.#fault = this.#codec.faultOf(reading);
    if (reading > end - start) throw new Error('a head is longer than what was there');
    return reading;
  }

  #note(octets: Uint8Array, start: number, end: number, place: number): void {
    const text = textOf(octets, start + this.#heads.emptyOctets(), end);
    const { message, length } = this.#heads.noted(text, this.#passed + place);
    this.messages.push(message);
    this.#held = null;
    if (length === 0) return;
    this.#current = message;
    this.#left = length;
    if (length === -1) this.#chunks = new this.#codec.ChunkedReader(textOf, this.#maxOctets);
  }

  #readHead(octets: Uint8Array, at: number): number {
    const { length: end } = octets;
    const held = this.#held;
    if (held === null) {
      const reading = this.#reads(octets, at, end);
      if (reading > 0) this.#note(octets, at, at + reading, at + reading);
      if (reading !== 0) return reading > 0 ? at + reading : end;
      this.#hold(octets, at + this.#heads.emptyOctets(), end);
      return end;
    }
    const before = held.length;
    held.add(octets, at, end);
    if (!held.isDue && held.length < this.#maxOctets) return end;
    const reading = this.#reads(held.octets, 0, held.length);
    if (reading > 0) {
      this.#note(held.octets, 0, reading, at + reading - before);
      return at + reading - before;
    }
    if (reading === 0) {
      if (this.#heads.emptyOctets() > 0) this.#hold(held.octets, this.#heads.emptyOctets(), held.length);
      else held.noteRead();
    }
    return end;
  }

  #hold(octets: Uint8Array, start: number, end: number): void {
    this.#held = null;
    if (start >= end) return;
    this.#held = new this.#codec.HeadBuffer();
    this.#held.add(octets, start, end);
    this.#held.noteRead();
  }

  #readBody(octets: Uint8Array, at: number, message: ReadMessage): number {
    const chunks = this.#chunks;
    if (chunks === null) {
      const end = Math.min(octets.length, at + this.#left);
      message.body += textOf(octets, at, end);
      this.#left -= end - at;
      if (this.#left === 0) this.#complete(message, this.#passed + end);
      return end;
    }
    const step = chunks.step(octets, at, octets.length);
    if (step === 'faulty') {
      this.#fault = chunks.fault ?? 'no fault given';
      return octets.length;
    }
    if (chunks.at < at || chunks.at > octets.length) throw new Error('the chunked reader is out of bounds');
    if (step === 'data') message.body += textOf(octets, chunks.dataStart, chunks.dataEnd);
    if (step === 'end') {
      message.trailers = chunks.trailers;
      this.#complete(message, this.#passed + chunks.at);
    }
    return chunks.at;
  }

  #complete(message: ReadMessage, end: number): void {
    message.isComplete = true;
    message.end = end;
    this.#current = null;
    this.#chunks = null;
  }
}
