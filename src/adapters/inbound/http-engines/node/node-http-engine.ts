import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyReadError } from '../../../../application/ports/body-source.js';
import type {
  BoundListener,
  EngineLimits,
  ListenerOptions,
  RequestHandler,
} from '../../../../application/ports/http-engine.js';
import type { ClientConnection, ClientRequest, RejectedRequest } from '../../../../application/ports/http-exchange.js';
import type { ListeningSockets } from '../../../../application/ports/listening-sockets.js';
import type { SocketAddress } from '../../../../domain/configuration/gateway-configuration.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { ConnectionGate } from '../connections/connection-gate.js';
import { ConnectionRefusals } from '../connections/connection-refusals.js';
import { EngineListener, ownTls } from '../connections/engine-listener.js';
import { ListenerPatience } from '../connections/listener-patience.js';
import { ProxyHeaders } from '../connections/proxy-headers.js';
import { ReadAheadBudget } from '../connections/read-ahead.js';
import { Http2Sessions } from '../http2/http2-sessions.js';
import { ProtocolSessions } from '../http2/protocol-sessions.js';
import { ClientSessions } from './client-sessions.js';
import { FilteredIncomingMessage } from './filtered-incoming-message.js';
import { IncomingBody } from './incoming-body.js';
import { NodeResponse } from './node-response.js';
import { UpgradeResponse } from './upgrade-response.js';

/** The HTTP/1.1 engine on Node's own server. */
export class NodeHttpEngine {
  readonly #sockets: ListeningSockets;
  readonly #refusals = new ConnectionRefusals();

  constructor(sockets: ListeningSockets) {
    this.#sockets = sockets;
  }

  async bind(
    key: string,
    address: SocketAddress,
    handler: RequestHandler,
    { name, limits, timeouts, tls, proxyHeaderFrom, http2 }: ListenerOptions,
  ): Promise<BoundListener> {
    const server = createServer({
      IncomingMessage: FilteredIncomingMessage,
      insecureHTTPParser: false,
      // The gateway checks Host itself, to answer as it answers everything else.
      requireHostHeader: false,
      maxHeaderSize: limits.maxHeadBytes,
      // A slow body is watched by its silence and its pace, not by its length.
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
    });
    // Node would drop the fields past this count without a word; the gateway counts them and refuses.
    server.maxHeadersCount = 0;
    const patience = new ListenerPatience(limits, timeouts, (next) => {
      // Node looks at the one with each round over its connections, at the other when a response has ended.
      server.headersTimeout = next.headMs;
      server.keepAliveTimeout = next.idleMs;
    });
    const proxyHeaders = new ProxyHeaders(
      () => patience.timeouts.proxyHeaderMs,
      (peerAddress, reason) => handler.proxyHeaderFailed({ listener: key, peerAddress, reason }),
    );
    const http1 = new ClientSessions(key, () => patience.timeouts.idleMs, connectionsOf(server));
    const sessions = new ProtocolSessions(
      key,
      handler,
      patience,
      http1,
      new Http2Sessions(key, handler, limits, patience),
      http2,
    );
    const gate = new ConnectionGate(
      key,
      handler,
      this.#refusals,
      proxyHeaders,
      patience.handshakeMs,
      (socket, origin) => sessions.speak(socket, origin),
    );
    server.on('connection', (raw) => gate.take(raw));
    gate.expectProxyHeaders(proxyHeaderFrom);
    gate.secure(ownTls(tls));
    // Node calls a connection idle whose response is written, though its client has not got all of it yet.
    server.closeIdleConnections = () => undefined;
    serve(server, http1, handler, limits, patience);
    const socket = await this.#sockets.open(key, address, name);
    return new EngineListener(key, server, gate, sessions, patience, socket, limits);
  }
}

/** Takes from a server what it does with its connections, and gives that. */
const connectionsOf = (server: FilteringServer): ((socket: Socket) => void) => {
  const own = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  return (socket) => {
    for (const listener of own) listener.call(server, socket);
  };
};

type FilteringServer = Server<typeof FilteredIncomingMessage>;

const serve = (
  server: FilteringServer,
  sessions: ClientSessions,
  handler: RequestHandler,
  limits: EngineLimits,
  patience: ListenerPatience,
): void => {
  const budget = new ReadAheadBudget();

  const take = (request: FilteredIncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    const { socket } = request;
    const session = sessions.of(socket);
    session.take(() => {
      const length = bodyLength(request);
      const continueWith = expectsContinue ? response : null;
      const { bodyMs } = patience.timeouts;
      const body = length === 0 ? null : new IncomingBody(request, length, continueWith, patience.body, budget);
      const answer = new NodeResponse(request, response, session, body !== null, bodyMs, limits.lingerMs);
      if (body) session.upload = { body, answer };
      handler.handle(clientRequest(request, session.client, body, expectsContinue, false), answer);
    });
  };

  const takeOver = (request: IncomingMessage, head: Buffer, wantsWebSocket: boolean): void => {
    const { socket } = request;
    const session = sessions.of(socket);
    // Node has let go of the responses that are still due: they and this one could no longer be told apart.
    if (session.isBusy || session.isClosing) socket.destroy();
    else {
      session.handOver();
      const response = new UpgradeResponse(socket, head, patience.timeouts.bodyMs);
      handler.handle(clientRequest(request, session.client, null, false, wantsWebSocket), response);
    }
  };

  const refuse = (error: ClientError, socket: Socket): void => {
    const session = sessions.of(socket);
    if (session.isBusy) {
      // The error is in the body that is being read, or behind a request that is still to be answered.
      session.closeAfterResponse();
      const { upload } = session;
      if (upload === null || upload.body.isComplete) return;
      if (error.code !== endedEarly) upload.body.fail(new BodyReadError('malformed', 'the request body is malformed'));
      // Whoever sends no more, and has not sent all of it, waits for no answer. One that has been given still goes out.
      else if (!upload.answer.isGiven) socket.destroy();
      return;
    }
    const answer = handler.reject({ connection: session.client, reason: rejectionReason(error) });
    const octets = Buffer.from(answer.body);
    const framing = ['Content-Length', String(octets.length), 'Connection', 'close'];
    socket.write(`${responseHeadText(answer.status, [...answer.headers, ...framing])}\r\n`, 'latin1');
    socket.end(octets);
    setTimeout(() => socket.destroy(), closeGraceMs).unref();
  };

  server.on('request', (request, response) => take(request, response, false));
  server.on('checkContinue', (request, response) => take(request, response, true));
  // Any other expectation goes on as it is: the gateway refuses it.
  server.on('checkExpectation', (request, response) => take(request, response, false));
  server.on('upgrade', (request, _socket, head) => takeOver(request, head, true));
  server.on('connect', (request, _socket, head) => takeOver(request, head, false));
  server.on('clientError', (error: ClientError, socket) => {
    // An answer could not be read where TLS itself has failed.
    if (error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL') || !socket.writable) socket.destroy();
    else refuse(error, socket as Socket);
  });
};

const clientRequest = (
  message: IncomingMessage,
  connection: ClientConnection,
  body: IncomingBody | null,
  expectsContinue: boolean,
  wantsWebSocket: boolean,
): ClientRequest => ({
  method: message.method ?? '',
  target: message.url ?? '',
  // Node's parser takes a request line that says 2.0. What it has read is no HTTP/2, and is refused as any unknown version.
  httpVersion: message.httpVersion === '2.0' ? '2' : message.httpVersion,
  headers: message.rawHeaders,
  received: null,
  body,
  connection,
  expectsContinue,
  wantsWebSocket,
});

/** Octets of the body: 0 where there is none, null where its end shows only as it comes (RFC 9112, section 6.3). */
const bodyLength = (request: IncomingMessage): number | null => {
  const { rawHeaders } = request;
  let length = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return null;
    if (name.length === 14 && name.toLowerCase() === 'content-length') length = Number(rawHeaders[index + 1]);
  }
  return length;
};

/** What Node says where a connection ends within a message. */
const endedEarly = 'HPE_INVALID_EOF_STATE';

/** What Node says of octets that it could not parse. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/** How long a client has to take the last response of its connection, in milliseconds. */
const closeGraceMs = 1_000;
const lineFeed = 0x0a;
/** Octets. */
const longLine = 8_192;
/** The rest of a target, then the version: a request line from its begin on has a space more. */
const requestLineEnd = /^[^ ]* HTTP\/1\.[01]\r?$/;

const rejectionReason = (error: ClientError): RejectedRequest['reason'] => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'timed_out';
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'malformed';
  // Node counts the request line with the header section, and tells what was read last alone: where that begins with a
  // very long line or with the end of a request line, the request line is taken to be what is long.
  const begin = error.rawPacket?.subarray(0, longLine);
  const lineEnd = begin?.indexOf(lineFeed) ?? -1;
  if (!begin || lineEnd < 0) return 'target_too_long';
  return requestLineEnd.test(begin.toString('latin1', 0, lineEnd)) ? 'target_too_long' : 'header_too_large';
};
