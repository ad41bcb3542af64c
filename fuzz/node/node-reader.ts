import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Duplex } from 'node:stream';

/** A request as Node's parser has read it; texts have one character for each octet. */
export interface NodeMessage {
  readonly line: string;
  readonly minorVersion: number;
  readonly fields: readonly string[];
  body: string;
  trailers: readonly string[];
  isComplete: boolean;
}

export interface NodeReading {
  readonly messages: readonly NodeMessage[];
  /** The parser's code; null: it had nothing against it. */
  readonly fault: string | null;
}

/** Of a peer that is silent for ever. */
const patienceMs = 2_000;

const note = (request: IncomingMessage): NodeMessage => {
  const message: NodeMessage = {
    line: `${request.method} ${request.url}`,
    minorVersion: request.httpVersionMinor,
    fields: request.rawHeaders,
    body: '',
    trailers: [],
    isComplete: false,
  };
  request.setEncoding('latin1');
  request.on('data', (text: string) => {
    message.body += text;
  });
  request.on('end', () => {
    message.isComplete = request.complete;
    message.trailers = request.rawTrailers;
  });
  // One that breaks off.
  request.on('error', () => undefined);
  return message;
};

/** Octets that come, and nothing that hears what is answered. */
const peerOf = (octets: Uint8Array): Duplex => {
  const peer = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  peer.push(octets);
  peer.push(null);
  return peer;
};

/** Node's own server, fed in memory: with its strict parser, and without its rules beyond framing. */
export class NodeReader {
  readonly #server: Server;
  readonly #readings = new WeakMap<Duplex, { messages: NodeMessage[]; fault: string | null }>();

  constructor() {
    this.#server = createServer({ insecureHTTPParser: false, requireHostHeader: false, maxHeaderSize: 65_536 });
    this.#server.headersTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = 0;
    this.#server.maxHeadersCount = 0;
    const take = (request: IncomingMessage): void =>
      void this.#readings.get(request.socket)?.messages.push(note(request));
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
      this.#server.on(event, (request, response) => {
        take(request);
        response.end();
      });
    }
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const reading = this.#readings.get(socket);
      if (reading) reading.fault = error.code ?? error.message;
      // Not at once: the ends of messages before are on their way to their readers.
      setImmediate(() => socket.destroy());
    });
  }

  read(octets: Uint8Array): Promise<NodeReading> {
    const reading = { messages: [] as NodeMessage[], fault: null as string | null };
    const peer = peerOf(octets);
    this.#readings.set(peer, reading);
    return new Promise((resolve) => {
      const deadline = setTimeout(() => peer.destroy(), patienceMs);
      peer.once('close', () => {
        clearTimeout(deadline);
        resolve(reading);
      });
      peer.on('error', () => undefined);
      this.#server.emit('connection', peer);
    });
  }
}
