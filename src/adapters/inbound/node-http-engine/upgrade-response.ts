import type { Duplex } from 'node:stream';
import type { ClientResponse } from '../../../application/ports/http-exchange.js';
import type { Tunnel } from '../../../application/ports/tunnel.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { rawHead } from './raw-response.js';

/**
 * The way back to a client that asked for WebSocket. Node has given its connection away by then, so the head is written
 * here; whatever is not a 101 ends the connection.
 */
export class UpgradeResponse implements ClientResponse {
  readonly #socket: Duplex;
  readonly #head: Uint8Array;
  #headSent = false;
  #completed = false;
  #sent = 0;

  /** `head`: octets that Node had read after the request. */
  constructor(socket: Duplex, head: Uint8Array) {
    this.#socket = socket;
    this.#head = head;
    socket.on('error', () => socket.destroy());
  }

  get headSent(): boolean {
    return this.#headSent;
  }

  begin(status: number, headers: HeaderList, _close: boolean): void {
    this.#headSent = true;
    this.#socket.write(rawHead(status, [...headers, 'Connection', 'close']), 'latin1');
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#sent += chunk.length;
    if (this.#socket.write(chunk)) return undefined;
    return new Promise((resolve) => {
      const proceed = () => {
        this.#socket.off('drain', proceed);
        this.#socket.off('close', proceed);
        resolve();
      };
      this.#socket.on('drain', proceed);
      this.#socket.on('close', proceed);
    });
  }

  end(_trailers: HeaderList): void {
    this.#completed = true;
    this.#socket.end();
    // A client that never closes its side is not waited for.
    setTimeout(() => this.#socket.destroy(), 1_000).unref();
  }

  send(status: number, headers: HeaderList, body: string | null, close: boolean): void {
    const octets = Buffer.from(body ?? '');
    this.begin(status, [...headers, 'Content-Length', String(octets.length)], close);
    if (octets.length > 0) void this.write(octets);
    this.end([]);
  }

  abort(): void {
    this.#socket.destroy();
  }

  upgrade(headers: HeaderList): Tunnel {
    this.#headSent = true;
    this.#socket.write(rawHead(101, headers), 'latin1');
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
