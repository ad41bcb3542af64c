import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ClientResponse, Tunnel } from '../../../../application/ports/gateway/http-exchange.js';
import { parseContentLength } from '../../../../domain/gateway/limits/request-limits.js';
import { firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { isBodyless, isUnframed } from '../../../../domain/http/returnable-fields.js';
import { http2ResponseFields } from './http2-response-fields.js';
import type { StreamWriter } from './stream-writer.js';

/** Interval at which an early response is checked for completion, in milliseconds. */
const lookAgainMs = 5;

/** Properties of the request that determine its response. */
export interface Http2ResponseContext {
  readonly isHead: boolean;
  readonly hasBody: boolean;
}

/** Writes a response to an HTTP/2 stream. */
export class Http2Response implements ClientResponse {
  readonly #stream: ServerHttp2Stream;
  readonly #request: Http2ResponseContext;
  readonly #writer: StreamWriter;
  readonly #closeConnection: () => void;
  /** The response ended before its request; the rest is refused. */
  isRestRefused = false;
  headSent = false;
  /** A head is set; a second one replaces it if unsent. */
  #isBegun = false;
  /** Held until the first body chunk; a response without a body ends with its head. */
  #held: OutgoingHttpHeaders | null = null;
  #isBodyless = false;
  /** Content-Length of a response with a body. */
  #declared: number | null = null;
  #trailers: HeaderList = [];
  #isGiven = false;
  #isClosed = false;
  #closedListener: ((completed: boolean) => void) | null = null;

  /** @param closeConnection closes the connection after its current streams */
  constructor(
    stream: ServerHttp2Stream,
    request: Http2ResponseContext,
    writer: StreamWriter,
    closeConnection: () => void,
  ) {
    this.#stream = stream;
    this.#request = request;
    this.#writer = writer;
    this.#closeConnection = closeConnection;
    stream.on('finish', () => this.#finished());
    stream.on('aborted', () => {
      // Node keeps a reset stream until its data is read.
      if (!writer.isCut) setImmediate(() => stream.destroy());
    });
    stream.on('close', () => {
      this.#isClosed = true;
      this.#closedListener?.(this.#isCompleted);
    });
  }

  inform(status: number, headers: HeaderList): void {
    const stream = this.#stream;
    if (this.#isBegun || this.#writer.isCut || stream.destroyed || stream.closed) return;
    const fields = http2ResponseFields(headers);
    fields[':status'] = status;
    try {
      stream.additionalHeaders(fields);
    } catch {
      // Node refuses these fields. Nothing was sent; the response still follows.
    }
  }

  begin(status: number, headers: HeaderList, close: boolean): void {
    if (this.headSent) throw new Error('the head of this response was sent already');
    this.#isBegun = true;
    this.#isBodyless = this.#request.isHead || isBodyless(status);
    const fields = http2ResponseFields(headers);
    fields[':status'] = status;
    this.#held = fields;
    this.#declared = null;
    if (!this.#isBodyless) {
      const length = firstHeader(headers, 'content-length');
      const declared = parseContentLength(length === undefined ? [] : [length]);
      this.#declared = declared.ok ? declared.value : null;
    }
    if (close) this.#closeConnection();
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#sendHead(false);
    if (this.#isBodyless || this.#writer.isCut || chunk.length === 0) return undefined;
    // A client would reject the whole response for excess data.
    if (this.#declared !== null && this.#writer.octets + chunk.length > this.#declared) {
      this.abort();
      return undefined;
    }
    return this.#writer.write(chunk);
  }

  writeText(text: string): Promise<void> | undefined {
    return this.write(Buffer.from(text, 'latin1'));
  }

  end(trailers: HeaderList): void {
    if (this.#writer.isCut) return;
    this.#trailers = trailers;
    if (this.#declared !== null && this.#writer.octets < this.#declared) {
      this.abort();
      return;
    }
    this.#isGiven = true;
    this.#sendHead(trailers.length === 0);
    this.#writer.end();
    // Node has already ended the stream of a HEAD request.
    if (this.#stream.writableFinished) this.#finished();
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const octets = Buffer.from(isBodyless(status) ? '' : (body ?? ''));
    const framed = isUnframed(status) ? headers : [...headers, 'Content-Length', String(octets.length)];
    this.begin(status, framed, close);
    if (octets.length > 0) void this.write(octets);
    this.end([]);
  }

  abort(): void {
    this.#held = null;
    this.#writer.cut(constants.NGHTTP2_INTERNAL_ERROR);
  }

  upgrade(): Tunnel {
    throw new Error('HTTP/2 has no upgrades');
  }

  onClosed(listener: (completed: boolean) => void): void {
    this.#closedListener = listener;
    if (this.#isClosed) queueMicrotask(() => listener(this.#isCompleted));
  }

  bytesSent(): number {
    return this.#writer.octets;
  }

  get #isCompleted(): boolean {
    return this.#isGiven && !this.#writer.isCut && this.#stream.writableFinished;
  }

  /** @param isWhole no body or trailers follow */
  #sendHead(isWhole: boolean): void {
    const head = this.#held;
    if (head === null) return;
    this.#held = null;
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return;
    const endStream = isWhole || this.#isBodyless;
    this.headSent = true;
    // Node ends a reset stream with END_STREAM unless trailers are due; a cut response would look
    // complete.
    const waitForTrailers = !endStream;
    try {
      stream.respond(head, { endStream, waitForTrailers });
      if (waitForTrailers) stream.on('wantTrailers', () => this.#sendTrailers());
    } catch (error) {
      // Node refused the fields. Nothing was sent; another head may follow.
      this.headSent = false;
      throw error;
    }
  }

  #sendTrailers(): void {
    if (!this.#isGiven || this.#writer.isCut) return;
    this.#stream.sendTrailers(http2ResponseFields(this.#trailers));
    this.#refuseRest();
  }

  #finished(): void {
    if (!this.#isCompleted) return;
    const stream = this.#stream;
    if (!this.#request.hasBody || stream.readableEnded) return;
    this.isRestRefused = true;
    this.#refuseRest();
    // Node closes a stream once its data is consumed.
    stream.removeAllListeners('readable');
    stream.resume();
  }

  /** After an early response (RFC 9113, section 8.1), refuses the rest of the request. */
  #refuseRest(): void {
    const stream = this.#stream;
    if (!this.#request.hasBody || stream.destroyed || stream.closed || stream.state.remoteClose === 1) return;
    // INVARIANT: after END_STREAM, because a reset overtakes pending writes.
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else setTimeout(() => this.#refuseRest(), lookAgainMs).unref();
  }
}
