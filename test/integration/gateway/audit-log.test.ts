import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReloadRequests } from '../../../src/application/gateway/workers/aggregate/gathering-topics.js';
import { gatewayTokens } from '../../../src/bootstrap/gateway/gateway-tokens.js';
import { gatewayContainer, type RunningGateway, startGateway } from '../../../src/bootstrap/gateway/start-gateway.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { testAgent, testConfiguration, testRoute, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { RecordingAuditLog } from '../../support/gateway/recording-audit-log.js';
import { call } from '../../support/shared/http-call.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const audit = new RecordingAuditLog();
let upstream: HttpUpstream;
let gateway: RunningGateway;
let configuration: GatewayConfiguration;
let port: number;
let adminPort: number;
let reloadRequests: ReloadRequests;

const policies = `
  @id("all") permit(principal, action, resource);
  @id("no-admin") forbid(principal, action, resource) when { resource.path == "/admin" };`;

/** What clients show, and what the gateway and its agent are given to know them by. */
const secrets = {
  apiKey: 'key-5f2d1c',
  wrongKey: 'key-wrong-77aa',
  password: 'correct-horse-battery',
  jwt: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYWxsb3J5In0.c2lnbmF0dXJl',
  session: 'c2Vzc2lvbi1pZC1vZi1hLXVzZXI',
  query: 'query-secret-90',
  adminToken: 'admin-token-0123456789abcdef',
  wrongAdminToken: 'wrong-admin-token-4711',
};

beforeAll(async () => {
  upstream = await startHttpUpstream(echo);
  const file = folder.write('policies.cedar', policies);
  const config = { 'api-keys': `${secrets.apiKey}:reports`, authz: { enabled: true, 'policy-file': file } };
  configuration = testConfiguration([testUpstream(upstream.port)], {
    agents: [{ ...testAgent('auth'), config }],
    routes: [testRoute({ agents: ['auth'] })],
    admin: { address: { host: '127.0.0.1', port: 0 }, token: new Secret(secrets.adminToken), readyRequires: [] },
    audit: { output: { kind: 'stdout' } },
  });
  const container = gatewayContainer(
    folder.file('gateway.kdl'),
    { load: async () => ({ configuration, problems: [] }) },
    {
      logger: new RecordingLogger(),
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => audit,
    },
  );
  reloadRequests = container.get(gatewayTokens.reloadRequests);
  const started = await startGateway(container);
  if (!started.ok) throw new Error(started.error.reason ?? 'refused');
  gateway = started.value;
  port = gateway.addresses.listeners.get('main')?.port ?? 0;
  adminPort = gateway.addresses.admin?.port ?? 0;
});
afterAll(async () => {
  await gateway.stop(0);
  await upstream.close();
  folder.remove();
});

const recordsOf = async (act: () => Promise<unknown>) => {
  const before = audit.lines.length;
  await act();
  return audit.records.slice(before);
};

describe('the audit log of a gateway', () => {
  it('records every agent decision with user, method, policies and request', async () => {
    const headers = { 'x-api-key': secrets.apiKey, 'x-correlation-id': 'order-42' };
    expect(await recordsOf(() => call(port, { path: '/orders', headers }))).toMatchObject([
      {
        stream: 'audit',
        event: 'authorization',
        outcome: 'allowed',
        correlation_id: 'order-42',
        client_ip: '127.0.0.1',
        agent: 'auth',
        subject: 'reports',
        auth_method: 'api_key',
        rule_ids: ['all'],
      },
    ]);
    expect(await recordsOf(() => call(port, { path: '/admin', headers }))).toMatchObject([
      { outcome: 'denied', subject: 'reports', reason_codes: ['denied_by_policy'], rule_ids: ['no-admin'] },
    ]);
    const wrong = { 'x-api-key': secrets.wrongKey };
    expect(await recordsOf(() => call(port, { path: '/orders', headers: wrong }))).toMatchObject([
      { event: 'authentication', outcome: 'failed', auth_method: 'api_key', client_ip: '127.0.0.1' },
    ]);
  });

  it('records every admin request, performed or refused', async () => {
    const post = (token: string) =>
      call(adminPort, {
        method: 'POST',
        path: '/admin/upstreams/backend/targets/nothing/drain',
        headers: { authorization: `Bearer ${token}` },
      });
    expect(await recordsOf(() => post(secrets.wrongAdminToken))).toMatchObject([
      { event: 'admin', outcome: 'denied', status: 401, client_ip: '127.0.0.1' },
    ]);
    expect(await recordsOf(() => post(secrets.adminToken))).toMatchObject([{ event: 'admin', outcome: 'refused' }]);
  });

  it('records configurations that load and that fail', async () => {
    expect(audit.records.slice(0, 2)).toMatchObject([
      { event: 'configuration', outcome: 'loaded' },
      { event: 'gateway', outcome: 'started' },
    ]);
    expect(await recordsOf(() => gateway.reload())).toMatchObject([{ event: 'configuration', outcome: 'loaded' }]);
    const good = configuration;
    configuration = { ...good, audit: { output: { kind: 'file', path: '/nowhere/audit.log' } } };
    expect(await recordsOf(() => gateway.reload())).toMatchObject([
      {
        event: 'configuration',
        outcome: 'refused',
        reason: 'the audit log /nowhere/audit.log cannot be opened: its directory does not exist',
      },
    ]);
    configuration = good;
  });

  it('that a POST removes ends with the request, its outcome and the end', async () => {
    const good = configuration;
    configuration = { ...good, audit: null };
    const headers = { authorization: `Bearer ${secrets.adminToken}` };
    const reload = () => call(adminPort, { method: 'POST', path: '/admin/reload', headers });
    reloadRequests.serveWith(async () => ({ kind: (await gateway.reload()).ok ? 'reloaded' : 'no_answer', count: 1 }));
    expect(await recordsOf(reload)).toMatchObject([
      { event: 'configuration', outcome: 'loaded' },
      { event: 'admin', outcome: 'carried_out', path: '/admin/reload', client_ip: '127.0.0.1' },
      { event: 'audit', outcome: 'ended' },
    ]);
    expect(await recordsOf(reload)).toEqual([]);
    configuration = good;
    expect(await recordsOf(reload)).toMatchObject([{ event: 'configuration' }, { event: 'admin' }]);
    configuration = { ...good, audit: null };
    expect(await recordsOf(() => gateway.reload())).toMatchObject([{ outcome: 'loaded' }, { outcome: 'ended' }]);
    configuration = good;
    await gateway.reload();
  });

  it('contains no secret of clients, valid or invalid', async () => {
    const basic = Buffer.from(`alice:${secrets.password}`).toString('base64');
    const attempts: Readonly<Record<string, string>>[] = [
      { 'x-api-key': secrets.apiKey },
      { 'x-api-key': secrets.wrongKey },
      { authorization: `Bearer ${secrets.jwt}` },
      { authorization: `Basic ${basic}` },
      { cookie: `gateway_session=${secrets.session}; other=${secrets.session}` },
      { 'x-correlation-id': 'x', 'x-api-key': `${secrets.apiKey} ` },
    ];
    for (const headers of attempts) await call(port, { path: `/orders?access_token=${secrets.query}`, headers });
    const text = audit.lines.join('');
    expect(audit.lines.length).toBeGreaterThan(attempts.length);
    for (const secret of [...Object.values(secrets), basic]) expect(text).not.toContain(secret);
  });
});

/** What a gateway records that starts and ends in this way, as event and outcome. */
const lifeOf = async (...manner: Parameters<RunningGateway['stop']>) => {
  const log = new RecordingAuditLog();
  const ending = testConfiguration([testUpstream(upstream.port)], { audit: { output: { kind: 'stdout' } } });
  const container = gatewayContainer(
    folder.file('ending.kdl'),
    { load: async () => ({ configuration: ending, problems: [] }) },
    {
      logger: new RecordingLogger(),
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => log,
    },
  );
  const started = await startGateway(container);
  if (!started.ok) throw new Error(started.error.reason ?? 'refused');
  await started.value.stop(...manner);
  expect(log.isClosed).toBe(true);
  return log.records.map(({ event, outcome }) => `${event} ${outcome}`);
};

it('a gateway records its end last, and whether a successor took over', async () => {
  const begun = ['configuration loaded', 'gateway started'];
  expect(await lifeOf(0)).toEqual([...begun, 'gateway draining', 'gateway stopped']);
  expect(await lifeOf(0, true)).toEqual([...begun, 'gateway upgraded', 'gateway stopped']);
});
