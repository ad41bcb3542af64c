import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * How an upstream answers while it is there: `well` with 200; `failing` with 500; `silent` not at all, though it
 * accepts connections, as a process that was stopped does; `resetting` by a reset in place of an answer; `cutting` by
 * one in the midst of the body; `slow` with a body of single octets.
 */
export type UpstreamManner = 'well' | 'failing' | 'silent' | 'resetting' | 'cutting' | 'slow';

export interface FaultyUpstreamOptions {
  /** Another loopback address, for several upstreams on one port. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Between two octets of a slow body. */
  readonly octetMs: number;
  /** What it thinks about before it answers that it is well. */
  readonly answerMs: number;
  /** Told of every request whose head has come. */
  readonly heard: (request: IncomingMessage) => void;
}

const defaults: FaultyUpstreamOptions = {
  host: '127.0.0.1',
  port: 0,
  octetMs: 20,
  answerMs: 0,
  heard: () => undefined,
};

/** Octets of every body. They begin with the name of the upstream. */
export const faultyBodyBytes = 64;

/** An upstream that goes wrong when it is told to, and is itself again when it is told that. */
export class FaultyUpstream {
  readonly name: string;
  readonly #options: FaultyUpstreamOptions;
  readonly #open = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #server: Server | null = null;
  #port = 0;
  #manner: UpstreamManner = 'well';
  #requests = 0;

  constructor(name: string, options: Partial<FaultyUpstreamOptions> = {}) {
    this.name = name;
    this.#options = { ...defaults, ...options };
  }

  /** The same from the first start on. */
  get port(): number {
    return this.#port;
  }

  get address(): string {
    return `${this.#options.host}:${this.#port}`;
  }

  /** Requests whose head has come, answered or not. */
  get requests(): number {
    return this.#requests;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Listens, where it does not yet. */
  async start(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((request, response) => this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#open.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port || this.#options.port, this.#options.host, resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** For requests from now on; one that was left without an answer stays so. */
  become(manner: UpstreamManner): void {
    this.#manner = manner;
  }

  /** As when its process is killed: every connection is reset, and nobody listens. */
  async kill(): Promise<void> {
    const closed = this.#stopListening();
    for (const socket of this.#open) socket.resetAndDestroy();
    await closed;
  }

  /** New connections are refused and idle ones closed; what is being answered is answered. Resolves after the last. */
  async refuse(): Promise<void> {
    await this.#stopListening();
  }

  /** For the end of a test, whatever it is doing. */
  async stop(): Promise<void> {
    const closed = this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  /** Resolves when the last connection is closed. */
  async #stopListening(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = [...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    closed.push(new Promise((resolve) => server.close(resolve)));
    server.closeIdleConnections();
    await Promise.all(closed);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#requests += 1;
    this.#options.heard(request);
    request.on('error', () => undefined);
    request.resume();
    if (this.#manner === 'silent') return;
    if (this.#manner === 'resetting') {
      request.socket.resetAndDestroy();
      return;
    }
    if (this.#manner === 'well' && this.#options.answerMs > 0) this.#later(() => this.#say(request, response));
    else this.#say(request, response);
  }

  #say(request: IncomingMessage, response: ServerResponse): void {
    response.on('finish', () => {
      if (this.#server === null) request.socket.end();
    });
    const body = this.name.padEnd(faultyBodyBytes, '.').slice(0, faultyBodyBytes);
    const status = this.#manner === 'failing' ? 500 : 200;
    response.writeHead(status, { 'Content-Length': faultyBodyBytes, 'Content-Type': 'text/plain' });
    if (this.#manner === 'slow') this.#trickle(response, body);
    else if (this.#manner === 'cutting') {
      response.write(body.slice(0, faultyBodyBytes / 2), () => request.socket.resetAndDestroy());
    } else response.end(body);
  }

  #later(answer: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      answer();
    }, this.#options.answerMs);
    this.#timers.add(timer);
  }

  #trickle(response: ServerResponse, body: string): void {
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      response.write(body.slice(sent - 1, sent));
      if (sent === body.length) response.end();
    }, this.#options.octetMs);
    this.#timers.add(timer);
    response.on('close', () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    });
  }
}
