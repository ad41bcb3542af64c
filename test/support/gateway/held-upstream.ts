import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A real HTTP server that answers when the test says so, and then with the target of the request. */
export class HeldUpstream {
  /** Targets of requests whose heads have come, in their order. */
  readonly reached: string[] = [];
  readonly #held: { readonly target: string; readonly response: ServerResponse }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const target = request.url ?? '';
      this.reached.push(target);
      request.on('error', () => response.destroy());
      request.resume().once('end', () => {
        if (target.startsWith('/held')) this.#held.push({ target, response });
        else response.end(target);
      });
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // No test waits for a connection to become too old.
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Requests for targets below `/held` wait, all others are answered at once. */
  static async start(): Promise<HeldUpstream> {
    const upstream = new HeldUpstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Requests that wait for the test. */
  get held(): number {
    return this.#held.length;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Answers the one that came first. */
  release(): void {
    const first = this.#held.shift();
    if (first === undefined) throw new Error('nothing is held');
    first.response.end(first.target);
  }

  releaseAll(): void {
    while (this.#held.length > 0) this.release();
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }
}
