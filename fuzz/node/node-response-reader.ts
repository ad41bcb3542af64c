import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';

/** A response as Node's client has read it; texts have one character for each octet. */
export interface NodeResponse {
  readonly status: number;
  readonly minorVersion: number;
  readonly fields: readonly string[];
  body: string;
  trailers: readonly string[];
  isComplete: boolean;
  /** Octets up to its end; those of the stream where nothing else ends it. */
  end: number;
}

export interface NodeResponseReading {
  /** The response that is no interim one; null: none was taken. */
  readonly response: NodeResponse | null;
  /** The parser's code, or another; null: it had nothing against it. */
  readonly fault: string | null;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const note = (message: IncomingMessage): NodeResponse => {
  const response: NodeResponse = {
    status: message.statusCode ?? 0,
    minorVersion: message.httpVersionMinor,
    fields: message.rawHeaders,
    body: '',
    trailers: [],
    isComplete: false,
    end: 0,
  };
  message.setEncoding('latin1');
  message.on('data', (text: string) => {
    response.body += text;
  });
  message.on('error', () => undefined);
  return response;
};

const started = (socket: Duplex, method: string): ClientRequest => {
  const sent = request({
    method,
    createConnection: () => socket,
    insecureHTTPParser: false,
    maxHeaderSize: 65_536,
    headers: { Connection: 'keep-alive' },
  });
  sent.maxHeadersCount = 0;
  return sent;
};

/**
 * Reads the first response of these octets with Node's client and its strict parser, fed in memory one octet after
 * the other: where a response ends is told by nothing but the moment at which it is whole.
 */
export const readNodeResponse = async (octets: Uint8Array, method: string): Promise<NodeResponseReading> => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const sent = started(socket, method);
  let message: IncomingMessage | null = null;
  let response: NodeResponse | null = null;
  let fault: string | null = null;
  sent.on('response', (incoming: IncomingMessage) => {
    message = incoming;
    response = note(incoming);
  });
  sent.on('upgrade', () => {
    fault ??= 'upgrade';
  });
  sent.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error.code ?? error.message;
  });
  sent.end();
  // The socket is given to the request, and flows.
  await turn();
  const isWhole = (): boolean => message?.complete === true;
  let at = 0;
  while (at < octets.length && fault === null && !isWhole() && !socket.destroyed) {
    socket.push(octets.subarray(at, at + 1));
    at += 1;
  }
  const end = at;
  const wasWhole = isWhole();
  if (!wasWhole) socket.push(null);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  const found = response as NodeResponse | null;
  const heard = message as IncomingMessage | null;
  if (found !== null && heard !== null) {
    found.isComplete = heard.complete && fault === null;
    found.trailers = heard.rawTrailers;
    found.end = wasWhole ? end : octets.length;
  }
  sent.destroy();
  socket.destroy();
  return { response: found, fault };
};
