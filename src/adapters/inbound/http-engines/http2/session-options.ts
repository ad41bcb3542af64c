import type { ServerOptions } from 'node:http2';
import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';

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
