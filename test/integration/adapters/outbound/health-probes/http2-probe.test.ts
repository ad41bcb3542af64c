import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { type ProbedServer, startProbedServer } from '../../../../support/gateway/probed-server.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';

const prober = new NodeHealthProber();
const get = { kind: 'http2' as const, path: '/health?deep=1', expectedStatuses: [200, 204], host: null };
/** For checks that end by themselves. */
const patientMs = 20_000;
/** For checks that are meant to last until then. */
const shortMs = 300;

type Hear = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, cut: () => void) => void;

/** A server of HTTP/2 behind one that sees the connections: by its end a check has left none. */
const serve = async (cleanUp: CleanUp, hear: Hear): Promise<ProbedServer> => {
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('session', (session) => {
    session.on('error', () => undefined);
    session.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      hear(stream, headers, () => {
        for (const socket of sockets) socket.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const front = await startProbedServer(
    () => undefined,
    (socket) => {
      const behind = connect(port, '127.0.0.1');
      behind.on('error', () => socket.destroy());
      behind.on('close', () => socket.destroy());
      socket.on('close', () => behind.destroy());
      socket.pipe(behind);
      behind.pipe(socket);
    },
  );
  cleanUp.add(() => front.close());
  return front;
};

const probed = async (server: ProbedServer, timeoutMs = patientMs, probe = get) => {
  const result = await prober.probe(server.target, probe, timeoutMs);
  await server.allClosed();
  return result;
};

describe('an HTTP health check over HTTP/2', () => {
  it('sends GET with the configured path and host', async ({ cleanUp }) => {
    const asked: IncomingHttpHeaders[] = [];
    const server = await serve(cleanUp, (stream, headers) => {
      asked.push(Object.fromEntries(Object.entries(headers)));
      stream.respond({ ':status': 200 });
      stream.end('ok');
    });
    expect(await probed(server)).toEqual(ok(undefined));
    expect(asked).toEqual([
      {
        ':method': 'GET',
        ':scheme': 'http',
        ':path': '/health?deep=1',
        ':authority': 'api.test:8080',
        accept: '*/*',
        'user-agent': 'portcullis-health-check',
      },
    ]);
    expect(await prober.probe(server.target, { ...get, host: 'other.test' }, patientMs)).toEqual(ok(undefined));
    expect(asked[1]?.[':authority']).toBe('other.test');
  });

  it('accepts a response without a body, and does not wait for the end of a long one', async ({ cleanUp }) => {
    const empty = await serve(cleanUp, (stream) => stream.respond({ ':status': 204 }, { endStream: true }));
    expect(await probed(empty)).toEqual(ok(undefined));
    const long = await serve(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      stream.write(Buffer.alloc(100_000));
    });
    expect(await probed(long)).toEqual(ok(undefined));
  });

  it('ignores interim responses', async ({ cleanUp }) => {
    const server = await serve(cleanUp, (stream) => {
      stream.additionalHeaders({ ':status': 103 });
      stream.respond({ ':status': 204 }, { endStream: true });
    });
    expect(await probed(server)).toEqual(ok(undefined));
  });

  const cases: readonly (readonly [string, Hear, string])[] = [
    ['another status', (stream) => stream.respond({ ':status': 503 }, { endStream: true }), 'status 503'],
    ['a redirect', (stream) => stream.respond({ ':status': 302, location: '/' }, { endStream: true }), 'status 302'],
    ['a stream that is reset', (stream) => stream.destroy(new Error('reset')), 'connection lost'],
    [
      'a body that is cut by a reset',
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('begun', () => stream.destroy(new Error('cut')));
      },
      'connection lost',
    ],
    [
      'a body that is cut with its connection',
      (stream, _headers, cut) => {
        stream.respond({ ':status': 200 });
        stream.write('begun', cut);
      },
      'connection lost',
    ],
  ];
  it.for(cases)('fails for %s', async ([_name, hear, error], { cleanUp }) => {
    expect(await probed(await serve(cleanUp, hear))).toEqual(err(error));
  });

  it('fails without a complete response in time', async ({ cleanUp }) => {
    expect(await probed(await serve(cleanUp, () => undefined), shortMs)).toEqual(err('no answer within 0.3 s'));
    const half = await serve(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half');
    });
    expect(await probed(half, shortMs)).toEqual(err('no complete answer within 0.3 s'));
  });

  it('fails for a target with only HTTP/1.1, or none', async ({ cleanUp }) => {
    const old = await startProbedServer((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    cleanUp.add(() => old.close());
    expect(await probed(old)).toEqual(err('malformed answer'));
    const gone = { address: { host: '127.0.0.1', port: await freePort() }, authority: 'api.test:8080', tls: null };
    expect(await prober.probe(gone, get, patientMs)).toEqual(err('connection refused'));
  });
});
