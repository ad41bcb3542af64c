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

/** Octets of a body after which an answer is good enough: no more is read. */
const maximumBodyBytes = 65_536;
const maximumHeadBytes = 16_384;

/**
 * Well is a target that answers a GET with a status that is expected, and its answer to the end. A redirect is not
 * followed. Each check has a connection of its own.
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
    if (octets > maximumBodyBytes) settle(ok(undefined));
  });
  stream.on('end', () => {
    // A stream that was cut off ends too.
    const isWhole = stream.rstCode === 0 && stream.session?.destroyed === false;
    settle(isWhole ? ok(undefined) : err('connection lost'));
  });
};

/** What `probeHttp` asks, over HTTP/2 with prior knowledge (RFC 9113, section 3.3). */
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

/** Well is a target that a connection can be made to. */
const probeTcp = ({ host, port }: SocketAddress, timeoutMs: number): Promise<Result<void, string>> =>
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

/** Asks targets in plaintext, by TCP, HTTP/1.1, HTTP/2 or gRPC. */
export class NodeHealthProber implements HealthProber {
  async probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> {
    try {
      return await probeBy(target, probe, timeoutMs);
    } catch (error) {
      // Node refuses to send what is no path or no header field.
      return err(failureText(error));
    }
  }
}
