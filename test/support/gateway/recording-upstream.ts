import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** As they came: flat, in their order, with their case. */
  readonly rawHeaders: readonly string[];
}

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

const sayOk: Answerer = (request, response) => {
  request.resume().once('end', () => response.end('ok'));
};

/** A real HTTP server that remembers the head of every request it gets. */
export class RecordingUpstream {
  readonly received: ReceivedRequest[] = [];
  readonly #sockets = new Set<Socket>();
  /** Connections that were ever made to it. */
  connections = 0;
  readonly #server: Server;

  /** How it answers until a test sets `answer`. */
  readonly #usualAnswer: Answerer;

  constructor(public answer: Answerer = sayOk) {
    this.#usualAnswer = answer;
    this.#server = createServer((request, response) => {
      this.received.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders });
      this.answer(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // No test waits for a connection to become too old.
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Forgets the requests received, and answers as at the start. */
  reset(): void {
    this.received.splice(0);
    this.answer = this.#usualAnswer;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  get server(): Server {
    return this.#server;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}

/** Every value that a header has in a request, whatever the case of its name. */
export const valuesOf = ({ rawHeaders }: ReceivedRequest, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase());
