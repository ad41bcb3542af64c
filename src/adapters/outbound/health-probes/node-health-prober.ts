import { type IncomingMessage, request } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import { connect } from 'node:net';
import type { HealthProber, ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { failureText, lateText } from './failure-text.js';
import { probeGrpc } from './grpc-probe.js';
import { checkByHttp2 } from './http2-check.js';

type HttpProbe = Extract<HealthProbe, { readonly kind: 'http' | 'http2' }>;

/** Octets of a response body to read; a longer body counts as healthy. */
const maxBodyBytes = 65_536;
const maxHeadBytes = 16_384;

/**
 * Sends a GET. The target is healthy if it returns an expected status and a complete response. Does
 * not follow redirects. Uses a new connection per check.
 */
const probeHttp = (
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
      maxHeaderSize: maxHeadBytes,
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
      phase = 'no complete answer';
      let octets = 0;
      response.on('data', (piece: Buffer) => {
        octets += piece.length;
        if (octets > maxBodyBytes) settle(ok(undefined));
      });
      response.on('end', () => settle(ok(undefined)));
      response.on('error', (error) => settle(err(failureText(error))));
    };
    sent.on('socket', (socket) => {
      // Checks do not keep the process alive.
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

const read = (
  stream: ClientHttp2Stream,
  expectedStatuses: readonly number[],
  settle: (result: Result<void, string>) => void,
): void => {
  let octets = 0;
  stream.on('response', (headers) => {
    const status = headers[':status'] ?? 0;
    if (!expectedStatuses.includes(status)) settle(err(`status ${status}`));
  });
  stream.on('data', (piece: Buffer) => {
    octets += piece.length;
    if (octets > maxBodyBytes) settle(ok(undefined));
  });
  stream.on('end', () => {
    // A reset stream also ends.
    const isWhole = stream.rstCode === 0 && stream.session?.destroyed === false;
    settle(isWhole ? ok(undefined) : err('connection lost'));
  });
};

/** Like `probeHttp`, over HTTP/2 with prior knowledge (RFC 9113, section 3.3). */
const probeHttp2 = (
  { address, authority }: ProbedTarget,
  { path, expectedStatuses, host }: HttpProbe,
  timeoutMs: number,
): Promise<Result<void, string>> =>
  checkByHttp2(
    address,
    {
      send: (session) =>
        session.request(
          {
            ':method': 'GET',
            ':scheme': 'http',
            ':path': path,
            ':authority': host ?? authority,
            accept: '*/*',
            'user-agent': 'portcullis-health-check',
          },
          { endStream: true },
        ),
      read: (stream, settle) => read(stream, expectedStatuses, settle),
    },
    timeoutMs,
  );

/** Opens a TCP connection; the target is healthy if it succeeds. */
const probeTcp = ({ host, port }: SocketAddress, timeoutMs: number): Promise<Result<void, string>> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (result: Result<void, string>): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(err(lateText('no connection', timeoutMs))), timeoutMs);
    // Checks do not keep the process alive.
    timer.unref();
    socket.unref();
    socket.on('connect', () => settle(ok(undefined)));
    socket.on('error', (error) => settle(err(failureText(error))));
  });

const probeBy = (target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> => {
  switch (probe.kind) {
    case 'http':
      return probeHttp(target, probe, timeoutMs);
    case 'http2':
      return probeHttp2(target, probe, timeoutMs);
    case 'tcp':
      return probeTcp(target.address, timeoutMs);
    default:
      return probeGrpc(target, probe.service, timeoutMs);
  }
};

/** Probes targets over plaintext TCP, HTTP/1.1, HTTP/2 or gRPC. */
export class NodeHealthProber implements HealthProber {
  async probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> {
    try {
      return await probeBy(target, probe, timeoutMs);
    } catch (error) {
      // Node throws on an invalid path or header field.
      return err(failureText(error));
    }
  }
}
