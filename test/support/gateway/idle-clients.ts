import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { SocketLayerSelector } from '../../../src/adapters/stream-sockets/socket-layer-selector.js';
import type { OpenListener } from '../../../src/application/ports/gateway/http-engine.js';
import type { ClientRequest, ClientResponse } from '../../../src/application/ports/gateway/http-exchange.js';
import type { CleanUp } from '../shared/clean-up.js';
import { type CoreClient, coreClient, undated } from './core-client.js';
import type { RecordingHandler } from './recording-handler.js';
import { recordedListener } from './tls-listener.js';

export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const octets = (text: string): Buffer => Buffer.from(text, 'latin1');
export const get = (target: string, fields = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
export const answerTo = (target: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`;

/** Answers with the target, or with what the body is. */
const answer = ({ target, body }: ClientRequest, response: ClientResponse): void => {
  if (body === null) {
    response.send(200, [], target, false);
    return;
  }
  const whole = async (): Promise<string> => {
    let text = '';
    for (let piece = await body.read(); piece !== null; piece = await body.read()) text += Buffer.from(piece);
    return text;
  };
  // A client that has gone is told nothing.
  void whole().then(
    (text) => response.send(200, [], text, false),
    () => undefined,
  );
};

/** A client whose connection has served a request: what comes on it next waits for the end of the turn. */
export interface IdleClient {
  readonly client: CoreClient;
  /** The listener's end of it. */
  readonly accepted: Socket;
  /** What the client sends comes at once, each text by itself. */
  come(...texts: readonly string[]): void;
  /** What it was answered behind its first request, without the dates. */
  answered(): string;
}

/** A listener of the core engine with clients in this process. */
export interface IdleClients {
  readonly listener: OpenListener;
  readonly handler: RecordingHandler;
  /** Of each exchange that is over, whether it was complete. */
  readonly ends: boolean[];
  /** Targets of the requests behind the first of each client, in the order in which they were handled. */
  targets(): readonly string[];
  client(halfOpen?: boolean): CoreClient;
  idle(halfOpen?: boolean): Promise<IdleClient>;
  idles(count: number): Promise<readonly IdleClient[]>;
}

const first = '/first';

/** Every request is answered where it is handled; those of targets that begin with /held by the test. */
export const idleClients = async (
  cleanUp: CleanUp,
  changes: Parameters<typeof recordedListener>[2] = {},
): Promise<IdleClients> => {
  const sockets = new AcceptedSockets(cleanUp);
  const { listener, handler } = await recordedListener(cleanUp, null, changes, new SocketLayerSelector());
  const ends: boolean[] = [];
  handler.handle = (request, response) => {
    if (request.target !== first) {
      handler.requests.push(request);
      handler.responses.push(response);
      response.onClosed((completed) => ends.push(completed));
    }
    if (!request.target.startsWith('/held')) answer(request, response);
  };
  const client = (halfOpen = false): CoreClient => coreClient(cleanUp, listener, halfOpen);
  const idle = async (halfOpen = false): Promise<IdleClient> => {
    const asked = client(halfOpen).send(get(first));
    await asked.got(first);
    const accepted = sockets.of(asked.socket);
    return {
      client: asked,
      accepted,
      come: (...texts) => {
        for (const text of texts) accepted.push(octets(text));
      },
      answered: () => undated(asked.text).slice(answerTo(first).length),
    };
  };
  return {
    listener,
    handler,
    ends,
    targets: () => handler.requests.map(({ target }) => target),
    client,
    idle,
    idles: (count) => Promise.all(Array.from({ length: count }, () => idle())),
  };
};

const channel = 'net.server.socket';

/** The listeners' ends of the connections that are accepted in this process. */
export class AcceptedSockets {
  readonly #sockets: Socket[] = [];

  constructor(cleanUp: CleanUp) {
    const note = (message: unknown): void => void this.#sockets.push((message as { readonly socket: Socket }).socket);
    subscribe(channel, note);
    cleanUp.add(() => unsubscribe(channel, note));
  }

  /**
   * The other end of a connection of this process. What is pushed into it comes at once, as what the client has sent.
   */
  of({ localPort }: Socket): Socket {
    const accepted = this.#sockets.find(({ remotePort }) => remotePort === localPort);
    if (accepted === undefined) throw new Error('the connection was not accepted');
    return accepted;
  }
}
