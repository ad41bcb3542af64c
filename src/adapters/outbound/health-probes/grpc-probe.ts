import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { checkByHttp2 } from './http2-check.js';
import { checkOverConnection } from './probe-connection.js';

/** `ServingStatus` of grpc.health.v1. */
const servingStatuses = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

const varint = 0;
const eightOctets = 1;
const lengthDelimited = 2;
const fourOctets = 5;
const firstField = 1;

/** Encodes `HealthCheckRequest`. Its only field is the service name, omitted if empty. */
export const writeHealthRequest = (service: string): Buffer => {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const head = [firstField * 8 + lengthDelimited];
  let length = name.length;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) head.push((length % 0x80) | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), name]);
};

/** Reads base-128 varints (Protocol Buffers, encoding). */
class ProtobufReader {
  readonly #octets: Uint8Array;
  position = 0;

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  get isAtEnd(): boolean {
    return this.position === this.#octets.length;
  }

  /** A varint; null if truncated or too long. Inexact beyond 2^53. */
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

  /** Returns false if fewer octets are left. */
  skip(count: number | null): boolean {
    if (count === null || count > this.#octets.length - this.position) return false;
    this.position += count;
    return true;
  }
}

/**
 * Decodes the status of a `HealthCheckResponse`. The last of repeated fields counts; unknown fields
 * are skipped. Returns null if malformed.
 */
export const readServingStatus = (message: Uint8Array): number | null => {
  const octets = new ProtobufReader(message);
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
 * Prefix of a message: compressed flag, and length in four octets (gRPC over HTTP/2,
 * Length-Prefixed-Message).
 */
const prefixBytes = 5;

/** Maximum octets of an answer; a health message needs a few. */
const maxAnswerBytes = 65_536;

/** Adds the prefix to a message. */
const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

/** Texts for gRPC status codes. */
const statusTexts: Readonly<Record<string, string>> = {
  5: 'service unknown',
  12: 'no health service',
  14: 'unavailable',
};

const unhealthyText = (status: number): string => {
  if (status === servingStatuses.notServing) return 'not serving';
  return status === servingStatuses.serviceUnknown ? 'service unknown' : 'health unknown';
};

const resultOf = (body: Buffer): Result<void, string> => {
  const isOneMessage = body.length >= prefixBytes && body.readUInt32BE(1) === body.length - prefixBytes;
  // The request offers no compression, so a compressed message is malformed.
  const status = isOneMessage && body[0] === 0 ? readServingStatus(body.subarray(prefixBytes)) : null;
  if (status === null) return err('malformed answer');
  return status === servingStatuses.serving ? ok(undefined) : err(unhealthyText(status));
};

/** The fault of a response head; null if it is valid. */
const headFault = (headers: IncomingHttpHeaders & IncomingHttpStatusHeader): string | null => {
  const status = headers[':status'] ?? 0;
  if (status !== 200) return `status ${status}`;
  return headers['content-type']?.startsWith('application/grpc') === true ? null : 'not gRPC';
};

/**
 * The result of a complete health-check response.
 *
 * @param grpcStatus the field `grpc-status`, from the trailers, or from the head of a trailers-only
 * response
 */
const readHealthAnswer = (grpcStatus: unknown, body: Buffer): Result<void, string> => {
  if (typeof grpcStatus !== 'string' || !/^\d{1,3}$/.test(grpcStatus)) return err('malformed answer');
  return grpcStatus === '0' ? resultOf(body) : err(statusTexts[grpcStatus] ?? `gRPC status ${grpcStatus}`);
};

type Settle = (result: Result<void, string>) => void;

const send = (session: ClientHttp2Session, { authority, tls }: ProbedTarget, timeoutMs: number): ClientHttp2Stream =>
  session.request({
    ':method': 'POST',
    ':scheme': tls === null ? 'http' : 'https',
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
    if (octets > maxAnswerBytes) settle(err('malformed answer'));
    else pieces.push(piece);
  });
  stream.on('end', () => {
    // A stream without a head ends because its connection is lost.
    if (hasHead) settle(readHealthAnswer(grpcStatus, Buffer.concat(pieces)));
  });
};

/**
 * Asks the health service of the target (grpc.health.v1). The target is healthy if it answers SERVING.
 * Uses node:http2, because @grpc/grpc-js leaves connections to silent targets open.
 *
 * @param service empty: the whole server
 */
export const probeGrpc = (target: ProbedTarget, service: string, timeoutMs: number): Promise<Result<void, string>> =>
  checkOverConnection(target, ['h2'], timeoutMs, (socket, check) =>
    checkByHttp2(socket, check, {
      send: (session) => {
        const stream = send(session, target, timeoutMs);
        stream.end(framed(writeHealthRequest(service)));
        return stream;
      },
      read,
    }),
  );
