import type { ServerOptions } from 'node:http2';
import type { EngineLimits } from '../../../../application/ports/http-engine.js';

/** Requests that a connection may have open at a time. */
const maxStreams = 128;

/** Mebibytes that a session may hold: beyond them its streams are refused. */
const maxSessionMemory = 10;

/** Octets of the smallest field, as header lists are measured (RFC 9113, section 6.5.2). */
const smallestField = 33;

/** Octets of fields that a response may have; nghttp2 would send 64 KiB. */
const maxSentHead = 262_144;

/** What nghttp2 and Node have to keep to for each connection. */
export const sessionOptions = ({ maxHeadBytes }: EngineLimits): ServerOptions => ({
  maxSessionMemory,
  // The gateway counts fields itself, to answer as it answers everything else.
  maxHeaderListPairs: Math.ceil(maxHeadBytes / smallestField),
  maxSendHeaderBlockLength: maxSentHead,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSettings: 32,
  settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeadBytes, enablePush: false },
});
