import { describe, expect, it } from 'vitest';
import type { SessionAdministration } from '../../../../../src/application/ports/shared/session-administration.js';
import {
  type AdministeredAgent,
  AnswerSessions,
} from '../../../../../src/application/shared/administration/answer-sessions.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { heldAdministration } from '../../../../support/agent/held-administration.js';
import { hashOf, hourMs, noonMs, testSession } from '../../../../support/agent/test-sessions.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const answersOf = (agents: () => readonly AdministeredAgent[], logger = new RecordingLogger()) =>
  new AnswerSessions(agents, logger);

const agentOf = (name: string, sessions: SessionAdministration | null) => ({ name, sessions: () => sessions });

const asked = async (answers: AnswerSessions, target: string, method = 'GET') => {
  const [path = '', query = ''] = target.split('?');
  const { status, body, audited } = await answers.answer({ method, path, query, correlationId: 'c' });
  return { status, audited, json: body === '' ? null : JSON.parse(body) };
};

const id = (name: string) => hashOf(name).slice(0, 16);

describe('/admin/sessions', () => {
  it('shows active sessions of all agents, without claims and attributes, each store once', async () => {
    const shared = await heldAdministration(
      [
        testSession('one', { attributes: [{ name: 'groups', values: ['secret-group'] }], details: { x: 'secret' } }),
        testSession('over', { expiresMs: noonMs + 1 }),
        testSession('idle', { lastSeenMs: noonMs - hourMs }),
      ],
      1.5 * hourMs,
    );
    const own = await heldAdministration([testSession('two', { userId: 'bob', method: 'oidc' })]);
    const agents = [agentOf('b', own), agentOf('c', shared), agentOf('a', shared), agentOf('none', null)];
    const { status, json } = await asked(
      answersOf(() => [...agents, { name: 'remote' }]),
      '/admin/sessions',
    );
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
    const [one, two] = [await heldAdministration(many('x', 7)), await heldAdministration(many('y', 5))];
    const answers = answersOf(() => [agentOf('a:1/ü', one), agentOf('b', two), agentOf('c', two)]);
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
    'id=',
    'id=0123456',
    'id=0123456g',
    'id=01234567&user=a',
    'id=01234567&id=01234567',
    'after=%25:',
  ])('refuses the query %s', async (query) => {
    const answers = answersOf(() => []);
    expect(await asked(answers, `/admin/sessions?${query}`)).toMatchObject({ status: 400 });
  });

  it('revokes one session, and says whose', async () => {
    const sessions = await heldAdministration([testSession('one'), testSession('two')]);
    const answers = answersOf(() => [agentOf('auth', sessions)]);
    expect(await asked(answers, `/admin/sessions/${id('one').toUpperCase()}`, 'DELETE')).toEqual({
      status: 204,
      json: null,
      audited: { subject: 'alice', auth_method: 'saml', agent: 'auth', session: id('one') },
    });
    expect(await asked(answers, `/admin/sessions/${id('one')}`, 'DELETE')).toMatchObject({ status: 404 });
    expect((await asked(answers, '/admin/sessions')).json.sessions).toHaveLength(1);
  });

  it('revokes nothing by an unknown, short, long or ambiguous id', async () => {
    const twin = `${id('one')}${'0'.repeat(48)}`;
    const sessions = await heldAdministration([testSession('one'), testSession('two', { idHash: twin })]);
    const answers = answersOf(() => [agentOf('auth', sessions)]);
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
    const answer = await answersOf(() => []).answer({ method, path, query: '', correlationId: 'c' });
    expect(answer.status).toBe(405);
    expect(answer.headers).toContain(allow);
  });

  it('finds sessions by the start of their ids', async () => {
    const sessions = await heldAdministration([testSession('one'), testSession('two')]);
    const answers = answersOf(() => [agentOf('auth', sessions)]);
    for (const start of [hashOf('one'), id('one').slice(0, 8).toUpperCase()]) {
      const { status, json } = await asked(answers, `/admin/sessions?id=${start}`);
      expect([status, json]).toEqual([200, { sessions: [expect.objectContaining({ id: id('one') })] }]);
    }
    expect((await asked(answers, '/admin/sessions?id=00000000')).json).toEqual({ sessions: [] });
  });

  it('begins with the first agent if the position has no agent', async () => {
    const sessions = await heldAdministration([testSession('one'), testSession('two'), testSession('three')]);
    const answers = answersOf(() => [agentOf('auth', sessions)]);
    const { json } = await asked(answers, '/admin/sessions?limit=1');
    const position = json.next.slice(json.next.indexOf(':'));
    const rest = await asked(answers, `/admin/sessions?after=${encodeURIComponent(position)}`);
    expect(rest.json.sessions).toHaveLength(2);
    expect(rest.json.sessions).not.toContainEqual(json.sessions[0]);
  });

  const failing: SessionAdministration = {
    store: {},
    list: async () => err('the session store cannot be used: x'),
    find: async () => err('the session store cannot be used: x'),
    revoke: async () => err('the session store cannot be used: x'),
  };

  it('answers 503 if no store can be used', async () => {
    const answers = answersOf(() => [agentOf('auth', failing)]);
    for (const [path, method] of [
      ['/admin/sessions', 'GET'],
      ['/admin/sessions?id=01234567', 'GET'],
      [`/admin/sessions/${id('one')}`, 'DELETE'],
    ] as const) {
      const { status, json } = await asked(answers, path, method);
      expect([status, json.code]).toEqual([503, 'agent_unavailable']);
      expect(json.detail).toContain('the session store cannot be used: x');
    }
  });

  it('names and logs agents that are unavailable beside the sessions of others', async () => {
    const logger = new RecordingLogger();
    const sessions = await heldAdministration([testSession('one')]);
    const agents = [agentOf('a', failing), agentOf('b', sessions), agentOf('c', { ...failing, store: {} })];
    const answers = answersOf(() => agents, logger);
    for (const target of ['/admin/sessions', `/admin/sessions?id=${id('one')}`]) {
      const { status, json } = await asked(answers, target);
      expect([status, json]).toEqual([
        200,
        { sessions: [expect.objectContaining({ id: id('one'), agent: 'b' })], unavailable: ['a', 'c'] },
      ]);
    }
    expect(logger.lines.map(({ level, fields }) => [level, fields?.['agent']])).toEqual(
      ['a', 'c', 'a', 'c'].map((agent) => ['warn', agent]),
    );
  });

  it('answers 503 to a DELETE, not 404, while an agent that may have the session is unavailable', async () => {
    const sessions = await heldAdministration([testSession('one')]);
    const answers = answersOf(() => [agentOf('a', sessions), agentOf('b', failing)]);
    expect(await asked(answers, `/admin/sessions/${id('two')}`, 'DELETE')).toMatchObject({ status: 503 });
    expect(await asked(answers, `/admin/sessions/${id('one')}`, 'DELETE')).toMatchObject({ status: 204 });
  });

  it('lists a session of agents in two processes with one store once, and revokes it at both', async () => {
    const revokedBy: string[] = [];
    const sessions = await heldAdministration([testSession('one')]);
    const process = (name: string): SessionAdministration => ({
      store: {},
      list: (query) => sessions.list(query),
      find: (prefix) => sessions.find(prefix),
      revoke: (session, correlationId) => {
        revokedBy.push(`${name} ${correlationId}`);
        return sessions.revoke(session);
      },
    });
    const agents = [agentOf('b', process('b')), agentOf('a', process('a'))];
    const answers = answersOf(() => agents);
    expect((await asked(answers, '/admin/sessions')).json).toEqual({
      sessions: [expect.objectContaining({ agent: 'a' })],
    });
    expect(await asked(answers, `/admin/sessions/${id('one')}`, 'DELETE')).toMatchObject({ status: 204 });
    expect(revokedBy).toEqual(['a c', 'b c']);
  });
});
