import { describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { AdministerSessions } from '../../../../../src/application/agent/sessions/administer-sessions.js';
import { SessionCache } from '../../../../../src/application/agent/sessions/session-cache.js';
import { AnswerSessions } from '../../../../../src/application/gateway/report-status/answer-sessions.js';
import type { SessionAdministration } from '../../../../../src/application/ports/shared/session-administration.js';
import type { Session } from '../../../../../src/domain/agent/sessions/session.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { hashOf, hourMs, noonMs, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const administration = async (sessions: readonly Session[], idleMs: number | null = null) => {
  const stores = await succeeded(new MemoryStoreOpener().open({ kind: 'memory' }));
  for (const session of sessions) await succeeded(stores.sessions.insert(session));
  const clock = new ManualClock(noonMs + hourMs);
  return new AdministerSessions({ stores, known: new SessionCache(stores.sessions, clock) }, clock, idleMs);
};

const agentOf = (name: string, sessions: SessionAdministration | null) => ({ name, sessions: () => sessions });

const asked = async (answers: AnswerSessions, target: string, method = 'GET') => {
  const [path = '', query = ''] = target.split('?');
  const { status, body, audited } = await answers.answer({ method, path, query, correlationId: 'c' });
  return { status, audited, json: body === '' ? null : JSON.parse(body) };
};

const id = (name: string) => hashOf(name).slice(0, 16);

describe('/admin/sessions', () => {
  it('shows active sessions of all agents, without claims and attributes, each store once', async () => {
    const shared = await administration(
      [
        testSession('one', { attributes: [{ name: 'groups', values: ['secret-group'] }], details: { x: 'secret' } }),
        testSession('over', { expiresMs: noonMs + 1 }),
        testSession('idle', { lastSeenMs: noonMs - hourMs }),
      ],
      1.5 * hourMs,
    );
    const own = await administration([testSession('two', { userId: 'bob', method: 'oidc' })]);
    const agents = [agentOf('b', own), agentOf('c', shared), agentOf('a', shared), agentOf('none', null)];
    const { status, json } = await asked(new AnswerSessions(() => [...agents, { name: 'remote' }]), '/admin/sessions');
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        sessions: [
          {
            id: id('one'),
            user: 'alice',
            method: 'saml',
            provider: 'https://idp.example',
            created: '2026-09-21T14:13:20.000Z',
            expires: '2026-09-21T22:13:20.000Z',
            last_seen: '2026-09-21T14:13:20.000Z',
            agent: 'a',
          },
          expect.objectContaining({ id: id('two'), user: 'bob', method: 'oidc', agent: 'b' }),
        ],
      },
    });
    expect(JSON.stringify(json)).not.toContain('secret');
  });

  it('shows every session once over pages of any size, of one user or of all', async () => {
    const many = (of: string, count: number) =>
      Array.from({ length: count }, (_, index) => testSession(`${of}${index}`, { userId: index % 2 ? 'bob' : 'a b' }));
    const [one, two] = [await administration(many('x', 7)), await administration(many('y', 5))];
    const answers = new AnswerSessions(() => [agentOf('a:1/ü', one), agentOf('b', two), agentOf('c', two)]);
    for (const limit of [1, 2, 3, 7, 12, 1000]) {
      for (const [user, count] of [
        ['', 12],
        ['&user=a+b', 7],
        ['&user=nobody', 0],
      ] as const) {
        const ids: string[] = [];
        for (let after = ''; ; ) {
          const { status, json } = await asked(answers, `/admin/sessions?limit=${limit}${user}${after}`);
          expect(status).toBe(200);
          expect(json.sessions.length).toBeLessThanOrEqual(limit);
          ids.push(...json.sessions.map((session: { id: string }) => session.id));
          if (json.next === undefined) break;
          after = `&after=${encodeURIComponent(json.next)}`;
        }
        expect([limit, user, ids.length, new Set(ids).size]).toEqual([limit, user, count, count]);
      }
    }
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=1&limit=2',
    'user=',
    'after=x',
    'after=b:zz',
    'after=b',
    'x=1',
    'after=%25:',
  ])('refuses the query %s', async (query) => {
    const answers = new AnswerSessions(() => []);
    expect(await asked(answers, `/admin/sessions?${query}`)).toMatchObject({ status: 400 });
  });

  it('revokes one session, and says whose', async () => {
    const sessions = await administration([testSession('one'), testSession('two')]);
    const answers = new AnswerSessions(() => [agentOf('auth', sessions)]);
    expect(await asked(answers, `/admin/sessions/${id('one').toUpperCase()}`, 'DELETE')).toEqual({
      status: 204,
      json: null,
      audited: { subject: 'alice', auth_method: 'saml', agent: 'auth' },
    });
    expect(await asked(answers, `/admin/sessions/${id('one')}`, 'DELETE')).toMatchObject({ status: 404 });
    expect((await asked(answers, '/admin/sessions')).json.sessions).toHaveLength(1);
  });

  it('revokes nothing by an unknown, short, long or ambiguous id', async () => {
    const twin = `${id('one')}${'0'.repeat(48)}`;
    const sessions = await administration([testSession('one'), testSession('two', { idHash: twin })]);
    const answers = new AnswerSessions(() => [agentOf('auth', sessions)]);
    for (const wrong of ['', '0000000000000000', id('one').slice(0, 7), `${hashOf('one')}0`, id('one'), '..%2f', '*']) {
      const { status, json } = await asked(answers, `/admin/sessions/${wrong}`, 'DELETE');
      expect([wrong, status, json.code]).toEqual([wrong, 404, 'no_such_session']);
    }
    expect((await asked(answers, '/admin/sessions')).json.sessions).toHaveLength(2);
  });

  it.each([
    ['/admin/sessions', 'DELETE', 'GET, HEAD'],
    ['/admin/sessions', 'POST', 'GET, HEAD'],
    ['/admin/sessions/0123456789abcdef', 'GET', 'DELETE'],
  ])('%s refuses %s', async (path, method, allow) => {
    const answer = await new AnswerSessions(() => []).answer({ method, path, query: '', correlationId: 'c' });
    expect(answer.status).toBe(405);
    expect(answer.headers).toContain(allow);
  });

  it('reports a store that cannot be used', async () => {
    const failing: SessionAdministration = {
      store: {},
      list: async () => err('the session store cannot be used: x'),
      find: async () => err('the session store cannot be used: x'),
      revoke: async () => err('the session store cannot be used: x'),
    };
    const answers = new AnswerSessions(() => [agentOf('auth', failing)]);
    for (const [path, method] of [
      ['/admin/sessions', 'GET'],
      [`/admin/sessions/${id('one')}`, 'DELETE'],
    ] as const) {
      const { status, json } = await asked(answers, path, method);
      expect([status, json.code]).toEqual([503, 'agent_unavailable']);
      expect(json.detail).toContain('the session store cannot be used: x');
    }
  });
});
