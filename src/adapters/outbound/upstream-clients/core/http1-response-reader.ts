import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { ChunkedReader } from '../../../wire/http1/chunked-reader.js';
import { HeadBuffer } from '../../../wire/http1/head-buffer.js';
import { faultOf, incompleteHead } from '../../../wire/http1/head-fault.js';
import type { Framing } from '../../../wire/http1/message-head.js';
import { type FramingFields, readResponseHead, responseFraming, responseHead } from '../../../wire/http1/read-head.js';
import { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import { maxStatus } from '../pool/max-status.js';
import {
  allocateBuffer,
  bufferOf,
  copyOf,
  maxTextOctets,
  octetText,
  TextBody,
  trimmed,
  WholeBody,
} from './received-response.js';

/** Octets of a response's head, and of its trailer section. */
const maxHeadOctets = 65_536;
/** Most interim responses (RFC 9110, section 15.2) before the final one. */
const maxInterims = 100;

/**
 * Receives a parsed response. INVARIANT: the reader does nothing after its last call for a
 * response, because the next request may have been sent.
 */
export interface ResponseSink {
  /** Interim response other than 101. False: stop reading the connection. */
  interimResponse(status: number, headers: HeaderList): boolean;
  /** The whole response arrived at once. Null: it cannot have a body. */
  wholeResponse(status: number, received: ResponseLines, body: BodySource | null): void;
  /** The head arrived; body chunks and the end follow. `length` is the declared length. */
  responseBegun(status: number, received: ResponseLines, length: number | null): void;
  responsePiece(piece: Uint8Array): void;
  responseEnded(trailers: HeaderList): void;
  /** `rest` belongs to the new protocol. */
  protocolSwitched(status: number, headers: HeaderList, rest: Uint8Array): void;
  /** The response cannot be parsed; nothing more follows. */
  responseMalformed(fault: string): void;
}

/** `nothing`: no response is due or being read. */
type Phase = 'nothing' | 'head' | 'length' | 'chunked' | 'close';

/** Parses the responses of one connection, one per request (RFC 9112, sections 4 to 7). */
export class Http1ResponseReader {
  #phase: Phase = 'nothing';
  /** The previous response ruled out another one. */
  #isSpent = false;
  #isToHead = false;
  #maySwitch = false;
  #interims = 0;
  #held: HeadBuffer | null = null;
  /** Octets of the body still due under Content-Length. */
  #remaining = 0;
  #chunks: ChunkedReader | null = null;

  /** Call it before a request is sent. */
  expect(isToHead: boolean, maySwitch: boolean): void {
    this.#phase = 'head';
    this.#isSpent = false;
    this.#isToHead = isToHead;
    this.#maySwitch = maySwitch;
    this.#interims = 0;
    this.#held = null;
    this.#chunks = null;
  }

  /** The response is complete and the connection can be reused. */
  get isReusable(): boolean {
    return this.#phase === 'nothing' && !this.#isSpent;
  }

  read(octets: Buffer, end: number, sink: ResponseSink): void {
    switch (this.#phase) {
      case 'head':
        if (this.#held === null) this.#readHead(octets, 0, end, sink);
        else this.#readHeld(this.#held, octets, end, sink);
        break;
      case 'length':
        this.#readLength(octets, 0, end, sink);
        break;
      case 'chunked':
        this.#readChunks(octets, 0, end, sink);
        break;
      case 'close':
        sink.responsePiece(copyOf(octets, 0, end));
        break;
      case 'nothing':
        this.#isSpent = true;
    }
  }

  /** The end of the connection ends the current body. */
  get isUntilClose(): boolean {
    return this.#phase === 'close';
  }

  /** The connection ended normally. True if that completes the response (RFC 9112, section 6.3). */
  endsWithConnection(): boolean {
    if (this.#phase !== 'close') return false;
    this.#phase = 'nothing';
    return true;
  }

  #readHeld(held: HeadBuffer, octets: Buffer, end: number, sink: ResponseSink): void {
    held.add(octets, 0, end);
    if (held.isDue || held.length >= maxHeadOctets) this.#readHead(held.octets, 0, held.length, sink);
  }

  #readHead(octets: Uint8Array, start: number, end: number, sink: ResponseSink): void {
    let at = start;
    for (;;) {
      const reading = readResponseHead(octets, at, end, maxHeadOctets);
      if (reading === incompleteHead) {
        this.#hold(octets, at, end);
        return;
      }
      if (reading < 0) {
        this.#fail(sink, faultOf(reading));
        return;
      }
      const { status } = responseHead;
      if (status > maxStatus) {
        this.#fail(sink, 'status_out_of_range');
        return;
      }
      if (status >= 200 || status === 101) {
        this.#begin(octets, at, at + reading, end, sink);
        return;
      }
      this.#interims += 1;
      if (this.#interims > maxInterims) {
        this.#fail(sink, 'too_many_interim_responses');
        return;
      }
      const begin = at;
      at += reading;
      this.#held = null;
      const { fields } = new ResponseLines(octetText(octets, begin, at), responseHead, reading);
      if (!sink.interimResponse(status, fields) || at === end) return;
    }
  }

  #hold(octets: Uint8Array, start: number, end: number): void {
    if (this.#held === null) {
      this.#held = new HeadBuffer();
      this.#held.add(octets, start, end);
    }
    this.#held.noteRead();
  }

  #begin(octets: Uint8Array, start: number, bodyStart: number, end: number, sink: ResponseSink): void {
    const { status, contentLength } = responseHead;
    const framing = responseFraming(responseHead, this.#isToHead);
    const isText = framing === 'length' && contentLength <= Math.min(maxTextOctets, end - bodyStart);
    const text = octetText(octets, start, isText ? bodyStart + contentLength : bodyStart);
    const headOctets = bodyStart - start;
    const received = new ResponseLines(text, responseHead, headOctets);
    this.#held = null;
    this.#isSpent = !responseHead.isPersistent;
    if (status === 101) {
      if (!this.#maySwitch) this.#fail(sink, 'unasked_switch_of_protocols');
      else if (!responseHead.namesWebSocket || !responseHead.saysUpgrade)
        this.#fail(sink, 'switch_to_another_protocol');
      else {
        this.#finish(true);
        sink.protocolSwitched(status, received.fields, copyOf(octets, bodyStart, end));
      }
      return;
    }
    if (isText) {
      this.#finish(end - bodyStart > contentLength);
      sink.wholeResponse(status, received, new TextBody(text, headOctets));
    } else this.#beginBody(responseHead, framing, received, octets, bodyStart, end, sink);
  }

  #beginBody(
    { status, contentLength }: FramingFields,
    framing: Framing,
    received: ResponseLines,
    octets: Uint8Array,
    start: number,
    end: number,
    sink: ResponseSink,
  ): void {
    switch (framing) {
      case 'none':
        this.#finish(start < end);
        sink.wholeResponse(
          status,
          received,
          contentLength === 0 && this.#mayHaveBody(status) ? new WholeBody(null) : null,
        );
        return;
      case 'length':
        if (end - start >= contentLength) {
          this.#finish(end - start > contentLength);
          sink.wholeResponse(status, received, new WholeBody(copyOf(octets, start, start + contentLength)));
          return;
        }
        this.#phase = 'length';
        this.#remaining = contentLength;
        sink.responseBegun(status, received, contentLength);
        if (start < end) this.#readLength(octets, start, end, sink);
        return;
      case 'chunked':
        this.#phase = 'chunked';
        this.#chunks = new ChunkedReader(octetText, maxHeadOctets);
        sink.responseBegun(status, received, null);
        this.#readChunks(octets, start, end, sink);
        return;
      case 'close':
        this.#phase = 'close';
        this.#isSpent = true;
        sink.responseBegun(status, received, null);
        if (start < end) sink.responsePiece(copyOf(octets, start, end));
    }
  }

  #mayHaveBody(status: number): boolean {
    return !this.#isToHead && status !== 204 && status !== 304;
  }

  #readLength(octets: Uint8Array, start: number, end: number, sink: ResponseSink): void {
    const taken = Math.min(this.#remaining, end - start);
    this.#remaining -= taken;
    sink.responsePiece(copyOf(octets, start, start + taken));
    if (this.#remaining > 0) return;
    this.#finish(start + taken < end);
    sink.responseEnded(noHeaders);
  }

  #readChunks(octets: Uint8Array, start: number, end: number, sink: ResponseSink): void {
    const chunks = this.#chunks;
    if (chunks === null) return;
    // Data that arrived together goes on together, so many small chunks cost little.
    const content = allocateBuffer(end - start);
    let length = 0;
    let step = chunks.step(octets, start, end);
    for (; step === 'data'; step = chunks.step(octets, chunks.at, end)) {
      length += bufferOf(octets).copy(content, length, chunks.dataStart, chunks.dataEnd);
    }
    if (length > 0) sink.responsePiece(trimmed(content, length));
    if (step === 'faulty') this.#fail(sink, chunks.fault ?? 'invalid_chunk_size');
    else if (step === 'end') {
      this.#chunks = null;
      this.#finish(chunks.at < end);
      sink.responseEnded(chunks.trailers);
    }
  }

  /** @param isSpoiled unrequested octets follow, or the connection left HTTP */
  #finish(isSpoiled: boolean): void {
    this.#phase = 'nothing';
    if (isSpoiled) this.#isSpent = true;
  }

  #fail(sink: ResponseSink, fault: string): void {
    this.#finish(true);
    sink.responseMalformed(fault);
  }
}
