import { constants, performServerHandshake, type ServerHttp2Stream, type ServerOptions } from 'node:http2';
import type { Socket } from 'node:net';
import type { EngineLimits, RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import { http2ResponseFields } from './http2-response-fields.js';

/** Refuses an HTTP/2 connection with a response to its first request, then closes it. */
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

/** Octets of overhead frames that a connection may send before the ratio check. */
const allowance = 1_048_576;

/** Allowed ratio of frame octets to payload octets. */
const mostFrameOctets = 8;

/**
 * Payload of a connection: fields and bodies, both ways. Frames without payload (PING, SETTINGS,
 * PRIORITY, WINDOW_UPDATE, empty DATA) are cheap to send; a flood shows in their ratio to the
 * payload.
 */
export class PayloadMeter {
  octets = 0;
  #forgiven = 0;

  /** Counts octets whose payload was discarded as legitimate. */
  forgive(octets: number): void {
    this.#forgiven += octets;
  }

  /** @param cameOctets all octets read from the connection */
  isFlood(cameOctets: number): boolean {
    return (cameOctets - this.#forgiven) / mostFrameOctets > this.octets + allowance;
  }
}

/** SETTINGS_MAX_CONCURRENT_STREAMS. */
const maxStreams = 128;

/**
 * Stream window: unread octets of one body. node:http2 does not count them in `maxSessionMemory`.
 * INVARIANT: a connection buffers at most `maxStreams` windows, 32 MiB. For all clients, multiply
 * by the admitted connections (max-connections-per-client and the request limits).
 */
export const streamWindow = 262_144;

/**
 * Connection window. node:http2 acknowledges data on arrival, read or not; the stream windows bound
 * the memory.
 */
export const sessionWindow = 4_194_304;

/** Mebibytes of frames, heads and responses per session; beyond it, streams are refused. */
const maxSessionMemory = 10;

/**
 * Invalid frames per connection. They include streams above `maxStreams` before the client
 * acknowledged SETTINGS, each reset with REFUSED_STREAM (RFC 9113, section 5.1.2). Others are
 * malformed heads and empty DATA, which cost only their parsing.
 */
const maxInvalidFrames = 1_000;

/** Octets of the smallest field in a field section (RFC 9113, section 6.5.2). */
const smallestField = 33;

/**
 * Longest response head in octets, above what upstreams and agents can produce; nghttp2's default
 * is 64 KiB. INVARIANT: nghttp2 refuses none, since node:http2 would close the session: see
 * `endSession`.
 */
const maxSentHead = 16_777_216;

/** Limits for nghttp2 and Node per connection. */
export const sessionOptions = ({ maxHeadBytes }: EngineLimits): ServerOptions => ({
  maxSessionMemory,
  // The gateway counts fields itself and sends its usual error response.
  maxHeaderListPairs: Math.ceil(maxHeadBytes / smallestField),
  maxSendHeaderBlockLength: maxSentHead,
  maxSessionInvalidFrames: maxInvalidFrames,
  maxSessionRejectedStreams: 100,
  maxSettings: 32,
  settings: {
    maxConcurrentStreams: maxStreams,
    initialWindowSize: streamWindow,
    maxHeaderListSize: maxHeadBytes,
    enablePush: false,
  },
});
