import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  gatewayContainer,
  type RunningGateway,
  startGateway,
} from '../../../../../src/bootstrap/gateway/start-gateway.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../../../support/gateway/http-upstream.js';
import {
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../../../support/gateway/in-process-gateway.js';
import { RecordingAuditLog } from '../../../../support/gateway/recording-audit-log.js';
import { call } from '../../../../support/shared/http-call.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const logger = new RecordingLogger();
let upstream: HttpUpstream;
let gateway: RunningGateway;
let port: number;

const policies = `
  @id("all") permit(principal, action, resource);
  @id("no-admin") forbid(principal, action, resource) when { resource.path == "/admin" || resource.path like "/admin/*" };
  @id("host") forbid(principal, action, resource) when { resource.host == "closed.example" };
  @id("far") forbid(principal, action, resource) unless { context.client_ip.isLoopback() };`;

beforeAll(async () => {
  upstream = await startHttpUpstream(echo);
  const file = folder.write('policies.cedar', policies);
  const config = { 'api-keys': 'key-1:reports', authz: { enabled: true, 'policy-file': file } };
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    agents: [{ ...testAgent('auth'), config }],
    routes: [testRoute({ agents: ['auth'] })],
  });
  const container = gatewayContainer(
    folder.file('gateway.kdl'),
    { load: async () => ({ configuration, problems: [] }) },
    {
      logger,
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => new RecordingAuditLog(),
    },
  );
  const started = await startGateway(container);
  if (!started.ok) throw new Error(started.error.reason ?? 'refused');
  gateway = started.value;
  port = gateway.addresses.listeners.get('main')?.port ?? 0;
});
afterAll(async () => {
  await gateway.stop(0);
  await upstream.close();
  folder.remove();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  call(port, { path, headers: { 'x-api-key': 'key-1', ...headers } });

describe('a request through a gateway with policies', () => {
  it('passes if they permit it', async () => {
    expect((await get('/orders')).status).toBe(200);
  });

  it('gets 403 otherwise, without policy details', async () => {
    const { status, headers, body } = await get('/admin');
    expect(status).toBe(403);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['www-authenticate']).toBeUndefined();
    expect(JSON.parse(body)).toMatchObject({ code: 'denied_by_policy', status: 403 });
    expect(body + JSON.stringify(headers)).not.toContain('no-admin');
  });

  it.each([
    '/%61dmin',
    '/%61%64%6d%69%6e/',
    '//admin',
    '/x/../admin',
    '/./admin',
    '/x/%2e%2e/admin',
    '/admin?x=1',
    '/admin/users',
    '/admin/../admin/x',
  ])('cannot bypass a policy by the spelling of the path: %s', async (path) => {
    expect((await get(path)).status).toBe(403);
  });

  it.each(['/admin%2fusers', '/admin%00', '/admin%5cx'])('is refused before it reaches the agent: %s', async (path) => {
    expect((await get(path)).status).toBe(400);
  });

  it('has the requested host in any case and with any port', async () => {
    expect((await get('/', { host: 'open.example' })).status).toBe(200);
    for (const host of ['closed.example', 'CLOSED.example:8080', 'closed.example.']) {
      expect((await get('/', { host })).status).toBe(403);
    }
  });

  it('is logged with its decision', () => {
    const line = logger.lines.findLast(({ message }) => message === 'authorization decided');
    expect(line?.fields).toMatchObject({
      agent: 'auth',
      decision: 'deny',
      policies: ['host'],
      principal: 'User::"reports"',
      action: 'GET',
      resource: '/',
      method: 'api_key',
    });
  });
});

describe('a reload of the gateway', () => {
  it('reloads policies, and keeps the old ones if the new ones are invalid', async () => {
    writeFileSync(folder.file('policies.cedar'), 'permit(principal, action, resource) when { };');
    const broken = await gateway.reload();
    expect(broken.ok).toBe(false);
    expect(JSON.stringify(broken)).toContain('policies.cedar:1:');
    expect([(await get('/orders')).status, (await get('/admin')).status]).toEqual([200, 403]);
    writeFileSync(folder.file('policies.cedar'), 'permit(principal, action, resource == Resource::"/admin");');
    expect(await gateway.reload()).toMatchObject({ ok: true });
    expect([(await get('/orders')).status, (await get('/admin')).status]).toEqual([403, 200]);
  });
});
