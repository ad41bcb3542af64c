import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectSession } from 'node:http2';
import { connect } from 'node:net';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import { failureText, lateText } from './failure-text.js';

/** What a check does once its session is there. */
export interface Http2Check {
  /** Sends the request, all of it. */
  send(session: ClientHttp2Session): ClientHttp2Stream;
  /** Reads the answer, and settles the check with what that says. Connections that fail are seen to. */
  read(stream: ClientHttp2Stream, settle: (result: Result<void, string>) => void): void;
}

/**
 * One request over HTTP/2 in plaintext, on a connection of its own that is gone when the check is settled, whatever
 * the target does: accept it and say nothing, too.
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
      // In millions of octets.
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
    });
    // A program that ends does not wait for its checks.
    socket.unref();
    session.unref();
    const settle = (result: Result<void, string>): void => {
      clearTimeout(timer);
      // The session ends with it; see `endSession` for why it is not told.
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
    // A stream that is cut off need not say that it failed.
    stream.on('close', () => settle(err('connection lost')));
    stream.on('response', () => {
      phase = 'no whole answer';
    });
    check.read(stream, settle);
  });
