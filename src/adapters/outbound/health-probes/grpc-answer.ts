import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readServingStatus, servingStatuses } from './health-messages.js';

/** Before each message: whether it is compressed, and its length in four octets (gRPC over HTTP/2, Length-Prefixed-Message). */
const prefixBytes = 5;

/** What an answer may have at the most: a health message needs a few octets. */
export const maximumAnswerBytes = 65_536;

/** A message as it is sent. */
export const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

/** Codes of the gRPC core that have words of their own. */
const refusals: Readonly<Record<string, string>> = {
  5: 'service unknown',
  12: 'no health service',
  14: 'unavailable',
};

const unwell = (status: number): string => {
  if (status === servingStatuses.notServing) return 'not serving';
  return status === servingStatuses.serviceUnknown ? 'service unknown' : 'health unknown';
};

const verdictOf = (body: Buffer): Result<void, string> => {
  const isOneMessage = body.length >= prefixBytes && body.readUInt32BE(1) === body.length - prefixBytes;
  // No compression was offered.
  const status = isOneMessage && body[0] === 0 ? readServingStatus(body.subarray(prefixBytes)) : null;
  if (status === null) return err('malformed answer');
  return status === servingStatuses.serving ? ok(undefined) : err(unwell(status));
};

/** What is wrong with the head of an answer; null: nothing. */
export const headFault = (headers: IncomingHttpHeaders & IncomingHttpStatusHeader): string | null => {
  const status = headers[':status'] ?? 0;
  if (status !== 200) return `status ${status}`;
  return headers['content-type']?.startsWith('application/grpc') === true ? null : 'not gRPC';
};

/**
 * What the answer to a health check says, once it is whole.
 *
 * @param grpcStatus the field `grpc-status`, from the trailers, or from the head where there are none
 */
export const readHealthAnswer = (grpcStatus: unknown, body: Buffer): Result<void, string> => {
  if (typeof grpcStatus !== 'string' || !/^\d{1,3}$/.test(grpcStatus)) return err('malformed answer');
  return grpcStatus === '0' ? verdictOf(body) : err(refusals[grpcStatus] ?? `gRPC status ${grpcStatus}`);
};
