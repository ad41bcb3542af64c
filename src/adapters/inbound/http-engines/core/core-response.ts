import { TLSSocket } from 'node:tls';
import type { PieceOrigin } from '../../../../application/ports/gateway/body-source.js';
import type {
  ClientResponse,
  ReceivedHead,
  ReceivedResponseHead,
  Tunnel,
} from '../../../../application/ports/gateway/http-exchange.js';
import { fieldTrait } from '../../../../domain/http/field-traits.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { isBodyless, isUnframed } from '../../../../domain/http/returnable-fields.js';
import { toNodeSocket } from '../../../stream-sockets/stream-socket.js';
import { chunkEnd, chunkStart, fieldLines, lastChunk, responseHeadText } from '../../../wire/http1/head-text.js';
import type { Framing } from '../../../wire/http1/message-head.js';
import { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import { dateLine } from '../connections/date-line.js';
import type { Http1ResponseContext, ResponseConnection } from './http1-connection-context.js';
import {
  framingTraits,
  http1ResponseFields,
  isUndelimited,
  readResponseFields,
  withoutFraming,
  withoutLength,
} from './http1-response-fields.js';

const nothing = new Uint8Array(0);
/** Characters; a longer body is not joined with its head. */
const longText = 65_536;
/** Largest chunk, in octets, that waits for the end of the turn. */
const maxCorkedOctets = 16_384;
const noContent = 'Content-Length: 0\r\n';

const uncork = (response: CoreResponse): void => response.uncork();

/** Writes a response to the client socket. */
export class CoreResponse implements ClientResponse {
  headSent = false;
  /** A head is set; a second one replaces it if unsent. */
  #isBegun = false;
  /** The whole response was written to the socket. */
  isGiven = false;
  /** The connection was upgraded. */
  isHandedOver = false;
  readonly #connection: ResponseConnection;
  readonly #request: Http1ResponseContext;
  /** The head without its framing fields and empty line, until the first write. */
  #head: string | null = null;
  #framing: Framing = 'none';
  /** Octets of the body still due under Content-Length. */
  #left = 0;
  #sent = 0;
  #isCorked = false;
  /** The exchange ended; later calls have no effect. */
  #isOver = false;
  #isCompleted = false;
  #closedListener: ((completed: boolean) => void) | null = null;

  constructor(connection: ResponseConnection, request: Http1ResponseContext) {
    this.#connection = connection;
    this.#request = request;
  }

  /** The client requested an upgrade and awaits it. */
  get canUpgrade(): boolean {
    return this.#request.wantsWebSocket && !this.#isBegun;
  }

  inform(status: number, headers: HeaderList): void {
    if (!this.#isBegun && !this.#isOver) this.#text(`${responseHeadText(status, headers)}\r\n`);
  }

  begin(status: number, headers: HeaderList, close: boolean, received: ReceivedHead | null = null): void {
    if (this.headSent) throw new Error('the head of this response was sent already');
    readResponseFields(headers);
    const { hasDate } = http1ResponseFields;
    const isUnsound =
      http1ResponseFields.isUnsound || (http1ResponseFields.contentLength >= 0 && isUndelimited(status));
    const length = isUnsound ? -1 : http1ResponseFields.contentLength;
    const lines = received instanceof ResponseLines ? received.lines : null;
    const text = responseHeadText(status, isUnsound ? withoutFraming(headers) : headers, lines);
    this.#start(status, text, length, hasDate, close);
  }

  passOn(status: number, received: ReceivedResponseHead, added: HeaderList, close: boolean): boolean {
    if (this.headSent) throw new Error('the head of this response was sent already');
    if (!(received instanceof ResponseLines) || (received.passedTraits & framingTraits) !== 0) return false;
    const length = received.contentLength;
    readResponseFields(added);
    const isSound = !http1ResponseFields.isUnsound && http1ResponseFields.contentLength < 0;
    if (!isSound || (length >= 0 && isUndelimited(status))) return false;
    const hasDate = http1ResponseFields.hasDate || (received.passedTraits & fieldTrait.date) !== 0;
    const text = received.passedHead(status) + fieldLines(added);
    this.#start(status, text, length, hasDate, close);
    return true;
  }

  /**
   * @param text head without the fields that this method adds
   * @param length declared length, or -1
   */
  #start(status: number, text: string, length: number, hasDate: boolean, close: boolean): void {
    const framing = this.#framingOf(status, length);
    const connection = this.#connection;
    let ending = hasDate ? '' : dateLine();
    if (close || framing === 'close' || !connection.canGoOn()) {
      connection.closeAfterResponse();
      ending += 'Connection: close\r\n';
    } else if (this.#request.minorVersion === 0) ending += 'Connection: keep-alive\r\n';
    this.#framing = framing;
    this.#left = length;
    this.#head = text + ending;
    this.#isBegun = true;
  }

  write(chunk: Uint8Array, origin?: PieceOrigin): Promise<void> | undefined {
    const writable = this.#write(chunk);
    const { socket } = this.#connection;
    // INVARIANT: an empty stream buffer means that the kernel has all octets.
    if (origin !== undefined && socket.writableLength === 0 && !socket.destroyed) origin.reuse?.(chunk);
    return writable;
  }

  writeText(text: string): Promise<void> | undefined {
    if (this.#framing !== 'length' || text.length > this.#left) return this.write(Buffer.from(text, 'latin1'));
    if (this.#isOver || this.isGiven || !this.#isBegun) return undefined;
    this.#left -= text.length;
    this.#sent += text.length;
    const rest = this.#takeHead('') + text;
    if (this.#left === 0 && this.#connection.writeLast(rest)) return undefined;
    return this.#taken(this.#text(rest));
  }

  #write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#isOver || this.isGiven || !this.#isBegun) return undefined;
    switch (this.#framing) {
      case 'none':
        return this.#put(this.#takeHead(''), nothing, '');
      case 'length': {
        const piece = chunk.length > this.#left ? this.#cut(chunk) : chunk;
        this.#left -= piece.length;
        this.#sent += piece.length;
        return this.#put(this.#takeHead(''), piece, '');
      }
      case 'chunked': {
        const head = this.#takeHead('Transfer-Encoding: chunked\r\n');
        // An empty chunk would end the body.
        if (chunk.length === 0) return this.#put(head, nothing, '');
        this.#sent += chunk.length;
        // Large chunks are not held back for the last chunk.
        if (chunk.length <= maxCorkedOctets) this.#cork();
        return this.#put(head + chunkStart(chunk.length), chunk, chunkEnd);
      }
      case 'close':
        this.#sent += chunk.length;
        return this.#put(this.#takeHead(''), chunk, '');
    }
  }

  end(trailers: HeaderList): void {
    if (this.#isOver || this.isGiven || !this.#isBegun) return;
    if (this.#framing === 'length' && this.#left > 0) {
      // The rest never arrives; the client must not take the response as complete.
      this.abort();
      return;
    }
    if (this.#framing === 'chunked') this.#endChunks(trailers);
    else void this.#put(this.#takeHead(this.#framing === 'close' ? noContent : ''), nothing, '');
    this.#finish();
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const content = body === null || isBodyless(status) ? '' : body;
    const octets = Buffer.byteLength(content);
    this.begin(status, isUnframed(status) ? headers : [...headers, 'Content-Length', String(octets)], close);
    if (this.#isOver) return;
    if (this.#framing !== 'length' || octets !== this.#left) {
      if (this.#framing !== 'none') void this.write(Buffer.from(content));
      this.end([]);
      return;
    }
    this.#left = 0;
    this.#sent = octets;
    const head = this.#takeHead('');
    if (octets === content.length && octets < longText) {
      const text = head + content;
      if (!this.#connection.writeLast(text)) this.#text(text);
    } else void this.#put(head, Buffer.from(content), '');
    this.#finish();
  }

  abort(): void {
    if (this.#isOver) return;
    const { socket } = this.#connection;
    // A destroyed socket drops corked data; the client should get what was written before.
    this.uncork();
    // If only the close ends the body, an orderly close would make it look complete.
    if (this.#framing === 'close' && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
    else socket.destroy();
  }

  upgrade(headers: HeaderList): Tunnel {
    if (!this.canUpgrade) throw new Error('this request did not ask for an upgrade');
    const head = `${responseHeadText(101, withoutLength(headers))}\r\n`;
    this.headSent = true;
    this.isGiven = true;
    this.isHandedOver = true;
    if (this.#isOver) return toNodeSocket(this.#connection.socket);
    const socket = this.#connection.handOver();
    socket.write(head, 'latin1');
    return socket;
  }

  onClosed(listener: (completed: boolean) => void): void {
    if (this.#isOver) queueMicrotask(() => listener(this.#isCompleted));
    else this.#closedListener = listener;
  }

  bytesSent(): number {
    return this.#sent;
  }

  /** @param completed the whole response went out */
  close(completed: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isCompleted = completed;
    this.#head = null;
    this.#closedListener?.(completed);
  }

  uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#connection.socket.uncork();
  }

  #framingOf(status: number, length: number): Framing {
    if (this.#request.isHead || isUnframed(status) || isUndelimited(status)) return 'none';
    if (length >= 0) return 'length';
    return this.#request.minorVersion === 1 ? 'chunked' : 'close';
  }

  /** Takes the unsent head. `framing` is the field that frames the body. */
  #takeHead(framing: string): string {
    const head = this.#head;
    if (head === null) return '';
    this.#head = null;
    this.headSent = true;
    return `${head}${framing}\r\n`;
  }

  /** Octets beyond Content-Length would be read as another response. */
  #cut(chunk: Uint8Array): Uint8Array {
    this.#connection.closeAfterResponse();
    return chunk.subarray(0, this.#left);
  }

  #endChunks(trailers: HeaderList): void {
    const end = trailers.length === 0 ? lastChunk(trailers) : this.#endWith(trailers);
    if (this.#head !== null && trailers.length === 0) this.#text(this.#takeHead(noContent));
    else this.#text(this.#takeHead('Transfer-Encoding: chunked\r\n') + end);
    this.uncork();
  }

  #endWith(trailers: HeaderList): string {
    try {
      return lastChunk(trailers);
    } catch (error) {
      // The response cannot end correctly, and the client must not wait for it.
      this.abort();
      throw error;
    }
  }

  /** Joins the writes of this turn: the last chunk mostly follows at once. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#connection.socket.cork();
    process.nextTick(uncork, this);
  }

  #text(text: string): boolean {
    return this.#connection.socket.write(text, 'latin1', this.#connection.written);
  }

  #put(before: string, octets: Uint8Array, behind: string): Promise<void> | undefined {
    const { socket, writes, written } = this.#connection;
    if (octets.length === 0) {
      if (before !== '') this.#text(before);
      return undefined;
    }
    return this.#taken(writes.write(socket, before, octets, behind, written));
  }

  /** Resolves when more can be written. `takesMore` is the result of the stream's write. */
  #taken(takesMore: boolean): Promise<void> | undefined {
    const { socket } = this.#connection;
    // The kernel may have taken a write above the high-water mark at once.
    if (takesMore || socket.writableLength === 0 || socket.destroyed) return undefined;
    return this.#connection.drained();
  }

  #finish(): void {
    this.isGiven = true;
    this.#connection.responseGiven();
  }
}
