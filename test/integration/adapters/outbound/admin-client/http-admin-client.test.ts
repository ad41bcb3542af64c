import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpAdminClient } from '../../../../../src/adapters/outbound/admin-client/http-admin-client.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

let server: Server | ReturnType<typeof createSocketServer> | null = null;
afterEach(() => {
  if (server !== null && 'closeAllConnections' in server) server.closeAllConnections();
  server?.close();
  server = null;
});

const listening = async (started: NonNullable<typeof server>) => {
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return { host: '127.0.0.1', port: (started.address() as AddressInfo).port };
};

const token = new Secret('gute-Nacht-Ü');
const post = async (answer: RequestListener, deadlineMs = 10_000) =>
  new HttpAdminClient(deadlineMs).post(await listening(createServer(answer)), '/admin/reload', token);

describe('the admin endpoints of another process', () => {
  it('are called with the token and without a body', async () => {
    const seen: IncomingMessage[] = [];
    const answered = await post((request, response) => {
      seen.push(request);
      response.end('{"reloaded":true}');
    });
    expect(answered).toEqual({ ok: true, value: { status: 200, body: { reloaded: true } } });
    const [request] = seen;
    expect([request?.method, request?.url, request?.headers['content-length']]).toEqual(['POST', '/admin/reload', '0']);
    const sent = Buffer.from(request?.headers.authorization ?? '', 'latin1').toString('utf8');
    expect(sent).toBe('Bearer gute-Nacht-Ü');
  });

  it('have redirects that are not followed', async () => {
    let asked = 0;
    const answered = await post((_request, response) => {
      asked += 1;
      response.writeHead(307, { Location: '/admin/reload' }).end();
    });
    expect(answered).toEqual({ ok: true, value: { status: 307, body: null } });
    expect(asked).toBe(1);
  });

  it('that nothing serves are reported as unreachable', async () => {
    const address = await listening(createServer());
    await new Promise((resolve) => server?.close(resolve));
    server = null;
    expect(await new HttpAdminClient(5_000).post(address, '/', token)).toMatchObject({
      ok: false,
      error: { kind: 'nobody_listens' },
    });
  });

  it('time out without a complete response', async () => {
    expect(await post(() => undefined, 50)).toMatchObject({ ok: false, error: { kind: 'timed_out' } });
    expect(await post((_request, response) => void response.write('{'), 50)).toMatchObject({
      ok: false,
      error: { kind: 'timed_out' },
    });
  });

  it('fail with an oversized response or without HTTP', async () => {
    const endless: RequestListener = (_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536, 32)));
        response.once('drain', more);
      };
      more();
    };
    expect(await post(endless)).toMatchObject({ ok: false, error: { kind: 'failed' } });
    const address = await listening(createSocketServer((socket) => socket.end('SSH-2.0\r\n')));
    expect(await new HttpAdminClient(5_000).post(address, '/', token)).toMatchObject({
      ok: false,
      error: { kind: 'failed' },
    });
  });
});
