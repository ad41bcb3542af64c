import { connect, type Socket } from 'node:net';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import { isUnixSocket } from '../../../domain/configuration/network-addresses.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { type AlpnProtocol, connectTls } from '../../tls-sockets/connect-tls.js';
import { failureText, lateText } from './failure-text.js';

/** A check under way. */
export interface RunningCheck {
  /** The event that the check waits for, for the error after the timeout. */
  missing: 'connection' | 'answer' | 'complete answer';
  /** Ends the check and its connection. Later calls have no effect. */
  settle(result: Result<void, string>): void;
}

/** Checks a target over an open connection. */
export type CheckOver = (socket: Socket, check: RunningCheck, protocol: AlpnProtocol) => void;

/**
 * Opens a connection as requests do, over TCP, a unix socket or TLS, and runs a check over it. The
 * timeout covers both.
 *
 * @param protocols offered to a target with TLS
 */
export const checkOverConnection = (
  { address, tls }: ProbedTarget,
  protocols: readonly AlpnProtocol[],
  timeoutMs: number,
  run: CheckOver,
): Promise<Result<void, string>> =>
  new Promise((resolve) => {
    const check: RunningCheck = {
      missing: 'connection',
      settle: (result) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(result);
      },
    };
    const timer = setTimeout(() => check.settle(err(lateText(`no ${check.missing}`, timeoutMs))), timeoutMs);
    const opened = (protocol: AlpnProtocol): void => {
      check.missing = 'answer';
      try {
        run(socket, check, protocol);
      } catch (error) {
        // Node throws on an invalid path or header field.
        check.settle(err(failureText(error)));
      }
    };
    const socket = tls === null ? connectPlain(address) : connectTls({ address, tls, protocols, opened });
    if (tls === null) socket.once('connect', () => opened(protocols[0] as AlpnProtocol));
    socket.on('error', (error) => check.settle(err(failureText(error))));
    socket.on('close', () => check.settle(err('connection lost')));
    // Checks do not keep the process alive.
    timer.unref();
    socket.unref();
  });

const connectPlain = (address: ProbedTarget['address']): Socket =>
  isUnixSocket(address) ? connect({ path: address.path }) : connect({ host: address.host, port: address.port });
