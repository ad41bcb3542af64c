import { constants } from 'node:http2';
import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { tlsFailureText } from '../../../tls-sockets/tls-failure.js';
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

/** Error names of RFC 9113, section 7. */
export const codeName = (code: number): string => names[code] ?? `code ${code}`;

/**
 * Codes that reject what was received (RFC 9113, section 7), including an oversized head. Either
 * side may send them; in both cases there is no valid response.
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

/** The input is not HTTP/2. */
const notHttp2: ReadonlySet<string> = new Set([
  'ERR_HTTP2_ERROR',
  'ERR_HTTP2_HEADER_BLOCK',
  'ERR_HTTP2_CONNECTION_FAULT',
]);

/** Failure of a session that did not open or broke. */
export const classifySessionError = (error: Error): UpstreamFailure => {
  const shortage = descriptorShortage(error);
  if (shortage !== null) return shortage;
  const detail = tlsFailureText(error) ?? `${error.name}: ${error.message}`;
  const code = systemCode(error);
  // The kernel timed out before the gateway.
  if (code === 'ETIMEDOUT') return { code: 'timed_out', detail };
  if (notHttp2.has(code)) return { code: 'invalid_response', detail };
  return { code: 'unreachable', detail };
};

/** Failure of a stream that ended early, from its reset code or its session. */
export const classifyStreamEnd = (code: number, error: Error | null): UpstreamFailure => {
  if (error !== null && systemCode(error) !== 'ERR_HTTP2_STREAM_ERROR') return classifySessionError(error);
  const detail = `the stream ended with ${codeName(code)}`;
  return { code: malformed.has(code) ? 'invalid_response' : 'unreachable', detail };
};
