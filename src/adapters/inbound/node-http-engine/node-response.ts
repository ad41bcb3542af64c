import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientResponse } from '../../../application/ports/http-exchange.js';
import type { Tunnel } from '../../../application/ports/tunnel.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { isDroppedUpgrade } from './filtered-incoming-message.js';

/** What of an unwanted request body is still read, so that the client gets to see the answer before a reset. */
const lingerOctets = 67_108_864;
const lingerMs = 2_000;

/** Node's ServerResponse as a ClientResponse. */
export class NodeResponse implements ClientResponse {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodyExpected: boolean;
  readonly #writeTimeoutMs: number;
  #sent = 0;

  constructor(request: IncomingMessage, response: ServerResponse, bodyExpected: boolean, writeTimeoutMs: number) {
    this.#request = request;
    this.#response = response;
    this.#bodyExpected = bodyExpected;
    this.#writeTimeoutMs = writeTimeoutMs;
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  begin(status: number, headers: HeaderList, close: boolean): void {
    // A body that nobody will read is no basis for another request on this connection.
    const unread = this.#bodyExpected && !this.#request.complete && this.#request.listenerCount('readable') === 0;
    if (close || unread || isDroppedUpgrade(this.#request)) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, headers as string[]);
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#sent += chunk.length;
    if (this.#response.write(chunk) || this.#response.destroyed) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#response.destroy(), this.#writeTimeoutMs);
      const proceed = () => {
        clearTimeout(timer);
        this.#response.off('drain', proceed);
        this.#response.off('close', proceed);
        resolve();
      };
      this.#response.on('drain', proceed);
      this.#response.on('close', proceed);
    });
  }

  end(trailers: HeaderList): void {
    if (trailers.length > 0) this.#response.addTrailers(pairs(trailers));
    this.#finish(null);
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const octets = Buffer.from(body ?? '');
    this.begin(status, [...headers, 'Content-Length', String(octets.length)], close);
    this.#sent += octets.length;
    this.#finish(octets);
  }

  abort(): void {
    this.#response.destroy();
  }

  upgrade(): Tunnel {
    throw new Error('this request did not ask for an upgrade');
  }

  onClosed(listener: (completed: boolean) => void): void {
    this.#response.once('close', () => listener(this.#response.writableFinished));
  }

  bytesSent(): number {
    return this.#sent;
  }

  #finish(last: Buffer | null): void {
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
    const finish = () => {
      clearTimeout(timer);
      request.off('data', count);
      request.off('end', finish);
      this.#response.end();
      if (!request.complete) this.#response.once('finish', () => request.socket.destroySoon());
    };
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) finish();
    };
    const timer = setTimeout(finish, lingerMs);
    this.#response.once('close', () => clearTimeout(timer));
    request.on('error', () => undefined);
    request.on('end', finish);
    request.removeAllListeners('readable');
    request.on('data', count);
    request.resume();
  }
}

const pairs = (list: HeaderList): [string, string][] => {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    result.push([list[index] as string, list[index + 1] as string]);
  }
  return result;
};
