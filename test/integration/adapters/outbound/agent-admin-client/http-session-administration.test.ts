import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { describe, expect } from 'vitest';
import {
  type AgentAdminAddress,
  HttpSessionAdministration,
} from '../../../../../src/adapters/outbound/agent-admin-client/http-session-administration.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { heldAdministration } from '../../../../support/agent/held-administration.js';
import { servedAdmin, servedAdminToken } from '../../../../support/agent/served-admin.js';
import { hashOf, hourMs, noonMs, testSession } from '../../../../support/agent/test-sessions.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const askedAt = (address: AgentAdminAddress['address'], more: Partial<AgentAdminAddress> = {}) =>
  new HttpSessionAdministration({
    address,
    token: new Secret(servedAdminToken),
    socketFault: async () => null,
    ...more,
  });

const all = { userId: null, limit: 10, after: null };
const id = hashOf('one').slice(0, 16);

/** An agent that answers every request in the same way. */
const lyingAgent = async (cleanUp: CleanUp, answer: RequestListener) => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port }, paths };
};

describe('the sessions of an agent in another process', () => {
  it('are listed in pages, of one user or of all', async ({ cleanUp }) => {
    const held = Array.from({ length: 7 }, (_, index) =>
      testSession(`s${index}`, { userId: index % 2 ? 'bob' : 'a&b' }),
    );
    const { address } = await servedAdmin(cleanUp, await heldAdministration(held));
    const remote = askedAt(address);
    for (const [userId, count] of [
      [null, 7],
      ['a&b', 4],
      ['nobody', 0],
    ] as const) {
      const ids: string[] = [];
      for (let after: string | null = null; ; ) {
        const page = await remote.list({ userId, limit: 2, after });
        if (!page.ok) throw new Error(page.error);
        ids.push(...page.value.sessions.map((session) => session.id));
        after = page.value.next;
        if (after === null) break;
      }
      expect([userId, new Set(ids).size, ids.length]).toEqual([userId, count, count]);
    }
  });

  it('are found and revoked by the start of their ids, over TCP and a unix socket', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    for (const wanted of [{ host: '127.0.0.1', port: 0 }, { path: folder.file('admin.sock') }]) {
      const held = await heldAdministration([testSession('one')]);
      const { address, records } = await servedAdmin(cleanUp, held, wanted);
      const remote = askedAt(address);
      for (const prefix of [id.slice(0, 8), hashOf('one')]) {
        expect(await remote.find(prefix)).toEqual({
          ok: true,
          value: [
            {
              id,
              userId: 'alice',
              method: 'saml',
              provider: 'https://idp.example',
              createdMs: noonMs,
              expiresMs: noonMs + 8 * hourMs,
              lastSeenMs: noonMs,
            },
          ],
        });
      }
      expect(await remote.revoke(id, 'ticket-42')).toEqual({ ok: true, value: true });
      expect(await remote.revoke(id, 'ticket-42')).toEqual({ ok: true, value: false });
      expect(await remote.find(id)).toEqual({ ok: true, value: [] });
      expect(records[0]?.members).toMatchObject({ correlation_id: 'ticket-42', session: id, subject: 'alice' });
    }
  });

  it('are unavailable with another token, which no error shows', async ({ cleanUp }) => {
    const { address } = await servedAdmin(cleanUp, await heldAdministration([testSession('one')]));
    const remote = askedAt(address, { token: new Secret('another-token') });
    for (const outcome of [await remote.list(all), await remote.find(id), await remote.revoke(id, 'ticket-42')]) {
      expect(outcome).toEqual({ ok: false, error: expect.stringContaining('refuses the token') });
      expect(JSON.stringify(outcome)).not.toContain('another-token');
    }
  });

  it('are unavailable if nobody listens', async ({ cleanUp }) => {
    const { address, server } = await servedAdmin(cleanUp, null);
    await server.close(0);
    expect(await askedAt(address).list(all)).toEqual({
      ok: false,
      error: expect.stringMatching(/^127\.0\.0\.1:\d+: no connection \(ECONNREFUSED\)$/),
    });
  });

  it('are not asked for at a socket of a stranger', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const { address, logger } = await servedAdmin(cleanUp, null, { path: folder.file('admin.sock') });
    const remote = askedAt(address, { socketFault: async (path) => `${path.length > 0} it belongs to user 7` });
    expect(await remote.revoke(id, 'ticket-42')).toEqual({
      ok: false,
      error: expect.stringContaining('it belongs to user 7'),
    });
    expect(logger.lines.filter(({ message }) => message.includes('refused'))).toEqual([]);
  });

  it('are unavailable if the agent does not answer in time', async ({ cleanUp }) => {
    const { address } = await lyingAgent(cleanUp, () => undefined);
    const { address: dripping } = await lyingAgent(cleanUp, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"sessions":');
    });
    for (const place of [address, dripping]) {
      const outcome = await askedAt(place, { deadlineMs: 100 }).find(id);
      expect(outcome).toEqual({ ok: false, error: expect.stringContaining('no answer within 100 ms') });
    }
  });

  it('are unavailable if the agent switches protocols', async ({ cleanUp }) => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const server = createSocketServer((socket) => socket.once('data', () => socket.write(switching)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void server.close());
    const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    expect(await askedAt(address).find(id)).toEqual({ ok: false, error: 'it answers 101' });
  });

  it('follow no redirect', async ({ cleanUp }) => {
    const { address, paths } = await lyingAgent(cleanUp, (_request, response) =>
      response.writeHead(307, { Location: '/elsewhere' }).end(),
    );
    expect(await askedAt(address).revoke(id, 'ticket-42')).toEqual({ ok: false, error: 'it answers 307' });
    expect(paths).toEqual([`/admin/sessions/${id}`]);
  });

  const session = {
    id,
    user: 'alice',
    method: 'saml',
    provider: 'p',
    created: '2026-01-02T03:04:05.006Z',
    expires: '2026-01-02T03:04:05.006Z',
    last_seen: '2026-01-02T03:04:05.006Z',
    agent: 'x',
  };

  it.for([
    ['no JSON', '<html>'],
    ['another shape', '{"sessions":[{"id":"x"}]}'],
    ['other users', JSON.stringify({ sessions: [{ ...session, user: 'root' }] })],
    ['more sessions than asked', JSON.stringify({ sessions: Array.from({ length: 11 }, () => session) })],
    ['more than 4 MiB', `{"sessions":[${' '.repeat(4_200_000)}]}`],
  ])('are unavailable if the agent answers with %s', async ([_name, body], { cleanUp }) => {
    const { address } = await lyingAgent(cleanUp, (_request, response) => response.end(body));
    expect(await askedAt(address).list({ ...all, userId: 'alice' })).toMatchObject({ ok: false });
  });

  it('are unavailable if the agent shows another session than the one asked for', async ({ cleanUp }) => {
    const { address } = await lyingAgent(cleanUp, (_request, response) =>
      response.end(JSON.stringify({ sessions: [session] })),
    );
    expect(await askedAt(address).find(id)).toMatchObject({ ok: true });
    expect(await askedAt(address).find('0123456789abcdef')).toMatchObject({ ok: false });
  });
});
