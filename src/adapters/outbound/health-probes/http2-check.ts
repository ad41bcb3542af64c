import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { err, type Result } from '../../../domain/shared/result.js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import { failureText } from './failure-text.js';
import type { RunningCheck } from './probe-connection.js';

/** The request of a check and the reader of its response. */
export interface Http2Check {
  /** Sends the complete request. */
  send(session: ClientHttp2Session): ClientHttp2Stream;
  /** Reads the response and settles the check. The caller handles failed connections. */
  read(stream: ClientHttp2Stream, settle: (result: Result<void, string>) => void): void;
}

/** Sends one request over HTTP/2 on a connection that serves only this check. */
export const checkByHttp2 = (socket: Socket, running: RunningCheck, check: Http2Check): void => {
  const { settle } = running;
  const session = connect('http://target', {
    createConnection: () =>
      new HeaderBlockGate(socket, 'server', (code, lastStream) => {
        if (code !== 0 || lastStream === 0) settle(err('connection lost'));
      }),
    settings: { enablePush: false },
    // Megabytes.
    maxSessionMemory: 1,
    maxHeaderListPairs: 64,
  });
  session.unref();
  const fail = (error: unknown): void => settle(err(failureText(error)));
  session.on('error', fail);
  const stream = check.send(session);
  stream.on('error', fail);
  // A reset stream may not emit an error.
  stream.on('close', () => settle(err('connection lost')));
  stream.on('response', () => {
    running.missing = 'complete answer';
  });
  check.read(stream, settle);
};
