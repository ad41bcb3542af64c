import { createHash, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AdminRequest, AnswerAdmin } from '../../../../../src/application/gateway/report-status/answer-admin.js';
import { builtinAnswer } from '../../../../../src/application/gateway/report-status/builtin-answer.js';
import { StatusReports } from '../../../../../src/application/gateway/report-status/status-reports.js';
import type { TargetStatus } from '../../../../../src/application/ports/gateway/gateway-state.js';
import type { AdminAnswer } from '../../../../../src/application/shared/administration/admin-answer.js';
import { AnswerSessions } from '../../../../../src/application/shared/administration/answer-sessions.js';
import type { AdminConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { FixedGatewayState } from '../../../../support/gateway/fixed-gateway-state.js';
import { FixedWholeGateway } from '../../../../support/gateway/fixed-whole-gateway.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const digest = (text: string, encoding: BufferEncoding): Buffer =>
  createHash('sha256').update(Buffer.from(text, encoding)).digest();

const target: TargetStatus = {
  address: '10.0.0.1:80',
  name: null,
  healthy: true,
  drained: false,
  weight: 1,
  breaker: null,
  activeConnections: 0,
  totalRequests: 0,
  failedRequests: 0,
  lastError: null,
  unhealthySinceMs: null,
};
const state = new FixedGatewayState();
state.upstreamStatuses = [{ name: 'team/api', targets: [target] }];
const whole = new FixedWholeGateway(state);
const reports = new StatusReports(state, whole, { wallMs: () => 0, monotonicMs: () => 0, turnMs: () => 0 });
const answerAdmin = new AnswerAdmin(
  reports,
  (given, secret) => timingSafeEqual(digest(given, 'latin1'), digest(secret.reveal(), 'utf8')),
  whole,
  new AnswerSessions(() => [], new RecordingLogger()),
);

const address = { host: 'admin.internal', port: 9090 };
const open: AdminConfiguration = { address: { host: '127.0.0.1', port: 9090 }, token: null, readyRequires: [] };
const guarded: AdminConfiguration = { address, token: new Secret('gute-Nacht-Ü'), readyRequires: [] };
const bearer = `Bearer ${Buffer.from('gute-Nacht-Ü').toString('latin1')}`;

const ask = (changes: Partial<AdminRequest>, admin = open): Promise<AdminAnswer> =>
  answerAdmin.answer(
    {
      method: 'GET',
      path: '/health',
      query: '',
      hosts: ['127.0.0.1:9090'],
      authorizations: [],
      peerAddress: '127.0.0.1',
      correlationId: 'c-1',
      ...changes,
    },
    admin,
  );

const codeOf = (answer: AdminAnswer): unknown => (JSON.parse(answer.body) as { code?: unknown }).code;

describe('the paths of the admin address', () => {
  it.each([
    '/health',
    '/ready',
    '/status',
    '/metrics',
    '/admin/upstreams',
    '/admin/version',
    '/admin/routes',
    '/admin/stats',
  ])('%s answers GET and HEAD', async (path) => {
    expect((await ask({ path })).status).toBe(200);
    expect((await ask({ path, method: 'HEAD' })).status).toBe(200);
  });

  it.each(['/', '/healthz', '/health/', '/admin', '/admin/', '/HEALTH', '/__proto__', '/constructor', '*'])(
    '%s is a 404',
    async (path) => {
      const answer = await ask({ path });
      expect(answer.status).toBe(404);
      expect(firstHeader(answer.headers, 'content-type')).toBe('application/problem+json');
      expect(JSON.parse(answer.body)).toMatchObject({ status: 404, code: 'no_route', correlation_id: 'c-1' });
    },
  );

  it.each(['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'get', 'PATCH'])(
    '%s gets a 405 with the allowed methods',
    async (method) => {
      const answer = await ask({ method });
      expect(answer.status).toBe(405);
      expect(firstHeader(answer.headers, 'allow')).toBe('GET, HEAD');
    },
  );
});

describe('the sessions', () => {
  it.each([
    ['/admin/sessions', 'GET'],
    ['/admin/sessions', 'HEAD'],
    ['/admin/sessions/0123456789abcdef', 'DELETE'],
  ])('%s needs a token in the admin block, and in the request (%s)', async (path, method) => {
    for (const admin of [open, { ...open, address }]) {
      const answer = await ask({ path, method }, admin);
      expect([answer.status, codeOf(answer)]).toEqual([403, 'admin_forbidden']);
    }
    expect((await ask({ path, method }, guarded)).status).toBe(401);
    expect((await ask({ path, method, authorizations: [bearer] }, guarded)).status).toBe(
      method === 'DELETE' ? 404 : 200,
    );
  });
});

describe('an admin address with a token', () => {
  it('answers requests with the token, from any peer and for any host', async () => {
    const request = { authorizations: [bearer], peerAddress: '203.0.113.9', hosts: ['anything.example'] };
    expect((await ask(request, guarded)).status).toBe(200);
    expect((await ask({ ...request, authorizations: [bearer.replace('Bearer', 'bEARER')] }, guarded)).status).toBe(200);
  });

  it.each([
    ['no credential', []],
    ['an empty token', ['Bearer ']],
    ['another token', ['Bearer gute-Nacht']],
    ['a longer token', [`${bearer}x`]],
    ['the token in UTF-16 units', ['Bearer gute-Nacht-Ü']],
    ['another scheme', [bearer.replace('Bearer', 'Basic')]],
    ['no scheme', [bearer.slice('Bearer '.length)]],
    ['two headers, one of them valid', [bearer, 'Bearer other']],
    ['the text that a secret prints', ['Bearer [secret]']],
  ])('refuses %s', async (_what, authorizations) => {
    for (const path of ['/health', '/metrics', '/admin/stats', '/nowhere']) {
      const answer = await ask({ path, authorizations }, guarded);
      expect(answer.status).toBe(401);
      expect(firstHeader(answer.headers, 'www-authenticate')).toBe('Bearer realm="portcullis-admin"');
      expect(answer.body).not.toContain('gute-Nacht');
    }
  });

  it('refuses everything if the token is empty', async () => {
    const empty = { ...guarded, token: new Secret('') };
    for (const authorizations of [[], ['Bearer'], ['Bearer '], ['Bearer   ']]) {
      expect((await ask({ authorizations }, empty)).status).toBe(401);
    }
  });

  it('accepts a POST on the paths that support it', async () => {
    expect((await ask({ method: 'POST', path: '/admin/routes', authorizations: [bearer] }, guarded)).status).toBe(405);
    expect((await ask({ method: 'POST', path: '/admin/routes' }, guarded)).status).toBe(401);
  });
});

describe('an admin address without a token', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('answers the peer %s', async (peerAddress) => {
    expect((await ask({ peerAddress })).status).toBe(200);
  });

  it.each(['203.0.113.9', '10.0.0.1', '::ffff:10.0.0.1', '127.0.0.1.example', '127.1', '', 'localhost', '1270.0.0.1'])(
    'refuses the peer %j',
    async (peerAddress) => {
      const answer = await ask({ peerAddress });
      expect(answer.status).toBe(403);
      expect(codeOf(answer)).toBe('admin_forbidden');
    },
  );

  it.each([
    [['evil.example']],
    [['evil.example:9090']],
    [['127.0.0.1.evil.example']],
    [['localhost.evil.example']],
    [['']],
  ])('refuses the host %j, which a web page could have pointed to this machine', async (hosts) => {
    const answer = await ask({ hosts, path: '/admin/routes' });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('invalid_host');
  });

  it('refuses two Host headers', async () => {
    expect((await ask({ hosts: ['127.0.0.1', '127.0.0.1'] })).status).toBe(400);
  });

  it('refuses every POST under /admin', async () => {
    for (const path of ['/admin', '/admin/routes', '/admin/reload']) {
      expect((await ask({ method: 'POST', path })).status).toBe(403);
    }
    expect((await ask({ method: 'POST', path: '/health' })).status).toBe(405);
  });

  it('ignores an Authorization header', async () => {
    expect((await ask({ authorizations: [bearer], peerAddress: '203.0.113.9' })).status).toBe(403);
  });
});

describe('an admin address that the configuration opens to the network without a token', () => {
  const exposed: AdminConfiguration = { address: { host: '0.0.0.0', port: 9090 }, token: null, readyRequires: [] };

  it('answers any peer and any host', async () => {
    expect((await ask({ peerAddress: '10.0.0.1', hosts: ['gateway.internal'] }, exposed)).status).toBe(200);
  });

  it('still refuses every POST under /admin', async () => {
    expect((await ask({ method: 'POST', path: '/admin/reload', peerAddress: '10.0.0.1' }, exposed)).status).toBe(403);
  });
});

describe('a built-in endpoint on a route', () => {
  it('answers GET, but not POST', async () => {
    expect((await builtinAnswer(reports, 'health', 'GET', 'c-2')).body).toBe('{"status":"healthy"}\n');
    const refused = await builtinAnswer(reports, 'health', 'POST', 'c-2');
    expect(refused.status).toBe(405);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'method_not_allowed', correlation_id: 'c-2' });
  });
});

describe('a drain command', () => {
  const path = '/admin/upstreams/team%2Fapi/targets/10.0.0.1:80/drain';
  const post = (wish: string, changes: Partial<AdminRequest> = {}): Promise<AdminAnswer> =>
    ask({ method: 'POST', path: wish, peerAddress: '10.9.9.9', authorizations: [bearer], ...changes }, guarded);

  it.each([
    [path, true],
    ['/admin/upstreams/team/api/targets/10.0.0.1%3A80/undrain', false],
  ])('with the token is accepted: %s', async (wish, drained) => {
    state.wishes.splice(0);
    const { status, body } = await post(wish);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ upstream: 'team/api', target: '10.0.0.1:80', drained });
    expect(state.wishes).toEqual([['team/api', '10.0.0.1:80', drained]]);
  });

  it('to undrain an address reports the name that keeps it drained', async () => {
    state.drainedBy = 'api.internal:80';
    const { status, body } = await post('/admin/upstreams/team%2Fapi/targets/10.0.0.1:80/undrain');
    state.drainedBy = null;
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      upstream: 'team/api',
      target: '10.0.0.1:80',
      drained: true,
      drained_by: 'api.internal:80',
    });
  });

  it.each([
    ['without the token', { authorizations: [] }, 401],
    ['with another token', { authorizations: ['Bearer other'] }, 401],
    ['by GET', { method: 'GET' }, 405],
  ] as const)('is refused %s, and drains nothing', async (_how, changes, status) => {
    state.wishes.splice(0);
    expect((await post(path, changes)).status).toBe(status);
    expect(state.wishes).toEqual([]);
  });

  it('is refused if no token is configured', async () => {
    expect((await ask({ method: 'POST', path })).status).toBe(403);
    expect(state.wishes).toEqual([]);
  });

  it.each([
    ['an unknown upstream', 'no_such_target', '/admin/upstreams/other/targets/10.0.0.1:80/drain'],
    ['an unknown target', 'no_such_target', '/admin/upstreams/team%2Fapi/targets/10.0.0.2:80/drain'],
    ['another action', 'no_route', '/admin/upstreams/team%2Fapi/targets/10.0.0.1:80/stop'],
    ['no upstream', 'no_route', '/admin/upstreams//targets/10.0.0.1:80/drain'],
    ['no target', 'no_route', '/admin/upstreams/team%2Fapi/targets//drain'],
    ['a malformed escape', 'no_route', '/admin/upstreams/%ff/targets/10.0.0.1:80/drain'],
  ])('for %s is a 404: %s', async (_what, code, wish) => {
    const answer = await post(wish);
    expect([answer.status, codeOf(answer)]).toEqual([404, code]);
    expect(state.wishes).toEqual([]);
  });
});

describe('a reload request', () => {
  const reload = (changes: Partial<AdminRequest> = {}): Promise<AdminAnswer> =>
    ask({ method: 'POST', path: '/admin/reload', authorizations: [bearer], ...changes }, guarded);

  it.each([
    ['without the token', { authorizations: [] }, 401],
    ['with another token', { authorizations: ['Bearer other'] }, 401],
    ['by GET', { method: 'GET' }, 405],
    ['by HEAD', { method: 'HEAD' }, 405],
  ] as const)('is refused %s, and reloads nothing', async (_how, changes, status) => {
    const before = whole.reloadsAsked;
    expect((await reload(changes)).status).toBe(status);
    expect(whole.reloadsAsked).toBe(before);
  });

  it('is refused if no token is configured', async () => {
    const before = whole.reloadsAsked;
    expect((await ask({ method: 'POST', path: '/admin/reload', authorizations: [bearer] })).status).toBe(403);
    expect(whole.reloadsAsked).toBe(before);
  });

  it('returns the number of reloads', async () => {
    whole.reloadOutcome = { kind: 'reloaded', count: 4 };
    const { status, body } = await reload();
    expect([status, JSON.parse(body)]).toEqual([200, { reloaded: true, config_reload_count: 4 }]);
  });

  it('lists the problems of the file', async () => {
    whole.reloadOutcome = { kind: 'refused', problems: ['gateway.kdl:1:1: error: no'] };
    const { status, body } = await reload();
    expect(status).toBe(422);
    expect(JSON.parse(body)).toMatchObject({
      code: 'configuration_refused',
      status: 422,
      problems: ['gateway.kdl:1:1: error: no'],
    });
  });

  it('that takes long returns 202 and neither success nor refusal', async () => {
    whole.reloadOutcome = { kind: 'under_way' };
    const { status, body } = await reload();
    expect([status, JSON.parse(body)]).toEqual([202, { reloaded: false, under_way: true }]);
  });

  it('during an upgrade returns 202 with that reason', async () => {
    whole.reloadOutcome = { kind: 'after_upgrade' };
    const { status, body } = await reload();
    expect([status, JSON.parse(body)]).toMatchObject([202, { reloaded: false, under_way: true }]);
    expect(body).toContain('once the upgrade is over');
  });

  it('the drain command is refused by a program that was replaced', async () => {
    whole.isReplaced = true;
    const path = '/admin/upstreams/api/targets/10.0.0.1:80/drain';
    const refused = await ask({ method: 'POST', path, authorizations: [bearer] }, guarded);
    expect([refused.status, codeOf(refused)]).toEqual([409, 'program_replaced']);
    whole.isReplaced = false;
  });

  it('returns 409 if a reload is impossible now, and 503 if its outcome is unknown', async () => {
    whole.reloadOutcome = { kind: 'not_now', reason: 'The gateway drains.' };
    const refused = await reload();
    expect(refused.status).toBe(409);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'reload_not_now', detail: 'The gateway drains.' });
    whole.reloadOutcome = { kind: 'no_answer' };
    const unknown = await reload();
    expect([unknown.status, codeOf(unknown)]).toEqual([503, 'supervisor_unavailable']);
  });
});

it('a drain command that no worker answers is not a success', async () => {
  whole.answersDrain = false;
  const path = '/admin/upstreams/team%2Fapi/targets/10.0.0.1:80/drain';
  const answer = await ask({ method: 'POST', path, authorizations: [bearer] }, guarded);
  whole.answersDrain = true;
  expect([answer.status, codeOf(answer)]).toEqual([503, 'supervisor_unavailable']);
});
