import type { IncomingHttpHeaders } from 'node:http2';
import type { ConnectionEnd } from '../../../application/ports/agent-connector.js';

/** Codes of gRPC by their numbers. */
const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const refusals: readonly string[] = ['PERMISSION_DENIED', 'UNAUTHENTICATED'];
/** Characters of the agent's own words that go into the log. */
const maximumDetailLength = 500;

/** Percent-encoded UTF-8; what is not well-formed stays as it is. */
const decoded = (message: string): string => {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
};

/** How a stream ended, by its trailers, or by the head of an answer that is nothing else; null where they do not say. */
export const statusEnd = (fields: IncomingHttpHeaders): ConnectionEnd | null => {
  const status = fields['grpc-status'];
  if (typeof status !== 'string') return null;
  if (status === '0') return { kind: 'ended', detail: 'the agent closed it' };
  const name = names[Number(status)] ?? 'UNKNOWN';
  const message = fields['grpc-message'];
  const words = typeof message === 'string' ? decoded(message.slice(0, maximumDetailLength * 4)) : '';
  const detail = `${name}: ${words}`.slice(0, maximumDetailLength);
  return { kind: refusals.includes(name) ? 'refused' : 'ended', detail };
};

/** Why an answer is none of gRPC; null where it is one. */
export const foreignAnswer = (fields: IncomingHttpHeaders): ConnectionEnd | null => {
  if (Number(fields[':status']) !== 200) return { kind: 'ended', detail: `HTTP status ${fields[':status']}` };
  const isGrpc = fields['content-type']?.startsWith('application/grpc') === true;
  return isGrpc ? null : { kind: 'ended', detail: 'an answer that is none of gRPC' };
};
