import type {
  Http1ResponseReader,
  ResponseSink,
} from '../../../src/adapters/outbound/upstream-clients/core/http1-response-reader.js';
import {
  type KnownResponse,
  ResponseHeadCache,
} from '../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import type { ResponseLines } from '../../../src/adapters/wire/http1-responses/response-lines.js';
import type { BodySource } from '../../../src/application/ports/gateway/body-source.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import { textOf } from './http1-stream.js';

/** A request that was sent, and how its response comes. */
export interface ResponseTurn {
  readonly isToHead: boolean;
  readonly maySwitch: boolean;
  /** The connection ends behind it. */
  readonly endsConnection: boolean;
  /** How a body that is there as a whole is read. */
  readonly manner: 'octets' | 'text';
}

/** What is told of a response, as it is once everything has come: what was told stays as it was. */
class RecordingSink implements ResponseSink {
  readonly #told: (() => unknown)[] = [];
  readonly #manner: ResponseTurn['manner'];

  constructor(manner: ResponseTurn['manner']) {
    this.#manner = manner;
  }

  /** All of it. Reads the bodies, so it may be called once. */
  all(): readonly unknown[] {
    return this.#told.map((tell) => tell());
  }

  interimResponse(status: number, headers: HeaderList): boolean {
    this.#told.push(() => ['interim', status, headers]);
    return true;
  }

  wholeResponse(status: number, received: ResponseLines, body: BodySource | null): void {
    this.#told.push(() => ['whole', status, linesOf(received), body === null ? null : bodyOf(body, this.#manner)]);
  }

  responseBegun(status: number, received: ResponseLines, length: number | null): void {
    this.#told.push(() => ['begun', status, linesOf(received), length]);
  }

  responsePiece(piece: Uint8Array): void {
    this.#told.push(() => ['piece', textOf(piece)]);
  }

  responseEnded(trailers: HeaderList): void {
    this.#told.push(() => ['ended', trailers]);
  }

  protocolSwitched(status: number, headers: HeaderList, rest: Uint8Array): void {
    this.#told.push(() => ['switched', status, headers, textOf(rest)]);
  }

  responseMalformed(fault: string): void {
    this.#told.push(() => ['malformed', fault]);
  }
}

const linesOf = (received: ResponseLines): unknown => {
  const { traits, passedTraits, keepAlive, contentLength, fields, lines } = received;
  return {
    traits,
    passedTraits,
    keepAlive,
    contentLength,
    fields,
    // INVARIANT: nobody may ask for them where all bits are set.
    passedLines: passedTraits === -1 ? null : received.passedLines,
    lines: lines === null ? null : lines.text.slice(lines.start, lines.endOf(fields.length)),
  };
};

const bodyOf = (body: BodySource, manner: ResponseTurn['manner']): unknown => {
  const { declaredLength } = body;
  const text = manner === 'text' ? body.readText?.() : undefined;
  const octets = text === undefined ? body.read() : null;
  const content = text ?? (octets instanceof Uint8Array ? textOf(octets) : octets);
  return { declaredLength, content, isText: typeof text, behind: body.read(), trailers: body.trailers() };
};

/** Tells what it has recalled. */
export class ObservedResponses extends ResponseHeadCache {
  /** What the last call has given. */
  last: KnownResponse | null = null;

  override recall(octets: Buffer, start: number, end: number): KnownResponse | null {
    this.last = super.recall(octets, start, end);
    return this.last;
  }
}

/** What all reads go into, as they do in the program. */
const shared = Buffer.alloc(16_384);
/** What has come into it, read over read: behind the end of a read lies what was there before. */
const come = Buffer.alloc(shared.length);

/** A response on its way through a reader, read by read. */
export class ResponseReading {
  readonly turn: ResponseTurn;
  readonly pieces: readonly Uint8Array[];
  /** What its head was recalled as; null: it was read. */
  known: KnownResponse | null = null;
  /** The end of the connection was that of the response. */
  hasEnded = false;
  readonly #reader: Http1ResponseReader;
  readonly #repeated: ObservedResponses;
  readonly #sink: RecordingSink;
  /** Whether its connection was good for another one, behind each read. */
  readonly #wasReusable: boolean[] = [];
  #next = 0;

  constructor(
    reader: Http1ResponseReader,
    repeated: ObservedResponses,
    pieces: readonly Uint8Array[],
    turn: ResponseTurn,
  ) {
    this.#reader = reader;
    this.#repeated = repeated;
    this.pieces = pieces;
    this.turn = turn;
    this.#sink = new RecordingSink(turn.manner);
    reader.expect(turn.isToHead, turn.maySwitch);
  }

  /** Reads the next of it. False: nothing more comes. */
  step(): boolean {
    const piece = this.pieces[this.#next];
    this.#next += 1;
    if (piece === undefined) {
      if (this.turn.endsConnection) this.hasEnded = this.#reader.endsWithConnection();
      this.#wasReusable.push(this.#reader.isReusable);
      return false;
    }
    come.set(piece);
    shared.set(come);
    this.#repeated.last = null;
    this.#reader.read(shared, piece.length, this.#sink);
    this.known = this.#repeated.last ?? this.known;
    this.#wasReusable.push(this.#reader.isReusable);
    // Whatever kept a part of it has something else now.
    shared.fill(0x5a);
    return true;
  }

  /** Whether its connection is good for another one. */
  get isReusable(): boolean {
    return this.#wasReusable.at(-1) === true;
  }

  /** All that was told of it, and how it has left its connection. Reads the bodies, so it may be asked for once. */
  outcome(): unknown {
    return { told: this.#sink.all(), wasReusable: this.#wasReusable, hasEnded: this.hasEnded };
  }
}

/** Lets responses come on several connections at a time, a read of each in turn. */
export const readTogether = (readings: readonly ResponseReading[]): void => {
  let open = readings;
  while (open.length > 0) open = open.filter((reading) => reading.step());
};
