import * as http2 from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import type { ProbedTarget } from '../../../../../src/application/ports/gateway/health-prober.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { startProbedServer } from '../../../../support/gateway/probed-server.js';
import { tcpAddress } from '../../../../support/gateway/tcp-address.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';

const prober = new NodeHealthProber();
const probe = { kind: 'grpc', service: 'shop.Orders' } as const;
const patientMs = 20_000;
const shortMs = 300;

const octets = (text: Buffer): Buffer => text;
const checkOnly = {
  Check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: octets,
    requestDeserialize: octets,
    responseSerialize: octets,
    responseDeserialize: octets,
  },
} as const;

type Answer = (call: grpc.ServerUnaryCall<Buffer, Buffer>, answer: grpc.sendUnaryData<Buffer>) => void;

/** A server of @grpc/grpc-js with a health service, or with none. */
const serve = async (cleanUp: CleanUp, check: Answer | null): Promise<ProbedTarget> => {
  const server = new grpc.Server();
  if (check !== null) server.addService(checkOnly, { Check: check });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  cleanUp.add(() => void setImmediate(() => server.forceShutdown()));
  return { address: { host: '127.0.0.1', port }, authority: 'api.test:8080', tls: null };
};

/** A server of HTTP/2 that says exactly what a test has it say. */
const serveHttp2 = async (cleanUp: CleanUp, hear: (stream: http2.ServerHttp2Stream) => void): Promise<ProbedTarget> => {
  const server = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    hear(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    for (const session of sessions) setImmediate(() => session.destroy());
    server.close();
  });
  return {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    authority: 'api.test:8080',
    tls: null,
  };
};

/**
 * An octet of a frame now and then: a beginning of SETTINGS, as long as nghttp2 takes them, and longer than it will
 * ever become.
 */
const trickle = (socket: Socket): void => {
  socket.write(Buffer.from([0, 0, 192, 4, 0, 0, 0, 0, 0]));
  const timer = setInterval(() => socket.write(Buffer.alloc(1)), 5);
  socket.on('close', () => clearInterval(timer));
};

const answering = (cleanUp: CleanUp, ...numbers: readonly number[]) =>
  serve(cleanUp, (_call, answer) => answer(null, Buffer.from(numbers)));

describe('a gRPC health check', () => {
  it('checks the configured service at the health service', async ({ cleanUp }) => {
    const asked: string[] = [];
    const target = await serve(cleanUp, (call, answer) => {
      asked.push(call.request.toString('latin1'), call.getHost());
      answer(null, Buffer.from([8, 1]));
    });
    expect(await prober.probe(target, probe, patientMs)).toEqual(ok(undefined));
    expect(await prober.probe(target, { kind: 'grpc', service: '' }, patientMs)).toEqual(ok(undefined));
    expect(asked).toEqual(['\n\x0bshop.Orders', 'api.test:8080', '', 'api.test:8080']);
  });

  it.for([
    ['nothing', [], 'health unknown'],
    ['UNKNOWN', [8, 0], 'health unknown'],
    ['NOT_SERVING', [8, 2], 'not serving'],
    ['SERVICE_UNKNOWN', [8, 3], 'service unknown'],
    ['a status of another time', [8, 9], 'health unknown'],
    ['garbage', [0x0a, 9], 'malformed answer'],
  ] as const)('fails for the status %s', async ([_name, numbers, error], { cleanUp }) => {
    expect(await prober.probe(await answering(cleanUp, ...numbers), probe, patientMs)).toEqual(err(error));
  });

  it.for([
    ['NOT_FOUND', grpc.status.NOT_FOUND, 'service unknown'],
    ['UNAVAILABLE', grpc.status.UNAVAILABLE, 'unavailable'],
    ['PERMISSION_DENIED', grpc.status.PERMISSION_DENIED, 'gRPC status 7'],
  ] as const)('fails for the error %s without its message', async ([_name, code, error], { cleanUp }) => {
    const target = await serve(cleanUp, (_call, answer) => answer({ code, details: 'SECRET' }));
    expect(await prober.probe(target, probe, patientMs)).toEqual(err(error));
  });

  it('fails without a health service', async ({ cleanUp }) => {
    expect(await prober.probe(await serve(cleanUp, null), probe, patientMs)).toEqual(err('no health service'));
  });

  it('fails for an oversized message', async ({ cleanUp }) => {
    const target = await serve(cleanUp, (_call, answer) => answer(null, Buffer.alloc(100_000)));
    expect(await prober.probe(target, probe, patientMs)).toEqual(err('malformed answer'));
  });

  it('fails if nothing listens', async () => {
    const target = { address: { host: '127.0.0.1', port: await freePort() }, authority: 'api.test:8080', tls: null };
    expect(await prober.probe(target, probe, patientMs)).toEqual(err('connection refused'));
  });

  it('times out', async ({ cleanUp }) => {
    const target = await serve(cleanUp, () => undefined);
    expect(await prober.probe(target, probe, shortMs)).toEqual(err('no answer within 0.3 s'));
  });

  const misbehaviours: readonly (readonly [says: string, hear: (socket: Socket) => void, error: string])[] = [
    ['says nothing', () => undefined, 'no answer within 0.3 s'],
    ['speaks HTTP/1.1', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'), 'malformed answer'],
    ['sends garbage', (socket: Socket) => void socket.write(Buffer.alloc(4_096, 0xa5)), 'malformed answer'],
    ['ends', (socket: Socket) => void socket.end(), 'connection lost'],
    ['resets the connection', (socket: Socket) => void socket.resetAndDestroy(), 'connection lost'],
    ['sends octets slowly', trickle, 'no answer within 0.3 s'],
  ];
  it.for(misbehaviours)(
    'fails if the target %s, and leaves no connection',
    async ([_name, hear, error], { cleanUp }) => {
      const server = await startProbedServer(hear);
      cleanUp.add(() => server.close());
      expect(await prober.probe(server.target, probe, shortMs)).toEqual(err(error));
      await server.allClosed();
    },
  );

  it.for([
    ['a status of HTTP', { ':status': 503 }, 'status 503'],
    ['a page', { ':status': 200, 'content-type': 'text/html' }, 'not gRPC'],
    ['a redirect', { ':status': 302, location: 'http://127.0.0.1:1/' }, 'status 302'],
    ['no status of gRPC', { ':status': 200, 'content-type': 'application/grpc' }, 'malformed answer'],
    ['a head alone', { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, 'service unknown'],
    [
      'words for a status',
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 'x' },
      'malformed answer',
    ],
  ] as const)('fails for an answer with %s', async ([_name, headers, error], { cleanUp }) => {
    const target = await serveHttp2(cleanUp, (stream) => stream.respond(headers, { endStream: true }));
    expect(await prober.probe(target, probe, patientMs)).toEqual(err(error));
  });

  it.for([
    ['compressed message', [1, 0, 0, 0, 2, 8, 1]],
    ['message too many', [0, 0, 0, 0, 2, 8, 1, 0, 0, 0, 0, 2, 8, 1]],
    ['message that is cut off', [0, 0, 0, 0, 9, 8, 1]],
    ['message without a length', [0, 0]],
  ] as const)('fails for a %s instead of an answer', async ([_name, numbers], { cleanUp }) => {
    const target = await serveHttp2(cleanUp, (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from(numbers));
    });
    expect(await prober.probe(target, probe, patientMs)).toEqual(err('malformed answer'));
  });

  it('fails for a stream reset', async ({ cleanUp }) => {
    const target = await serveHttp2(cleanUp, (stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM));
    expect(await prober.probe(target, probe, patientMs)).toEqual(err('connection lost'));
  });

  it('bounds the body', async ({ cleanUp }) => {
    const target = await serveHttp2(cleanUp, (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.on('drain', () => void stream.write(Buffer.alloc(16_384)));
      stream.write(Buffer.alloc(65_536));
    });
    expect(await prober.probe(target, probe, patientMs)).toEqual(err('malformed answer'));
  });

  it('leaves no connection to a healthy target', async ({ cleanUp }) => {
    const address = tcpAddress((await answering(cleanUp, 8, 1)).address);
    const relay = await startProbedServer(
      () => undefined,
      (socket) => {
        const beyond = connect(address.port, address.host);
        socket.pipe(beyond).pipe(socket);
        beyond.on('error', () => socket.destroy());
      },
    );
    cleanUp.add(() => relay.close());
    expect(await prober.probe(relay.target, probe, patientMs)).toEqual(ok(undefined));
    await relay.allClosed();
  });
});
