import { type IncomingMessage, request } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { HealthProber, ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AlpnProtocol } from '../../tls-sockets/connect-tls.js';
import { failureText } from './failure-text.js';
import { probeGrpc } from './grpc-probe.js';
import { checkByHttp2 } from './http2-check.js';
import { checkOverConnection, type RunningCheck } from './probe-connection.js';

type HttpProbe = Extract<HealthProbe, { readonly path: string }>;

/** Maximum octets of a response body that a check reads. A longer body counts as healthy. */
const maxBodyBytes = 65_536;
const maxHeadBytes = 16_384;

/** Sends a GET over HTTP/1.1. */
const checkByHttp1 = (
  socket: Socket,
  check: RunningCheck,
  { authority }: ProbedTarget,
  { path, expectedStatuses, host }: HttpProbe,
): void => {
  const { settle } = check;
  const sent = request({
    createConnection: () => socket,
    path,
    maxHeaderSize: maxHeadBytes,
    headers: { Host: host ?? authority, Accept: '*/*', 'User-Agent': 'portcullis-health-check', Connection: 'close' },
  });
  const read = (response: IncomingMessage): void => {
    check.missing = 'complete answer';
    let octets = 0;
    response.on('data', (piece: Buffer) => {
      octets += piece.length;
      if (octets > maxBodyBytes) settle(ok(undefined));
    });
    response.on('end', () => settle(ok(undefined)));
    response.on('error', (error) => settle(err(failureText(error))));
  };
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0;
    if (expectedStatuses.includes(status)) read(response);
    else settle(err(`status ${status}`));
  });
  sent.on('upgrade', () => settle(err('status 101')));
  sent.on('error', (error) => settle(err(failureText(error))));
  sent.end();
};

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

/** The protocols that a probe offers to a target with TLS; without TLS, the first is used. */
const protocolsOf = {
  http: ['http/1.1'],
  http2: ['h2'],
  http_auto: ['h2', 'http/1.1'],
} as const satisfies Record<HttpProbe['kind'], readonly AlpnProtocol[]>;

/**
 * Sends a GET. The target is healthy if it returns an expected status and a complete response. Does
 * not follow redirects. Each check opens a new connection.
 */
const probeHttp = (target: ProbedTarget, probe: HttpProbe, timeoutMs: number): Promise<Result<void, string>> =>
  checkOverConnection(target, protocolsOf[probe.kind], timeoutMs, (socket, check, protocol) => {
    if (protocol === 'http/1.1') {
      checkByHttp1(socket, check, target, probe);
      return;
    }
    const { authority, tls } = target;
    const { path, host, expectedStatuses } = probe;
    checkByHttp2(socket, check, {
      send: (session) =>
        session.request(
          {
            ':method': 'GET',
            ':scheme': tls === null ? 'http' : 'https',
            ':path': path,
            ':authority': host ?? authority,
            accept: '*/*',
            'user-agent': 'portcullis-health-check',
          },
          { endStream: true },
        ),
      read: (stream, settle) => read(stream, expectedStatuses, settle),
    });
  });

/** Opens a connection; the target is healthy if that succeeds, with TLS including its handshake. */
const probeTcp = (target: ProbedTarget, timeoutMs: number): Promise<Result<void, string>> =>
  checkOverConnection(target, ['http/1.1', 'h2'], timeoutMs, (_socket, check) => check.settle(ok(undefined)));

const probeBy = (target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> => {
  switch (probe.kind) {
    case 'tcp':
      return probeTcp(target, timeoutMs);
    case 'grpc':
      return probeGrpc(target, probe.service, timeoutMs);
    default:
      return probeHttp(target, probe, timeoutMs);
  }
};

/** Probes targets over TCP, TLS, HTTP/1.1, HTTP/2 or gRPC, on connections like those of requests. */
export class NodeHealthProber implements HealthProber {
  probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> {
    return probeBy(target, probe, timeoutMs);
  }
}
