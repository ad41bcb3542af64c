import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { checkByHttp2 } from './http2-check.js';

/** `ServingStatus` of grpc.health.v1. */
const servingStatuses = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

const varint = 0;
const eightOctets = 1;
const lengthDelimited = 2;
const fourOctets = 5;
const firstField = 1;

/** `HealthCheckRequest`: the name of the service is its only field, and left out where it is empty. */
export const writeHealthRequest = (service: string): Buffer => {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const head = [firstField * 8 + lengthDelimited];
  let length = name.length;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) head.push((length % 0x80) | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), name]);
};

/** Reads numbers of 7 bits an octet (Protocol Buffers, encoding). */
class Octets {
  readonly #octets: Uint8Array;
  position = 0;

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  get isAtEnd(): boolean {
    return this.position === this.#octets.length;
  }

  /** Null: it is cut off, or longer than a number is. Inexact beyond 2^53. */
  number(): number | null {
    let value = 0;
    for (let index = 0; index < 10; index += 1) {
      const octet = this.#octets[this.position];
      if (octet === undefined) return null;
      this.position += 1;
      value += (octet & 0x7f) * 2 ** (7 * index);
      if (octet < 0x80) return value;
    }
    return null;
  }

  /** False: there are not so many. */
  skip(count: number | null): boolean {
    if (count === null || count > this.#octets.length - this.position) return false;
    this.position += count;
    return true;
  }
}

/**
 * The status in a `HealthCheckResponse`. A field that is there more than once counts by its last, and fields that are
 * not known are passed over. Null: the octets are no such message.
 */
export const readServingStatus = (message: Uint8Array): number | null => {
  const octets = new Octets(message);
  let status: number = servingStatuses.unknown;
  while (!octets.isAtEnd) {
    const tag = octets.number();
    if (tag === null || tag < 8) return null;
    const wireType = tag % 8;
    if (wireType === varint) {
      const value = octets.number();
      if (value === null) return null;
      if (tag === firstField * 8 + varint) status = value;
      continue;
    }
    if (Math.floor(tag / 8) === firstField) return null;
    const isSkipped =
      (wireType === eightOctets && octets.skip(8)) ||
      (wireType === fourOctets && octets.skip(4)) ||
      (wireType === lengthDelimited && octets.skip(octets.number()));
    if (!isSkipped) return null;
  }
  return status;
};

/**
 * Before each message: whether it is compressed, and its length in four octets (gRPC over HTTP/2,
 * Length-Prefixed-Message).
 */
const prefixBytes = 5;

/** What an answer may have at most: a health message needs a few octets. */
const maximumAnswerBytes = 65_536;

/** A message as it is sent. */
const framed = (message: Buffer): Buffer => {
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
const headFault = (headers: IncomingHttpHeaders & IncomingHttpStatusHeader): string | null => {
  const status = headers[':status'] ?? 0;
  if (status !== 200) return `status ${status}`;
  return headers['content-type']?.startsWith('application/grpc') === true ? null : 'not gRPC';
};

/**
 * What the answer to a health check says, once it is whole.
 *
 * @param grpcStatus the field `grpc-status`, from the trailers, or from the head where there are none
 */
const readHealthAnswer = (grpcStatus: unknown, body: Buffer): Result<void, string> => {
  if (typeof grpcStatus !== 'string' || !/^\d{1,3}$/.test(grpcStatus)) return err('malformed answer');
  return grpcStatus === '0' ? verdictOf(body) : err(refusals[grpcStatus] ?? `gRPC status ${grpcStatus}`);
};

type Settle = (result: Result<void, string>) => void;

const send = (session: ClientHttp2Session, authority: string, timeoutMs: number): ClientHttp2Stream =>
  session.request({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': '/grpc.health.v1.Health/Check',
    ':authority': authority,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': `${Math.ceil(timeoutMs)}m`,
    'grpc-accept-encoding': 'identity',
    'user-agent': 'portcullis-health-check',
  });

const read = (stream: ClientHttp2Stream, settle: Settle): void => {
  let hasHead = false;
  let grpcStatus: unknown;
  let octets = 0;
  const pieces: Buffer[] = [];
  stream.on('response', (headers) => {
    hasHead = true;
    grpcStatus = headers['grpc-status'];
    const fault = headFault(headers);
    if (fault !== null) settle(err(fault));
  });
  stream.on('trailers', (trailers) => {
    grpcStatus ??= trailers['grpc-status'];
  });
  stream.on('data', (piece: Buffer) => {
    octets += piece.length;
    if (octets > maximumAnswerBytes) settle(err('malformed answer'));
    else pieces.push(piece);
  });
  stream.on('end', () => {
    // A stream whose connection was lost ends too.
    if (hasHead) settle(readHealthAnswer(grpcStatus, Buffer.concat(pieces)));
  });
};

/**
 * Well is a target whose health service (grpc.health.v1, in plaintext) says that it serves. Spoken on a socket of its
 * own, not by @grpc/grpc-js: that leaves connections behind to those who accept them and say nothing.
 *
 * @param service empty: the server as a whole
 */
export const probeGrpc = (
  { address, authority }: ProbedTarget,
  service: string,
  timeoutMs: number,
): Promise<Result<void, string>> =>
  checkByHttp2(
    address,
    {
      send: (session) => {
        const stream = send(session, authority, timeoutMs);
        stream.end(framed(writeHealthRequest(service)));
        return stream;
      },
      read,
    },
    timeoutMs,
  );
