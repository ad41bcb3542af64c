import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { readStrictRequest, StrictFault, type StrictMessage } from './strict-message.js';
import { type StrictReading, strictRequests } from './strict-reading.js';

/** Octets of one connection that are kept; one that sends more is cut off. */
const mostKept = 33_554_432;

/** What a target answers to a request; null: nothing. Each character is one octet. `turn` counts on the connection. */
export type RecorderAnswer = (request: StrictMessage, turn: number, socket: Socket) => string | null;

/** All that came on one connection. */
interface Recorded {
  readonly socket: Socket;
  text: string;
  answered: number;
  turn: number;
  /** The request that has begun was answered already. */
  isAhead: boolean;
}

/** The path of a request that was recorded. */
export const targetOf = ({ line }: StrictMessage): string => line.split(' ')[1] ?? '';

/** What tells for which target it is. */
export const plainAnswer: RecorderAnswer = (request) => {
  const body = `for ${targetOf(request)}`;
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${request.line.startsWith('HEAD ') ? '' : body}`;
};

/** An upstream that keeps every octet that comes to it, and reads them with a reader of its own. */
export class OctetRecorder {
  answer: RecorderAnswer = plainAnswer;
  /** Requests are answered when their head has come. */
  isEager = false;
  readonly #server: Server;
  readonly #connections: Recorded[] = [];

  constructor() {
    this.#server = createServer((socket) => this.#take(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** What came on each connection since the last `forget`, as octets. */
  texts(): readonly string[] {
    return this.#connections.map(({ text }) => text);
  }

  /** The same, read strictly. */
  readings(): readonly StrictReading<StrictMessage>[] {
    return this.texts().map((text) => strictRequests(text));
  }

  /** Requests of all connections, whole or begun. */
  requests(): readonly StrictMessage[] {
    return this.readings().flatMap(({ messages }) => messages);
  }

  /** What is wrong with what came: octets that are no request, or the begin of one. */
  faults(): readonly string[] {
    return this.readings().flatMap(({ messages, fault, rest }) => {
      if (fault !== null) return [fault];
      // They go from hop to hop.
      if (messages.some(({ hasExtensions }) => hasExtensions)) return ['chunk extensions'];
      return rest === '' ? [] : [`${rest.length} octets of a head without its end`];
    });
  }

  /** Ends every connection, and begins anew. */
  forget(): void {
    for (const { socket } of this.#connections.splice(0)) socket.destroy();
  }

  close(): Promise<void> {
    this.forget();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: Socket): void {
    const recorded: Recorded = { socket, text: '', answered: 0, turn: 0, isAhead: false };
    this.#connections.push(recorded);
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => {
      recorded.text += text;
      if (recorded.text.length > mostKept) socket.destroy();
      else this.#answerAll(recorded);
    });
  }

  #answerAll(recorded: Recorded): void {
    try {
      for (;;) {
        const request = readStrictRequest(recorded.text, recorded.answered);
        if (request === null) return;
        // Nobody answers what is not sound.
        if (request.fault !== null) recorded.socket.destroy();
        if (!recorded.isAhead && (request.isComplete || this.isEager)) this.#answerOne(recorded, request);
        recorded.isAhead = !request.isComplete && (recorded.isAhead || this.isEager);
        if (!request.isComplete) return;
        recorded.answered = request.end;
      }
    } catch (error) {
      if (!(error instanceof StrictFault)) throw error;
      recorded.socket.destroy();
    }
  }

  #answerOne(recorded: Recorded, request: StrictMessage): void {
    recorded.turn += 1;
    const text = this.answer(request, recorded.turn - 1, recorded.socket);
    if (text !== null && !recorded.socket.destroyed) recorded.socket.write(text, 'latin1');
  }
}
