import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ClientResponse, Tunnel } from '../../../../application/ports/gateway/http-exchange.js';
import { parseContentLength } from '../../../../domain/gateway/limits/request-limits.js';
import { firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { isBodyless, isUnframed } from '../../../../domain/http/interim-response.js';
import { http2ResponseFields } from './http2-response-fields.js';
import type { StreamWriter } from './stream-writer.js';

/** How soon it is looked again whether an early answer has gone out, in milliseconds. */
const lookAgainMs = 5;

/** What a response has to know of the request that it answers. */
export interface Http2ResponseContext {
  readonly isHead: boolean;
  readonly hasBody: boolean;
}

/** A stream of HTTP/2 as the way back to its client. */
export class Http2Response implements ClientResponse {
  readonly #stream: ServerHttp2Stream;
  readonly #request: Http2ResponseContext;
  readonly #writer: StreamWriter;
  readonly #closeConnection: () => void;
  /** It was whole before its request, the rest of which nobody reads. */
  isRestRefused = false;
  headSent = false;
  /** A head was given. It replaces one that has not gone out. */
  #isBegun = false;
  /** Held until there is a body to go with it, or none: the one that has none ends with its head. */
  #held: OutgoingHttpHeaders | null = null;
  #isBodyless = false;
  /** Content-Length, where the response has one and a body. */
  #declared: number | null = null;
  #trailers: HeaderList = [];
  #isGiven = false;
  #isClosed = false;
  #closedListener: ((completed: boolean) => void) | null = null;

  /** `closeConnection`: has the connection end with the streams that are under way. */
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
      // Node keeps a stream that its client has reset until what came of it has been read.
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
      // Fields that Node would not send: nothing of them has gone out, and the response is to come.
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
    // What goes beyond its length would make the client refuse all of it.
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
    // Of a HEAD, Node has ended the stream before anything was said.
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

  /** `isWhole`: nothing follows it. */
  #sendHead(isWhole: boolean): void {
    const head = this.#held;
    if (head === null) return;
    this.#held = null;
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return;
    const endStream = isWhole || this.#isBodyless;
    this.headSent = true;
    // Node ends what it resets, with END_STREAM, but where trailers are due. A response that was cut would look whole.
    const waitForTrailers = !endStream;
    try {
      stream.respond(head, { endStream, waitForTrailers });
      if (waitForTrailers) stream.on('wantTrailers', () => this.#sendTrailers());
    } catch (error) {
      // Node refuses the fields. Nothing was sent, so that another head may follow.
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
    // Node closes a stream whose octets have all been taken out.
    stream.removeAllListeners('readable');
    stream.resume();
  }

  /** After an early answer (RFC 9113, section 8.1): the rest of the request is not wanted. */
  #refuseRest(): void {
    const stream = this.#stream;
    if (!this.#request.hasBody || stream.destroyed || stream.closed || stream.state.remoteClose === 1) return;
    // INVARIANT: behind the END_STREAM. A reset overtakes what is still to be written.
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else setTimeout(() => this.#refuseRest(), lookAgainMs).unref();
  }
}
