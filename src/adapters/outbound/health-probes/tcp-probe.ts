import { connect } from 'node:net';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { failureText, lateText } from './failure-text.js';

/** Well is a target that a connection can be made to. */
export const probeTcp = ({ host, port }: SocketAddress, timeoutMs: number): Promise<Result<void, string>> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (result: Result<void, string>): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(err(lateText('no connection', timeoutMs))), timeoutMs);
    // A program that ends does not wait for its checks.
    timer.unref();
    socket.unref();
    socket.on('connect', () => settle(ok(undefined)));
    socket.on('error', (error) => settle(err(failureText(error))));
  });
