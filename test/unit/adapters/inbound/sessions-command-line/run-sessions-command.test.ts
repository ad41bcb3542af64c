import { describe, expect, it } from 'vitest';
import { runSessionsCommand } from '../../../../../src/adapters/inbound/sessions-command-line/run-sessions-command.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { sessionsBench } from '../../../../support/agent/sessions-command.js';
import { hashOf, hourMs, noonMs, testSession } from '../../../../support/agent/test-sessions.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const id = (name: string): string => hashOf(name);
const short = (name: string): string => hashOf(name).slice(0, 12);

describe('gateway-auth sessions', () => {
  it('lists sessions, the latest first, and says which still count', async () => {
    const bench = await sessionsBench([
      testSession('one'),
      testSession('two', { userId: 'bob', createdMs: noonMs - hourMs, expiresMs: noonMs, lastSeenMs: noonMs }),
    ]);
    expect(await bench.run('list')).toEqual({
      stdout: [
        'ID            USER   STATE    CREATED               EXPIRES               LAST SEEN             METHOD  PROVIDER',
        `${short('one')}  alice  active   2026-09-21T14:13:20Z  2026-09-21T22:13:20Z  2026-09-21T14:13:20Z  saml    https://idp.example`,
        `${short('two')}  bob    expired  2026-09-21T13:13:20Z  2026-09-21T14:13:20Z  2026-09-21T14:13:20Z  saml    https://idp.example`,
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    });
    expect(bench.closed()).toBe(1);
  });

  it('lists sessions of one user up to the limit, and reports more', async () => {
    const mine = ['a', 'b', 'c'].map((name) => testSession(name));
    const bench = await sessionsBench([...mine, testSession('d', { userId: 'bob' })]);
    const { stdout, stderr } = await bench.run('list', '--user', 'alice', '--limit', '2', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ user: 'alice' }, { user: 'alice' }], more: true });
    expect(stderr).toBe('');
    expect(await bench.run('list', '--user', 'alice', '--limit', '2')).toMatchObject({
      stderr: 'there are more sessions: raise --limit\n',
    });
    const all = await bench.run('list', '--user', 'alice', '--limit', '3', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({ sessions: { length: 3 }, more: false });
    expect(await bench.run('list', '--user', 'carol')).toEqual({
      stdout: '',
      stderr: 'there are no sessions\n',
      exitCode: 0,
    });
  });

  it('lists more than one page of a store', async () => {
    const bench = await sessionsBench(Array.from({ length: 250 }, (_, index) => testSession(`${index}`)));
    const { stdout } = await bench.run('list', '--limit', '220', '--json');
    const ids = (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions.map((session) => session.id);
    expect(new Set(ids).size).toBe(220);
  });

  it('shows everything of one', async () => {
    const bench = await sessionsBench([
      testSession('one', {
        logout: { subject: 'alice@example.com', session: '_7' },
        details: { name_id_format: 'urn:f' },
        attributes: [
          { name: 'groups', values: ['staff', 'editors'] },
          { name: 'none', values: [] },
        ],
      }),
    ]);
    const { stdout, exitCode } = await bench.run('show', short('one'));
    expect({ lines: stdout.split('\n'), exitCode }).toEqual({
      lines: [
        `id             ${id('one')}`,
        'user           alice',
        'state          active',
        'created        2026-09-21T14:13:20Z',
        'expires        2026-09-21T22:13:20Z',
        'last seen      2026-09-21T14:13:20Z',
        'method         saml',
        'provider       https://idp.example',
        'session index  _7',
        'name id        alice@example.com',
        'format         urn:f',
        'attributes',
        '  groups  staff',
        '  groups  editors',
        '  none',
        '',
      ],
      exitCode: 0,
    });
    const json = await bench.run('show', id('one').slice(0, 8), '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: id('one'),
      session_index: '_7',
      attributes: [{ name: 'groups', values: ['staff', 'editors'] }, { name: 'none' }],
    });
  });

  it('shows the claims of an OIDC session, and nothing else of its details', async () => {
    const claims =
      '{"sub":"248","sid":"s1","groups":["staff","a\\u001bb"],"address":{"city":"Bern"},"big":9007199254740993,"none":[]}';
    const bench = await sessionsBench([
      testSession('one', {
        method: 'oidc',
        provider: 'https://op.example corp',
        logout: { subject: '248', session: 's1' },
        details: { claims, refresh_token: 'secret-1', tokens: 'secret-2' },
      }),
    ]);
    expect((await bench.run('list')).stdout).toMatch(/ oidc {4}https:\/\/op\.example corp$/m);
    const { stdout } = await bench.run('show', short('one'));
    expect(stdout.split('\n').slice(6)).toEqual([
      'method     oidc',
      'provider   https://op.example corp',
      'subject    248',
      'sid        s1',
      'claims',
      '  sub      248',
      '  sid      s1',
      '  groups   staff',
      expect.stringMatching(/^ {2}groups {3}a[^\u001b]*b$/),
      '  address  {"city":"Bern"}',
      '  big      9007199254740993',
      '  none',
      '',
    ]);
    const json = await bench.run('show', short('one'), '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      method: 'oidc',
      provider: 'https://op.example corp',
      name_id: null,
      session_index: 's1',
      claims: { sub: '248', groups: ['staff', 'a\u001bb'] },
    });
    expect(stdout + json.stdout).not.toContain('secret-');
  });

  it('shows no control characters of a session', async () => {
    const evil = '\u001b[2Jroot\u202e\nuser  admin';
    const bench = await sessionsBench([
      testSession('one', { userId: evil, provider: evil, attributes: [{ name: evil, values: [evil] }] }),
    ]);
    for (const argv of [['list'], ['show', short('one')]]) {
      const { stdout } = await bench.run(...argv);
      expect(stdout).toContain('root');
      expect(stdout).not.toMatch(/[\u001b\u202e]/);
      expect(stdout).not.toMatch(/^user {2}admin/m);
    }
  });

  it('fails if the id matches no session or several', async () => {
    const twin = `${id('one').slice(0, 20)}${'0'.repeat(44)}`;
    const bench = await sessionsBench([testSession('one'), testSession('two', { idHash: twin })]);
    expect(await bench.run('show', '00000000')).toEqual({
      stdout: '',
      stderr: 'error: there is no session 00000000\n',
      exitCode: 1,
    });
    expect(await bench.run('show', short('one'))).toMatchObject({
      stderr: expect.stringContaining('several sessions begin with'),
      exitCode: 1,
    });
    expect(await bench.run('show', id('one'))).toMatchObject({ exitCode: 0 });
    expect(bench.closed()).toBe(3);
  });

  it('revokes only the named sessions', async () => {
    const bench = await sessionsBench(['one', 'two', 'three'].map((name) => testSession(name)));
    expect(await bench.run('revoke', short('one'), id('two'), short('one'))).toEqual({
      stdout: `${id('one')}\n${id('two')}\n`,
      stderr: '2 sessions revoked\n',
      exitCode: 0,
    });
    expect(await bench.stores.sessions.find(id('one'))).toEqual({ ok: true, value: null });
    expect(await bench.stores.sessions.find(id('three'))).toMatchObject({ value: { userId: 'alice' } });
  });

  it('revokes nothing if one id is wrong', async () => {
    const bench = await sessionsBench([testSession('one')]);
    expect(await bench.run('revoke', short('one'), '00000000', '11111111')).toEqual({
      stdout: '',
      stderr: 'error: there is no session 00000000\nerror: there is no session 11111111\n',
      exitCode: 1,
    });
    expect(await bench.stores.sessions.count()).toEqual({ ok: true, value: 1 });
  });

  it('revokes all sessions of a user by exact name', async () => {
    const bench = await sessionsBench([testSession('one'), testSession('two', { userId: 'alice2' })]);
    expect(await bench.run('revoke', '--user', 'alice')).toMatchObject({
      stderr: '1 session revoked\n',
      exitCode: 0,
    });
    expect(await bench.run('revoke', '--user', 'alice')).toMatchObject({
      stderr: '0 sessions revoked\n',
      exitCode: 0,
    });
    expect(await bench.stores.sessions.count()).toEqual({ ok: true, value: 1 });
  });

  const auditFlags = ['--audit-file', '/audit.log'];
  const recorded = (records: readonly Readonly<Record<string, unknown>>[]) =>
    records.map(({ event, command, operator, sudo_user, ...rest }) => {
      expect([event, command, operator, sudo_user]).toEqual(['admin', 'sessions revoke', 'operator', 'ada']);
      return rest;
    });

  it('writes an audit record of each revoked session', async () => {
    const bench = await sessionsBench([
      testSession('one'),
      testSession('two', { userId: 'bob' }),
      testSession('three'),
    ]);
    await bench.run('revoke', short('one'), id('two'), ...auditFlags);
    await bench.run('revoke', '--user', 'alice', ...auditFlags);
    await bench.run('revoke', '--user', 'nobody', ...auditFlags);
    const common = { time: '2026-09-21T15:13:20.000Z', stream: 'audit', outcome: 'carried_out' };
    expect(recorded(bench.audit.records)).toEqual([
      { ...common, subject: 'alice', auth_method: 'saml', session: id('one').slice(0, 16) },
      { ...common, subject: 'bob', auth_method: 'saml', session: id('two').slice(0, 16) },
      { ...common, subject: 'alice', session: id('three').slice(0, 16) },
      { ...common, subject: 'nobody' },
    ]);
  });

  it('writes an audit record of a refused revocation, and none of list and show', async () => {
    const bench = await sessionsBench([testSession('one')]);
    await bench.run('list');
    await bench.run('show', short('one'));
    await bench.run('revoke', '00000000', ...auditFlags);
    expect(recorded(bench.audit.records)).toEqual([
      expect.objectContaining({ outcome: 'refused', problems: ['there is no session 00000000'] }),
    ]);
  });

  it('revokes nothing if the audit log cannot be opened', async () => {
    const bench = await sessionsBench([testSession('one')]);
    expect(await bench.run('revoke', short('one'), '--audit-file', '/other.log')).toEqual({
      stdout: '',
      stderr: 'error: /other.log cannot be opened; nothing is revoked (see --audit-file)\n',
      exitCode: 1,
    });
    expect(await bench.stores.sessions.count()).toEqual({ ok: true, value: 1 });
    expect(bench.closed()).toBe(1);
  });

  it('fails if the audit record is lost, and still says what it has revoked', async () => {
    const bench = await sessionsBench([testSession('one')]);
    bench.audit.isFull = true;
    expect(await bench.run('revoke', short('one'), ...auditFlags)).toEqual({
      stdout: `${id('one')}\n`,
      stderr: 'error: the audit log could not be written\n',
      exitCode: 1,
    });
  });

  it('reports a failing store and closes it', async () => {
    const bench = await sessionsBench([testSession('one')]);
    await bench.stores.close();
    for (const argv of [['list'], ['show', short('one')], ['revoke', short('one')], ['revoke', '--user', 'alice']]) {
      const { stdout, stderr, exitCode } = await bench.run(...argv);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
      expect(stderr).toMatch(/^error: the session store cannot be used: /);
    }
    expect(bench.closed()).toBe(4);
  });
});

describe('the place of gateway-auth sessions', () => {
  it('cannot be opened: that is the error', async () => {
    const output = await runSessionsCommand(
      {
        kind: 'list',
        place: { kind: 'file', path: 's.db', entityId: 'x' },
        userId: null,
        limit: 1,
        json: false,
      },
      {
        configuredStore: async () => err([]),
        stores: { open: async () => err('there is no session store at s.db') },
        clock: new ManualClock(noonMs),
        operator: { name: 'operator', sudoName: null },
        openAudit: async () => err('no audit log'),
      },
    );
    expect(output).toEqual({ stdout: '', stderr: 'error: there is no session store at s.db\n', exitCode: 1 });
  });
});
