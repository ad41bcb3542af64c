import { constants, performServerHandshake, type ServerHttp2Stream, type ServerOptions } from 'node:http2';
import type { Socket } from 'node:net';
import type { EngineLimits, RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
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

/** Octets of frames that a connection may have sent in vain before it is asked what they were good for. */
const allowance = 1_048_576;

/** Octets of frames for one of what they carried, or of what was sent for them. */
const mostFrameOctets = 8;

/**
 * What a connection has carried: fields and bodies, both ways. Frames that carry nothing (PING, SETTINGS, PRIORITY,
 * WINDOW_UPDATE, empty DATA) cost their sender next to nothing; a peer that sends them in masses is found out by what
 * they are compared to.
 */
export class PayloadMeter {
  octets = 0;
  #forgiven = 0;

  /** Octets that came, or still come, and carry nothing any more. */
  forgive(octets: number): void {
    this.#forgiven += octets;
  }

  /** @param cameOctets all that was read of the connection */
  isFlood(cameOctets: number): boolean {
    return (cameOctets - this.#forgiven) / mostFrameOctets > this.octets + allowance;
  }
}

/** Requests that a connection may have open at a time. */
const maxStreams = 128;

/**
 * Octets that may come of one body before they are read, and so be on their way. node:http2 keeps them outside of
 * `maxSessionMemory`. INVARIANT: a connection makes the gateway hold no more bodies than `maxStreams` of these, 32 MiB, and that
 * only where nothing of any of them is read. All clients together: that, times the connections let in
 * (max-connections-per-client, and the limits of requests under way).
 */
export const streamWindow = 262_144;

/**
 * Octets of all bodies of a connection that may be on their way. node:http2 acknowledges here what has come, read or not:
 * it is the windows of the streams that bound what is held.
 */
export const sessionWindow = 4_194_304;

/** Mebibytes of frames, heads and answers that a session may hold: beyond them its streams are refused. */
const maxSessionMemory = 10;

/**
 * Frames that are refused, in the life of a connection. Streams beyond `maxStreams` are among them where the client has not
 * acknowledged the settings and cannot know: each is reset with REFUSED_STREAM (RFC 9113, section 5.1.2), and so many
 * may come in its first flight. The others are malformed heads and empty DATA, which cost no more than the reading of them.
 */
const maxInvalidFrames = 1_000;

/** Octets of the smallest field, as header lists are measured (RFC 9113, section 6.5.2). */
const smallestField = 33;

/**
 * Octets of fields that a response may have: more than an upstream and agents can give it. nghttp2 would refuse those over
 * 64 KiB. INVARIANT: it refuses none, because node:http2 closes the session then, by itself: see `endSession`.
 */
const maxSentHead = 16_777_216;

/** What nghttp2 and Node have to keep to for each connection. */
export const sessionOptions = ({ maxHeadBytes }: EngineLimits): ServerOptions => ({
  maxSessionMemory,
  // The gateway counts fields itself, to answer as it answers everything else.
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
