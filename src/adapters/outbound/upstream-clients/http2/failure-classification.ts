import { constants } from 'node:http2';
import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { descriptorShortage } from '../pool/target-connections.js';

const names: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** As RFC 9113, section 7, has it. */
export const codeName = (code: number): string => names[code] ?? `code ${code}`;

/**
 * Codes with which this side refuses what it got (RFC 9113, section 7), the head that is over the limit among it. A
 * peer that sends one says so of us; neither got a response out of it.
 */
const malformed: ReadonlySet<number> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';

/** What came is no HTTP/2. */
const notHttp2: ReadonlySet<string> = new Set([
  'ERR_HTTP2_ERROR',
  'ERR_HTTP2_HEADER_BLOCK',
  'ERR_HTTP2_CONNECTION_FAULT',
]);

/** A session that did not come about, or broke. */
export const classifySessionError = (error: Error): UpstreamFailure => {
  const shortage = descriptorShortage(error);
  if (shortage !== null) return shortage;
  const detail = `${error.name}: ${error.message}`;
  const code = systemCode(error);
  // The system gives up connecting before the gateway does.
  if (code === 'ETIMEDOUT') return { code: 'timed_out', detail };
  if (notHttp2.has(code)) return { code: 'invalid_response', detail };
  return { code: 'unreachable', detail };
};

/** A stream that ended before its response did, by what it was reset with, or with its session. */
export const classifyStreamEnd = (code: number, error: Error | null): UpstreamFailure => {
  if (error !== null && systemCode(error) !== 'ERR_HTTP2_STREAM_ERROR') return classifySessionError(error);
  const detail = `the stream ended with ${codeName(code)}`;
  return { code: malformed.has(code) ? 'invalid_response' : 'unreachable', detail };
};
