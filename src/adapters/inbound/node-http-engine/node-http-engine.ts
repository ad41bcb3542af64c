import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BodyReadError } from '../../../application/ports/body-source.js';
import type { EngineLimits, HttpEngine, OpenListener, RequestHandler } from '../../../application/ports/http-engine.js';
import type { ClientConnection, ClientRequest, RejectedRequest } from '../../../application/ports/http-exchange.js';
import type { SocketAddress } from '../../../domain/configuration/gateway-configuration.js';
import { FilteredIncomingMessage } from './filtered-incoming-message.js';
import { IncomingBody } from './incoming-body.js';
import { NodeOpenListener } from './node-open-listener.js';
import { NodeResponse } from './node-response.js';
import { rawHead } from './raw-response.js';
import { UpgradeResponse } from './upgrade-response.js';

/** The HTTP/1.1 engine on Node's own server. */
export class NodeHttpEngine implements HttpEngine {
  listen(key: string, address: SocketAddress, handler: RequestHandler, limits: EngineLimits): Promise<OpenListener> {
    const server = createServer({
      IncomingMessage: FilteredIncomingMessage,
      insecureHTTPParser: false,
      // The gateway checks Host itself, to answer as it answers everything else.
      requireHostHeader: false,
      maxHeaderSize: limits.maxHeadBytes,
      headersTimeout: limits.headTimeoutMs,
      // A slow body is watched by its silence, not by its length.
      requestTimeout: 0,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: 1_000,
    });
    // Node would drop the fields past this count without a word; the gateway counts them and refuses.
    server.maxHeadersCount = 0;
    server.maxConnections = limits.maxConnections;
    serve(server, key, handler, limits);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address.host, port: address.port, exclusive: true }, () => {
        server.off('error', reject);
        const { address: host, port } = server.address() as AddressInfo;
        resolve(new NodeOpenListener(key, server, { host, port }));
      });
    });
  }
}

/** What is known of a connection while its requests come and go. */
interface ConnectionState {
  readonly client: ClientConnection;
  /** Body of the request that is being read, where it has one. */
  body: IncomingBody | null;
  /** Requests that have no whole response yet. */
  unanswered: number;
}

const serve = (server: Server, key: string, handler: RequestHandler, limits: EngineLimits): void => {
  const states = new WeakMap<Duplex, ConnectionState>();

  const stateOf = (socket: Socket): ConnectionState => {
    let state = states.get(socket);
    if (!state) {
      const client: ClientConnection = {
        listener: key,
        peerAddress: socket.remoteAddress ?? '',
        peerPort: socket.remotePort ?? 0,
        localPort: socket.localPort ?? 0,
        scheme: 'http',
      };
      state = { client, body: null, unanswered: 0 };
      states.set(socket, state);
    }
    return state;
  };

  const take = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    const state = stateOf(request.socket);
    const length = bodyLength(request);
    const body =
      length === 0 ? null : new IncomingBody(request, length, expectsContinue ? response : null, limits.bodyTimeoutMs);
    state.body = body;
    state.unanswered += 1;
    response.once('close', () => {
      state.unanswered -= 1;
    });
    handler.handle(
      clientRequest(request, state.client, body, expectsContinue, false),
      new NodeResponse(request, response, body !== null, limits.bodyTimeoutMs),
    );
  };

  server.on('request', (request, response) => take(request, response, false));
  server.on('checkContinue', (request, response) => take(request, response, true));
  // Any other expectation goes on as it is: the gateway refuses it.
  server.on('checkExpectation', (request, response) => take(request, response, false));
  server.on('upgrade', (request, socket, head) => {
    const { client } = stateOf(request.socket);
    handler.handle(clientRequest(request, client, null, false, true), new UpgradeResponse(socket, head));
  });
  server.on('connect', (request, socket, head) => {
    const { client } = stateOf(request.socket);
    handler.handle(clientRequest(request, client, null, false, false), new UpgradeResponse(socket, head));
  });
  server.on('clientError', (error: ClientError, socket) => {
    const state = states.get(socket);
    if (state && state.unanswered > 0) {
      // The error is in the body of a request that is being answered, or behind it: its handler ends the connection.
      if (state.body) state.body.fail(new BodyReadError('malformed', 'the request body is malformed'));
      else socket.destroy();
      return;
    }
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { client } = stateOf(socket as Socket);
    const answer = handler.reject({ connection: client, reason: rejectionReason(error) });
    const octets = Buffer.from(answer.body);
    const length = ['Content-Length', String(octets.length), 'Connection', 'close'];
    socket.write(rawHead(answer.status, [...answer.headers, ...length]), 'latin1');
    socket.end(octets);
    setTimeout(() => socket.destroy(), 1_000).unref();
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
  httpVersion: message.httpVersion,
  headers: message.rawHeaders,
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

/** What Node says of octets that it could not parse. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

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
