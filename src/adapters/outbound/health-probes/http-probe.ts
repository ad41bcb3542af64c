import { type IncomingMessage, request } from 'node:http';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { failureText, lateText } from './failure-text.js';

export type HttpProbe = Extract<HealthProbe, { readonly kind: 'http' | 'http2' }>;

/** Octets of a body after which an answer is good enough: no more is read. */
export const maximumBodyBytes = 65_536;
const maximumHeadBytes = 16_384;

/**
 * Well is a target that answers a GET with a status that is expected, and its answer to the end. A redirect is not
 * followed. Each check has a connection of its own.
 */
export const probeHttp = (
  { address, authority }: ProbedTarget,
  { path, expectedStatuses, host }: HttpProbe,
  timeoutMs: number,
): Promise<Result<void, string>> =>
  new Promise((resolve) => {
    let phase = 'no connection';
    const sent = request({
      host: address.host,
      port: address.port,
      path,
      agent: false,
      maxHeaderSize: maximumHeadBytes,
      headers: { Host: host ?? authority, Accept: '*/*', 'User-Agent': 'portcullis-health-check', Connection: 'close' },
    });
    const settle = (result: Result<void, string>): void => {
      clearTimeout(timer);
      sent.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(err(lateText(phase, timeoutMs))), timeoutMs);
    timer.unref();
    const read = (response: IncomingMessage): void => {
      phase = 'no whole answer';
      let octets = 0;
      response.on('data', (piece: Buffer) => {
        octets += piece.length;
        if (octets > maximumBodyBytes) settle(ok(undefined));
      });
      response.on('end', () => settle(ok(undefined)));
      response.on('error', (error) => settle(err(failureText(error))));
    };
    sent.on('socket', (socket) => {
      // A program that ends does not wait for its checks.
      socket.unref();
      socket.on('connect', () => {
        phase = 'no answer';
      });
    });
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      if (expectedStatuses.includes(status)) read(response);
      else settle(err(`status ${status}`));
    });
    sent.on('upgrade', () => settle(err('status 101')));
    sent.on('error', (error) => settle(err(failureText(error))));
    sent.end();
  });
