import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { framed, headFault, maximumAnswerBytes, readHealthAnswer } from './grpc-answer.js';
import { writeHealthRequest } from './health-messages.js';
import { checkByHttp2 } from './http2-check.js';

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
 * Well is a target whose health service (grpc.health.v1, in plaintext) says that it serves. Spoken on a socket of its own,
 * not by @grpc/grpc-js: that leaves connections behind to those who accept them and say nothing.
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
