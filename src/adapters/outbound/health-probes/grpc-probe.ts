import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectSession } from 'node:http2';
import { connect } from 'node:net';
import type { ProbedTarget } from '../../../application/ports/health-prober.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { failureText, lateText } from './failure-text.js';
import { framed, headFault, maximumAnswerBytes, readHealthAnswer } from './grpc-answer.js';
import { writeHealthRequest } from './health-messages.js';

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
  new Promise((resolve) => {
    let phase = 'no connection';
    const socket = connect(address);
    const session = connectSession('http://target', {
      createConnection: () => socket,
      settings: { enablePush: false },
      // In millions of octets.
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
    });
    // A program that ends does not wait for its checks.
    socket.unref();
    session.unref();
    const settle: Settle = (result) => {
      clearTimeout(timer);
      session.destroy();
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(err(lateText(phase, timeoutMs))), timeoutMs);
    timer.unref();
    const fail = (error: unknown): void => settle(err(failureText(error)));
    socket.on('connect', () => {
      phase = 'no answer';
    });
    socket.on('error', fail);
    session.on('error', fail);
    const stream = send(session, authority, timeoutMs);
    stream.on('error', fail);
    // A stream that is cut off need not say that it failed.
    stream.on('close', () => settle(err('connection lost')));
    read(stream, settle);
    stream.end(framed(writeHealthRequest(service)));
  });
