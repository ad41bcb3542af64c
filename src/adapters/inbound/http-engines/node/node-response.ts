import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { ClientResponse } from '../../../../application/ports/http-exchange.js';
import type { Tunnel } from '../../../../application/ports/tunnel.js';
import { isBodyless, isUnframed } from '../../../../domain/http/bodyless-status.js';
import { firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { drained } from '../connections/drained.js';
import type { ClientSession } from './client-session.js';
import { isDroppedUpgrade } from './filtered-incoming-message.js';

/** What of an unwanted request body is still read, so that the client gets to see the answer before a reset. */
const lingerOctets = 67_108_864;

/** Node's ServerResponse as a ClientResponse. */
export class NodeResponse implements ClientResponse {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #session: ClientSession;
  readonly #bodyExpected: boolean;
  readonly #writeTimeoutMs: number;
  readonly #lingerMs: number;
  #sent = 0;
  #isGiven = false;
  #isEndedByClose = false;
  #closedListener: ((completed: boolean) => void) | null = null;

  /** `writeTimeoutMs`: how long a client may take nothing; `lingerMs`: see `EngineLimits`. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    session: ClientSession,
    bodyExpected: boolean,
    writeTimeoutMs: number,
    lingerMs: number,
  ) {
    this.#request = request;
    this.#response = response;
    this.#session = session;
    this.#bodyExpected = bodyExpected;
    this.#writeTimeoutMs = writeTimeoutMs;
    this.#lingerMs = lingerMs;
    const { socket } = request;
    let isOver = false;
    const closed = () => {
      // The one event can come from within the other.
      if (isOver) return;
      isOver = true;
      response.off('close', closed);
      socket.off('close', closed);
      this.#closedListener?.(response.writableFinished);
      session.over();
    };
    response.on('close', closed);
    // The response itself hears of the end of its connection only while it has the socket.
    socket.on('close', closed);
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  /** All of it is on its way. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  inform(status: number, headers: HeaderList): void {
    // Node has functions for 103 and 102, which check fields by regular expressions or take none.
    const { socket } = this.#response;
    if (socket !== null && !this.headSent) socket.write(`${responseHeadText(status, headers)}\r\n`, 'latin1');
  }

  begin(status: number, headers: HeaderList, close: boolean): void {
    // A body that nobody will read is no basis for another request on this connection.
    const unread = this.#bodyExpected && !this.#request.complete && this.#request.listenerCount('readable') === 0;
    if (close || unread || this.#session.isClosing || isDroppedUpgrade(this.#request)) {
      this.#response.shouldKeepAlive = false;
      // What is pipelined behind it could never be answered.
      this.#session.closeAfterResponse();
    }
    // Node frames a body without a length by chunks, but for HTTP/1.0.
    this.#isEndedByClose = this.#request.httpVersion === '1.0' && firstHeader(headers, 'content-length') === undefined;
    this.#response.writeHead(status, headers as string[]);
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#sent += chunk.length;
    if (this.#response.write(chunk) || this.#response.destroyed) return undefined;
    return drained(this.#response, this.#request.socket, this.#writeTimeoutMs, () => this.abort());
  }

  writeText(text: string): Promise<void> | undefined {
    return this.write(Buffer.from(text, 'latin1'));
  }

  end(trailers: HeaderList): void {
    if (trailers.length > 0) this.#response.addTrailers(pairs(trailers));
    this.#finish(null);
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const octets = Buffer.from(isBodyless(status) ? '' : (body ?? ''));
    const framed = isUnframed(status) ? headers : [...headers, 'Content-Length', String(octets.length)];
    this.begin(status, framed, close);
    this.#sent += octets.length;
    this.#finish(octets);
  }

  abort(): void {
    const { socket } = this.#request;
    // Where only the end of the connection ends the body, an orderly end would make it look whole.
    if (this.#isEndedByClose && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
    else socket.destroy();
  }

  upgrade(): Tunnel {
    throw new Error('this request did not ask for an upgrade');
  }

  onClosed(listener: (completed: boolean) => void): void {
    this.#closedListener = listener;
  }

  bytesSent(): number {
    return this.#sent;
  }

  #finish(last: Buffer | null): void {
    this.#isGiven = true;
    if (this.#request.complete || !this.#bodyExpected) {
      if (last) this.#response.end(last);
      else this.#response.end();
      // Node gives the socket another time-out when the response has gone out.
      if (this.#response.writableLength > 0) this.#request.socket.setTimeout(this.#writeTimeoutMs);
      return;
    }
    if (last) this.#response.write(last);
    else this.#response.flushHeaders();
    this.#linger();
  }

  /** Reads on for a moment, then ends: a reset while the client still sends would take the answer with it. */
  #linger(): void {
    let left = lingerOctets;
    const request = this.#request;
    const { socket } = request;
    const finish = () => {
      clearTimeout(timer);
      request.off('data', count);
      request.off('end', finish);
      socket.off('end', finish);
      this.#response.end();
      if (!request.complete) this.#response.once('finish', () => socket.destroySoon());
    };
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) finish();
    };
    const timer = setTimeout(finish, this.#lingerMs);
    socket.once('close', () => clearTimeout(timer));
    request.on('error', () => undefined);
    request.on('end', finish);
    // A client that has sent all it is going to send need not be waited for.
    socket.once('end', finish);
    request.removeAllListeners('readable');
    request.on('data', count);
    request.resume();
    if (socket.readableEnded || request.destroyed) finish();
  }
}

const pairs = (list: HeaderList): [string, string][] => {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    result.push([list[index] as string, list[index + 1] as string]);
  }
  return result;
};
