import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectSession } from 'node:http2';
import { connect } from 'node:net';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import { failureText, lateText } from './failure-text.js';

/** The request of a check and the reader of its response. */
export interface Http2Check {
  /** Sends the complete request. */
  send(session: ClientHttp2Session): ClientHttp2Stream;
  /** Reads the response and settles the check. The caller handles failed connections. */
  read(stream: ClientHttp2Stream, settle: (result: Result<void, string>) => void): void;
}

/**
 * Sends one request over plaintext HTTP/2 on its own connection, and closes it when the check
 * settles. The timeout also covers silent targets.
 */
export const checkByHttp2 = (
  address: SocketAddress,
  check: Http2Check,
  timeoutMs: number,
): Promise<Result<void, string>> =>
  new Promise((resolve) => {
    let phase = 'no connection';
    const socket = connect(address);
    const session = connectSession('http://target', {
      createConnection: () =>
        new HeaderBlockGate(socket, 'server', (code, lastStream) => {
          if (code !== 0 || lastStream === 0) settle(err('connection lost'));
        }),
      settings: { enablePush: false },
      // In megabytes.
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
    });
    // Checks do not keep the process alive.
    socket.unref();
    session.unref();
    const settle = (result: Result<void, string>): void => {
      clearTimeout(timer);
      // The session ends with the socket: see `endSession`.
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
    const stream = check.send(session);
    stream.on('error', fail);
    // A reset stream may not emit an error.
    stream.on('close', () => settle(err('connection lost')));
    stream.on('response', () => {
      phase = 'no complete answer';
    });
    check.read(stream, settle);
  });
