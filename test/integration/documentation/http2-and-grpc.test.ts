import type { ClientHttp2Session } from 'node:http2';
import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { type Http2Upstream, startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { tlsConnection } from '../../support/gateway/tls-call.js';
import { mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** A message of gRPC: not compressed, five octets of prefix. */
const message = (...octets: readonly number[]): Buffer => Buffer.from([0, 0, 0, 0, octets.length, ...octets]);

let running: DocumentedGateway;
let orders: Http2Upstream;
let session: ClientHttp2Session;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const pki = new OpensslCertificates();
  cleanUp.add(() => pki.remove());
  const certificate = pki.authority('gateway.example');
  orders = await startHttp2Upstream(cleanUp, (stream, headers) => {
    // SERVING of grpc.health.v1, or an empty message for any call.
    const answer = headers[':path'] === '/grpc.health.v1.Health/Check' ? message(8, 1) : message();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-seen': String(headers['x-call']) }));
    stream.resume().on('end', () => stream.end(answer));
  });
  const web = new RecordingUpstream((_request, response) => response.end('web'));
  const webPort = await web.listen();
  cleanUp.add(() => web.close());
  running = await startDocumented(cleanUp, mainExample('docs/guides/http2-and-grpc.md'), {
    ports: { 50051: orders.port, 3001: webPort },
    texts: {
      '/etc/portcullis/cert.pem': folder.write('cert.pem', pemChain(certificate)),
      '/etc/portcullis/key.pem': folder.write('key.pem', certificate.key),
    },
  });
  session = http2Session(cleanUp, `http://127.0.0.1:${running.portOf(8081)}`);
});

describe('the guide to HTTP/2 and gRPC', () => {
  it('accepts gRPC calls without TLS, and forwards status and trailers', async () => {
    const headers = {
      ':method': 'POST',
      ':path': '/shop.v1.Orders/Get',
      'content-type': 'application/grpc',
      te: 'trailers',
      'x-call': '7',
    };
    const answer = await http2Call(session, headers, message(8, 7));
    expect(answer).toMatchObject({ status: 200, code: 0 });
    expect(answer.body).toEqual(message());
    expect(answer.trailers).toEqual(expect.arrayContaining(['grpc-status', '0', 'x-seen', '7']));
  });

  it('accepts HTTP/1.1 on the same listener, and sends each version to each kind of upstream', async () => {
    const { accessRecords } = running;
    expect((await running.ask(8081, { path: '/page' })).body).toBe('web');
    expect((await http2Call(session, { ':path': '/page' })).body.toString()).toBe('web');
    expect((await running.ask(8081, { path: '/shop.v1.Orders/Get', method: 'POST' })).status).toBe(200);
    expect(new Set(accessRecords.map(({ protocol }) => protocol))).toEqual(new Set(['HTTP/1.1', 'HTTP/2.0']));
  });

  it('offers HTTP/2 with TLS, and HTTP/1.1 to other clients', async ({ cleanUp }) => {
    const port = running.portOf(8443);
    const secure = http2Session(cleanUp, `https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    expect((await http2Call(secure, { ':path': '/page' })).body.toString()).toBe('web');
    for (const [offered, agreed] of [
      [['h2', 'http/1.1'], 'h2'],
      [['http/1.1'], 'http/1.1'],
    ] as const) {
      const socket = await tlsConnection(
        { host: '127.0.0.1', port },
        { ALPNProtocols: [...offered], rejectUnauthorized: false },
      );
      expect(socket.alpnProtocol).toBe(agreed);
      socket.destroy();
    }
  });

  it('refuses CONNECT, a conflicting Host, and a WebSocket to an HTTP/2 upstream', async ({ cleanUp }) => {
    expect((await http2Call(session, { ':path': '/', ':authority': 'a.example', host: 'b.example' })).status).toBe(400);
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'x',
      'Sec-WebSocket-Version': '13',
    };
    const path = '/shop.v1.Orders/Get';
    // The answer to a plain request.
    expect((await call(running.portOf(8081), { path, headers: upgrade })).status).toBe(200);
    const another = http2Session(cleanUp, `http://127.0.0.1:${running.portOf(8081)}`);
    const stream = another.request({ ':method': 'CONNECT', ':authority': 'a.example:80' });
    const status = await new Promise((resolve) => stream.on('response', (fields) => resolve(fields[':status'])));
    stream.on('error', () => undefined).close();
    expect(status).toBe(501);
  });
});
