import { connect, type Socket } from 'node:net';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';

export interface ClientAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first answer of a text, and what follows it; null where it is not whole. Bodies have a Content-Length. */
const firstAnswer = (text: string): { readonly answer: ClientAnswer; readonly rest: string } | null => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const bodyEnd = end + 4 + Number(headers['content-length']);
  if (text.length < bodyEnd) return null;
  const answer = { status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4, bodyEnd) };
  return { answer, rest: text.slice(bodyEnd) };
};

/** A connection of a client, which stays until one of the two sides ends it. */
export class ClientConnection {
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #text = '';
  #isClosed = false;
  #onChange: (() => void) | null = null;

  /** `from`: the client's own address, one of the loopback ones. */
  constructor({ host, port }: SocketAddress, from = '127.0.0.1') {
    this.#socket = connect({ host, port, localAddress: from });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#text += text;
      this.#onChange?.();
    });
    // What came before a reset is what the client has seen.
    this.#socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', () => {
        this.#isClosed = true;
        resolve();
        this.#onChange?.();
      });
    });
  }

  /** Each character is one octet. */
  send(octets: string): this {
    this.#socket.write(octets, 'latin1');
    return this;
  }

  /** The next answer; rejects where the connection ends before it. */
  async answer(): Promise<ClientAnswer> {
    for (;;) {
      const found = firstAnswer(this.#text);
      if (found !== null) {
        this.#text = found.rest;
        return found.answer;
      }
      if (this.#isClosed) throw new Error(`the connection ended without an answer; what came: ${this.#text}`);
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** Sends a request and gives its answer. */
  ask(octets: string): Promise<ClientAnswer> {
    return this.send(octets).answer();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
