import { constants, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import { http2ResponseFields } from './http2-response-fields.js';

/** Tells a connection of HTTP/2 that is not let in why, as the answer to its first request, and ends it. */
export const refuseHttp2 = (socket: Socket, { status, headers, body }: RejectionAnswer): void => {
  const gate = new HeaderBlockGate(socket, 'client', () => undefined);
  const session = performServerHandshake(gate, { settings: { maxConcurrentStreams: 1, enablePush: false } });
  session.on('error', () => undefined);
  session.once('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    const octets = Buffer.from(body);
    stream.respond({ ...http2ResponseFields(headers), ':status': status, 'content-length': octets.length });
    stream.end(octets);
    session.goaway(constants.NGHTTP2_NO_ERROR);
    stream.once('close', () => {
      gate.linger();
      endSession(session);
    });
  });
};
