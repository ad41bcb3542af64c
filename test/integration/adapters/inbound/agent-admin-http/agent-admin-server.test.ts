import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { AdminAddressError } from '../../../../../src/adapters/inbound/agent-admin-http/agent-admin-server.js';
import type { SessionAdministration } from '../../../../../src/application/ports/shared/session-administration.js';
import { heldAdministration } from '../../../../support/agent/held-administration.js';
import { servedAdmin, servedAdminToken } from '../../../../support/agent/served-admin.js';
import { hashOf, testSession } from '../../../../support/agent/test-sessions.js';
import { it } from '../../../../support/shared/fixtures.js';
import { call } from '../../../../support/shared/http-call.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const authorized = { Authorization: `Bearer ${servedAdminToken}` };
const id = hashOf('one').slice(0, 16);

/** What a server writes to a connection until it closes it. */
const written = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (piece) => {
      answer += piece;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

describe('the admin endpoints of an agent', () => {
  it('list and revoke sessions, and audit who did it', async ({ cleanUp }) => {
    const { port, records, logger } = await servedAdmin(cleanUp, await heldAdministration([testSession('one')]));
    const listed = await call(port, { path: '/admin/sessions?user=alice', headers: authorized });
    expect([listed.status, JSON.parse(listed.body)]).toEqual([
      200,
      {
        sessions: [
          {
            id,
            user: 'alice',
            method: 'saml',
            provider: 'https://idp.example',
            created: expect.any(String),
            expires: expect.any(String),
            last_seen: expect.any(String),
            agent: 'gateway-auth',
          },
        ],
      },
    ]);
    expect(listed.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    const headers = { ...authorized, 'X-Correlation-Id': 'ticket-42' };
    const path = `/admin/sessions/${id}`;
    expect(await call(port, { path, method: 'DELETE', headers })).toMatchObject({ status: 204, body: '' });
    expect(await call(port, { path, method: 'DELETE', headers })).toMatchObject({ status: 404 });
    const request = { path, client_ip: '127.0.0.1', correlation_id: 'ticket-42', http_method: 'DELETE' };
    const session = { subject: 'alice', auth_method: 'saml', agent: 'gateway-auth', session: id };
    expect(records).toEqual([
      { event: 'admin', outcome: 'carried_out', members: { ...request, status: 204, ...session } },
      { event: 'admin', outcome: 'refused', members: { ...request, status: 404 } },
    ]);
    expect(logger.lines.map(({ message }) => message)).toContain('an admin request was carried out');
  });

  it('need the token for every path and method, and never show it', async ({ cleanUp }) => {
    const { port, records, logger } = await servedAdmin(cleanUp, await heldAdministration([testSession('one')]));
    const wrong = [
      {},
      { Authorization: 'Bearer let-me-i' },
      { Authorization: 'Bearer let-me-in2' },
      { Authorization: 'Basic bGV0LW1lLWlu' },
      { Authorization: 'Bearer ' },
      ['Host', 'x', 'Authorization', 'Bearer let-me-in', 'Authorization', 'Bearer let-me-in'],
      { 'X-Authorization': 'Bearer let-me-in' },
    ];
    for (const headers of wrong) {
      for (const [path, method] of [
        ['/admin/sessions', 'GET'],
        [`/admin/sessions/${id}`, 'DELETE'],
        ['/', 'GET'],
        ['/admin/sessions?user=', 'POST'],
      ] as const) {
        const answer = await call(port, { path, method, headers });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portcullis-admin"']);
        expect(JSON.parse(answer.body).code).toBe('admin_unauthorized');
      }
    }
    expect(records.every(({ outcome }) => outcome === 'denied')).toBe(true);
    expect(JSON.stringify([records, logger.lines])).not.toContain('let-me-in');
  });

  it.for([
    ['POST', '/admin/sessions', 405, 'GET, HEAD'],
    ['DELETE', '/admin/sessions', 405, 'GET, HEAD'],
    ['GET', `/admin/sessions/${id}`, 405, 'DELETE'],
    ['PUT', `/admin/sessions/${id}`, 405, 'DELETE'],
    ['GET', '/admin/sessions?limit=x', 400, undefined],
    ['GET', '/metrics', 404, undefined],
    ['POST', '/admin/reload', 404, undefined],
    ['GET', 'http://127.0.0.1/admin/sessions', 404, undefined],
  ] as const)('answer %s %s with %i', async ([method, path, status, allow], { cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, await heldAdministration([]));
    const answer = await call(port, { method, path, headers: authorized });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });

  it('have no sessions before a configuration with a sign-on is in force', async ({ cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, null);
    const listed = await call(port, { path: '/admin/sessions', headers: authorized });
    expect([listed.status, JSON.parse(listed.body)]).toEqual([200, { sessions: [] }]);
  });

  it('answer HEAD without a body', async ({ cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, await heldAdministration([testSession('one')]));
    const answer = await call(port, { method: 'HEAD', path: '/admin/sessions', headers: authorized });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
  });

  it.for([
    ['a body by length', 'Content-Length: 900000\r\n', '413'],
    ['a body in chunks', 'Transfer-Encoding: chunked\r\n', '413'],
    ['a head of 20 KB', `X-Long: ${'x'.repeat(20_000)}\r\n`, '431'],
  ])('refuse %s and close the connection', async ([_name, field, status], { cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, await heldAdministration([testSession('one')]));
    const head = `DELETE /admin/sessions/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${servedAdminToken}\r\n`;
    expect(await written(port, `${head}${field}\r\n`)).toContain(`HTTP/1.1 ${status} `);
    const listed = await call(port, { path: '/admin/sessions', headers: authorized });
    expect(JSON.parse(listed.body).sessions).toHaveLength(1);
  });

  it('close connections beyond 64, and serve again when others have ended', async ({ cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, await heldAdministration([]));
    const idle = await Promise.all(
      Array.from(
        { length: 64 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(port, '127.0.0.1', () => resolve(socket));
          }),
      ),
    );
    cleanUp.add(() => {
      for (const socket of idle) socket.destroy();
    });
    await expect(call(port, { path: '/admin/sessions', headers: authorized })).rejects.toThrow();
    for (const socket of idle.slice(0, 32)) socket.destroy();
    await expect
      .poll(() => call(port, { path: '/admin/sessions', headers: authorized }).then(({ status }) => status, String))
      .toBe(200);
  });

  it('end a connection whose request head does not arrive in time', async ({ cleanUp }) => {
    const { port } = await servedAdmin(cleanUp, null, { host: '127.0.0.1', port: 0 }, 100);
    expect(await written(port, 'GET /admin/sessions HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toContain('HTTP/1.1 408 ');
  });

  it('are served on a unix socket, which only its user and group can use', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const path = folder.file('admin.sock');
    const { server } = await servedAdmin(cleanUp, null, { path });
    const { statSync } = await import('node:fs');
    expect(statSync(path).mode & 0o777).toBe(0o660);
    await expect(servedAdmin(cleanUp, null, { path })).rejects.toThrow(AdminAddressError);
    await server.close(0);
    await expect(servedAdmin(cleanUp, null, { path: folder.file('none/admin.sock') })).rejects.toThrow(
      /cannot serve admin endpoints on unix:.*directory/,
    );
  });

  it('answer 500 without details if the administration fails unexpectedly', async ({ cleanUp }) => {
    const failing = {
      store: {},
      list: () => Promise.reject(new Error('secret detail')),
    } as unknown as SessionAdministration;
    const { port, logger } = await servedAdmin(cleanUp, failing);
    const { status, body } = await call(port, { path: '/admin/sessions', headers: authorized });
    expect(status).toBe(500);
    expect(body).not.toContain('secret detail');
    expect(logger.lines.map(({ message }) => message)).toContain('an admin endpoint failed');
  });
});
