import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import type { HealthProbe } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { err, ok, type Result } from '../../../../../src/domain/shared/result.js';
import { type ProbedServer, startProbedServer } from '../../../../support/gateway/probed-server.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';

const prober = new NodeHealthProber();
const get: Extract<HealthProbe, { readonly path: string }> = {
  kind: 'http',
  path: '/health?deep=1',
  expectedStatuses: [200, 204],
  host: null,
};
/** For checks that end by themselves. */
const patientMs = 20_000;
/** For checks that are meant to last until then. */
const shortMs = 150;

const serve = async (
  cleanUp: CleanUp,
  hear: (socket: Socket, octets: Buffer) => void,
  accept?: (socket: Socket) => void,
) => {
  const server = await startProbedServer(hear, accept);
  cleanUp.add(() => server.close());
  return server;
};

/** What a check comes to, once its connection is closed. */
const probed = async (server: ProbedServer, timeoutMs = patientMs): Promise<Result<void, string>> => {
  const result = await prober.probe(server.target, get, timeoutMs);
  await server.allClosed();
  return result;
};

const answering = (cleanUp: CleanUp, text: string) => serve(cleanUp, (socket) => void socket.write(text));

describe('an HTTP health check', () => {
  it('sends GET with the configured path and host on a new connection', async ({ cleanUp }) => {
    const server = await answering(cleanUp, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await probed(server)).toEqual(ok(undefined));
    const [line, ...fields] = server.received().toLowerCase().trimEnd().split('\r\n');
    expect(line).toBe('get /health?deep=1 http/1.1');
    expect(fields.sort()).toEqual([
      'accept: */*',
      'connection: close',
      'host: api.test:8080',
      'user-agent: portcullis-health-check',
    ]);
  });

  it('uses another host if configured', async ({ cleanUp }) => {
    const server = await answering(cleanUp, 'HTTP/1.1 204 No Content\r\n\r\n');
    expect(await prober.probe(server.target, { ...get, host: 'other.test' }, patientMs)).toEqual(ok(undefined));
    expect(server.received()).toContain('Host: other.test\r\n');
  });

  it.for([
    [
      'a status that is not expected',
      'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 900\r\n\r\n<secret>',
      'status 503',
    ],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n', 'status 302'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nsecret',
      'status 101',
    ],
    ['what is no HTTP', 'SSH-2.0-secret\r\n', 'malformed answer'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX-Secret: ${'x'.repeat(50_000)}`, 'malformed answer'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 'malformed answer'],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsecret', 'malformed answer'],
  ] as const)('fails for %s without repeating it', async ([_name, text, error], { cleanUp }) => {
    expect(await probed(await answering(cleanUp, text))).toEqual(err(error));
  });

  it('ignores interim responses', async ({ cleanUp }) => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(20);
    expect(await probed(await answering(cleanUp, `${interim}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`))).toEqual(
      ok(undefined),
    );
  });

  it('fails if nothing listens', async () => {
    const target = { address: { host: '127.0.0.1', port: await freePort() }, authority: 'api.test:8080', tls: null };
    expect(await prober.probe(target, get, patientMs)).toEqual(err('connection refused'));
  });

  it.for([
    ['ends', (socket: Socket) => socket.destroy()],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
    ['breaks off within the body', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx')],
  ] as const)('fails if the target %s', async ([_name, hear], { cleanUp }) => {
    expect(await probed(await serve(cleanUp, hear))).toEqual(err('connection lost'));
  });

  it('times out', async ({ cleanUp }) => {
    expect(await probed(await serve(cleanUp, () => undefined), shortMs)).toEqual(err('no answer within 0.15 s'));
  });

  it.for([
    ['a head', 'HTTP/1.1 200 OK\r\n', 'X-A: b\r\n', 'no answer within 0.15 s'],
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'no answer within 0.15 s'],
    ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n', 'x', 'no complete answer within 0.15 s'],
  ] as const)('times out for a target that sends %s slowly', async ([_name, first, piece, error], { cleanUp }) => {
    const server = await serve(cleanUp, (socket) => {
      socket.write(first);
      const timer = setInterval(() => socket.write(piece), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await probed(server, shortMs)).toEqual(err(error));
  });

  it('reads at most 64 KiB of a response', async ({ cleanUp }) => {
    let sent = 0;
    const pour = (socket: Socket): void => {
      while (!socket.destroyed && socket.write('x'.repeat(16_384))) sent += 16_384;
    };
    const server = await serve(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('drain', () => pour(socket));
      pour(socket);
    });
    expect(await probed(server)).toEqual(ok(undefined));
    // What the system keeps for a connection is not read.
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  it.for([
    ['path', { ...get, path: '/a path' }, 'failed: ERR_UNESCAPED_CHARACTERS'],
    ['host', { ...get, host: 'a\r\nX-Injected: 1' }, 'failed: ERR_INVALID_CHAR'],
  ] as const)('sends nothing if the %s is invalid', async ([_name, probe, error], { cleanUp }) => {
    const server = await answering(cleanUp, 'HTTP/1.1 200 OK\r\n\r\n');
    expect(await prober.probe(server.target, probe, patientMs)).toEqual(err(error));
    expect(server.received()).toBe('');
  });
});

describe('a TCP health check', () => {
  const tcp: HealthProbe = { kind: 'tcp' };

  it('succeeds with a connection, without sending', async ({ cleanUp }) => {
    const server = await serve(cleanUp, () => undefined);
    expect(await prober.probe(server.target, tcp, patientMs)).toEqual(ok(undefined));
    await server.allClosed();
    expect(server.received()).toBe('');
  });

  it('fails if nothing listens', async () => {
    const target = { address: { host: '127.0.0.1', port: await freePort() }, authority: 'api.test:8080', tls: null };
    expect(await prober.probe(target, tcp, patientMs)).toEqual(err('connection refused'));
  });
});
