import type { Socket } from 'node:net';
import type { ClientResponse } from '../../../../application/ports/http-exchange.js';
import type { Tunnel } from '../../../../application/ports/tunnel.js';
import { isBodyless, isUnframed } from '../../../../domain/http/bodyless-status.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { drained } from '../connections/drained.js';

/**
 * The way back to a client that asked for WebSocket. Node has given its connection away by then, so the head is written
 * here; whatever is not a 101 ends the connection.
 */
export class UpgradeResponse implements ClientResponse {
  readonly #socket: Socket;
  readonly #head: Uint8Array;
  readonly #writeTimeoutMs: number;
  /** Reads on, up to what the stream holds by itself, so that the end of the connection is noticed. */
  readonly #watch = (): void => {
    if (this.#socket.readableLength === 0) this.#socket.read();
  };
  readonly #leave = (): void => {
    this.#socket.destroy();
  };
  #headSent = false;
  #completed = false;
  #sent = 0;

  /** `head`: octets that Node had read after the request. */
  constructor(socket: Socket, head: Uint8Array, writeTimeoutMs: number) {
    this.#socket = socket;
    this.#head = head;
    this.#writeTimeoutMs = writeTimeoutMs;
    socket.on('error', () => socket.destroy());
    socket.on('readable', this.#watch);
    // A client that sends no more before it was answered has gone, as for any other request.
    socket.once('end', this.#leave);
  }

  get headSent(): boolean {
    return this.#headSent;
  }

  inform(status: number, headers: HeaderList): void {
    if (!this.#headSent) this.#socket.write(`${responseHeadText(status, headers)}\r\n`, 'latin1');
  }

  begin(status: number, headers: HeaderList, _close: boolean): void {
    this.#headSent = true;
    this.#socket.write(`${responseHeadText(status, [...headers, 'Connection', 'close'])}\r\n`, 'latin1');
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#sent += chunk.length;
    if (this.#socket.write(chunk) || this.#socket.destroyed) return undefined;
    return drained(this.#socket, this.#socket, this.#writeTimeoutMs, () => this.abort());
  }

  writeText(text: string): Promise<void> | undefined {
    return this.write(Buffer.from(text, 'latin1'));
  }

  end(_trailers: HeaderList): void {
    this.#completed = true;
    this.#socket.off('end', this.#leave);
    this.#socket.end();
    // A client that never closes its side is not waited for.
    setTimeout(() => this.#socket.destroy(), 1_000).unref();
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const octets = Buffer.from(isBodyless(status) ? '' : (body ?? ''));
    this.begin(status, isUnframed(status) ? headers : [...headers, 'Content-Length', String(octets.length)], close);
    if (octets.length > 0) void this.write(octets);
    this.end([]);
  }

  abort(): void {
    this.#socket.destroy();
  }

  upgrade(headers: HeaderList): Tunnel {
    this.#headSent = true;
    this.#socket.write(`${responseHeadText(101, headers)}\r\n`, 'latin1');
    this.#socket.off('readable', this.#watch);
    this.#socket.off('end', this.#leave);
    if (this.#head.length > 0) this.#socket.unshift(this.#head);
    this.#completed = true;
    return this.#socket;
  }

  onClosed(listener: (completed: boolean) => void): void {
    if (this.#socket.destroyed) queueMicrotask(() => listener(this.#completed));
    else this.#socket.once('close', () => listener(this.#completed));
  }

  bytesSent(): number {
    return this.#sent;
  }
}
