import { type ClientHttp2Stream, constants } from 'node:http2';
import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure, UpstreamResponse } from '../../../../application/ports/gateway/upstream-client.js';
import { isFieldValue, isToken } from '../../../../domain/http/field-syntax.js';
import { firstHeader, type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { maxStatus } from '../pool/max-status.js';
import { Http2ResponseBody } from './http2-response-body.js';

/** Hop-by-hop fields, forbidden in HTTP/2 responses (RFC 9113, section 8.2.2). */
const impossible: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Longest head (RFC 9113, section 6.5.2); node:http2 enforces only what the peer acknowledged. */
const maxOctets = 65_536;
const fieldOctets = 32;

/**
 * Fields of a head or trailer section without pseudo-header fields; null if malformed or too large.
 */
const http2UpstreamFields = (raw: unknown): HeaderList | null => {
  if (!Array.isArray(raw)) return null;
  const list: string[] = [];
  let octets = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = String(raw[index]);
    if (name === ':status') continue;
    const value = String(raw[index + 1]);
    if (!isToken(name) || impossible.has(name) || !isFieldValue(value)) return null;
    octets += name.length + value.length + fieldOctets;
    if (octets > maxOctets) return null;
    list.push(name, value);
  }
  return list;
};

/**
 * Distinguishes a complete response from a cut one. node:http2 also ends the readable side after a
 * reset with NO_ERROR, but then closes the stream first.
 */
const onResponseEnd = (stream: ClientHttp2Stream, ended: (isWhole: boolean) => void): void => {
  const { push } = stream;
  stream.push = function (chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk !== null) return push.call(this, chunk, encoding);
    stream.push = push;
    const isWhole = !stream.closed;
    const result = push.call(this, null);
    ended(isWhole);
    return result;
  };
};

/** The same hold time as for HTTP/1.1. */
const holdMs = 5;
/** Most interim responses (RFC 9110, section 15.2). */
const maxInterim = 100;

const isEndOfStream = (flags: number): boolean => (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;

/** The body error for a failure after the head. */
const readErrorCode = ({ code }: UpstreamFailure): BodyReadError['code'] => {
  if (code === 'timed_out') return 'timed_out';
  return code === 'invalid_response' ? 'malformed' : 'aborted';
};

/** Receives the events of a response. */
export interface ResponseListener {
  /** An interim response arrived. */
  onInterim(status: number, headers: HeaderList): void;
  /** Any data arrived. */
  onSign(): void;
  /** The head arrived and is held until the callback or more data. */
  onHead(holdMs: number, letGo: () => void): void;
  /** The response may be forwarded. */
  onResponse(response: UpstreamResponse): void;
  /** Buffered data was read; the upstream may be waiting for window. */
  onRead(): void;
  /** The response is malformed. */
  onMalformed(detail: string): void;
  /** The response is complete. */
  onWhole(stream: ClientHttp2Stream): void;
  /** The stream ended before the response. */
  onCut(reader: Http2ResponseReader): void;
  /** The rest is not wanted. */
  cancel(): void;
}

/** Reads the response of one stream. */
export class Http2ResponseReader {
  readonly stream: ClientHttp2Stream;
  /** Anything arrived on the stream. */
  hasBegun = false;
  hasHead = false;
  /** Error that node:http2 reported for the stream. */
  error: Error | null = null;
  readonly #listener: ResponseListener;
  readonly #isToHead: boolean;
  #body: Http2ResponseBody | null;
  #interim = 0;
  #isWhole = false;
  #held: UpstreamResponse | null = null;
  #trailers: HeaderList = noHeaders;
  /** Later events are ignored. */
  #isOver = false;

  constructor(stream: ClientHttp2Stream, isToHead: boolean, listener: ResponseListener) {
    this.stream = stream;
    this.#isToHead = isToHead;
    this.#listener = listener;
    this.#body = new Http2ResponseBody(
      stream,
      () => listener.onRead(),
      () => listener.cancel(),
    );
    onResponseEnd(stream, (isWhole) => this.#onEnd(isWhole));
    stream.on('headers', (head: { ':status'?: number }, _flags: number, ...rest: unknown[]) =>
      this.#onInterim(head[':status'] ?? 0, rest[0]),
    );
    // The third argument has the raw fields; the first one joins equal names.
    stream.on('response', (head: { ':status'?: number }, flags: number, ...rest: unknown[]) =>
      this.#onHead(head[':status'] ?? 0, rest[0], isEndOfStream(flags)),
    );
    stream.on('trailers', (_fields: unknown, _flags: number, ...rest: unknown[]) => this.#onTrailers(rest[0]));
    stream.on('readable', () => this.#onReadable());
    // The close event follows; the outcome is known then.
    stream.on('error', (error) => {
      this.error = error;
    });
    stream.on('close', () => {
      if (!this.#isOver && !this.#isWhole) listener.onCut(this);
    });
  }

  /** A reader waits for data. */
  get isAwaited(): boolean {
    return this.#body === null || this.#body.isAwaited;
  }

  /**
   * Ends the reader. True if the body's reader got the failure; false if the response was not
   * forwarded yet.
   */
  fail(failure: UpstreamFailure): boolean {
    const isGiven = this.hasHead && this.#held === null;
    this.#isOver = true;
    this.#held = null;
    if (isGiven) this.#body?.fail(new BodyReadError(readErrorCode(failure), failure.detail));
    return isGiven;
  }

  #onInterim(status: number, raw: unknown): void {
    if (this.#isOver) return;
    this.hasBegun = true;
    this.#listener.onSign();
    this.#interim += 1;
    const headers = http2UpstreamFields(raw);
    if (this.#interim > maxInterim) this.#listener.onMalformed('too many interim responses');
    else if (headers === null) this.#listener.onMalformed('an interim response is malformed, or too large');
    else this.#listener.onInterim(status, headers);
  }

  #onHead(status: number, raw: unknown, isAll: boolean): void {
    if (this.#isOver) return;
    const headers = http2UpstreamFields(raw);
    if (headers === null || status < 200 || status > maxStatus) {
      this.#listener.onMalformed('the head of the response is malformed, or too large');
      return;
    }
    this.hasBegun = true;
    this.hasHead = true;
    this.#listener.onSign();
    const body = this.#body;
    if (body === null || this.#isToHead || status === 204 || status === 304) {
      this.#body = null;
      this.#listener.onResponse({ status, headers, received: null, body: null, isBodyLate: false, tunnel: null });
      return;
    }
    const length = firstHeader(headers, 'content-length');
    // A response without content has no body to check.
    if (length !== undefined) body.declaredLength = Number(length);
    else body.declaredLength = isAll ? 0 : null;
    this.#held = { status, headers, received: null, body, isBodyLate: false, tunnel: null };
    if (body.hasBegun || this.#isWhole) this.#letGo(false);
    else this.#listener.onHead(holdMs, () => this.#letGo(true));
  }

  #onTrailers(raw: unknown): void {
    const trailers = http2UpstreamFields(raw);
    if (trailers === null) this.#listener.onMalformed('the trailers of the response are malformed, or too large');
    else this.#trailers = trailers;
  }

  #onReadable(): void {
    if (this.#isOver) return;
    this.#listener.onSign();
    // The body of an unforwarded response is discarded.
    if (this.hasHead && this.#body === null && !this.#isWhole) this.stream.close(constants.NGHTTP2_CANCEL);
    // A reset stream also becomes readable.
    if (this.#body?.hasBegun === true) this.#letGo(false);
    this.#body?.noteReadable();
  }

  #onEnd(isWhole: boolean): void {
    if (!isWhole) {
      // node:http2 takes this reset for an end and would wait for a read.
      process.nextTick(() => this.stream.destroy());
      return;
    }
    this.#isWhole = true;
    if (this.#body === null) this.stream.read();
    else this.#body.takeRest();
    // Head and trailers of the same read are emitted before.
    process.nextTick(() => this.#finish());
  }

  #finish(): void {
    if (this.#isOver) return;
    if (!this.hasHead) {
      this.#listener.onMalformed('the response ended without a head');
      return;
    }
    this.#isOver = true;
    this.#body?.end(this.#trailers);
    this.#letGo(false);
    this.#listener.onWhole(this.stream);
  }

  #letGo(isBodyLate: boolean): void {
    if (this.#held === null) return;
    const response = { ...this.#held, isBodyLate };
    this.#held = null;
    this.#listener.onResponse(response);
  }
}
