import { beforeEach, describe, expect } from 'vitest';
import { signToken } from '../../support/agent/test-tokens.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';

/** The words of the specification: roles.contains, path like, endsWith; a forbid beside the permits. */
const policies = `
@id("readers-read")
permit (principal, action == Action::"GET", resource)
when { context.roles.contains("reader") && resource.path like "/docs/*" };

@id("admins-do-all")
permit (principal in Role::"admin", action, resource);

@id("no-drafts")
forbid (principal, action, resource)
when { resource.path.endsWith(".draft") };

@id("secret-needs-admin")
forbid (principal, action, resource)
when { resource.path like "/docs/secret/*" && !context.roles.contains("admin") };
`;

const bearer = (sub: string, roles: readonly string[]): Readonly<Record<string, string>> => {
  const exp = Math.floor(Date.now() / 1000) + 300;
  return { Authorization: `Bearer ${signToken('HS256', secret, { sub, exp, realm_access: { roles } })}` };
};

const reader = bearer('alice', ['reader']);
const admin = bearer('root', ['admin']);

const agentConfig = (policyFile: string, members = ''): string => `
  jwt-secret "${secret}"
  api-keys "s3cret-key:reports"
  authz { enabled #true; policy-file "${policyFile}"; roles-claim "realm_access.roles"; ${members} }`;

describe.each(['embedded', 'socket'] as const)('policies, agent %s', (transport) => {
  let folder: TemporaryFolder;
  let stack: GatewayStack;

  const decider = () => (transport === 'socket' ? stack.agent() : stack.gateway);
  /** Has the policies read again; resolves once the log says how that went. */
  const readAgain = async (text: string, outcome: RegExp): Promise<void> => {
    const before = decider().output().length;
    folder.write('policies.cedar', text);
    decider().signal('SIGHUP');
    await untilTrue('the reload is logged', () => outcome.test(decider().output().slice(before)));
  };
  const status = async (path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> =>
    (await stack.ask({ path, method, headers })).status;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const policyFile = folder.write('policies.cedar', policies);
    stack = await startStack(cleanUp, { transport, agentConfig: agentConfig(policyFile) });
  });
  beforeEach(() => void stack.upstream.received.splice(0));

  it('pass only requests that a permit allows, with the identity', async () => {
    expect(await status('/docs/guide', reader)).toBe(200);
    expect(stack.upstream.received).toHaveLength(1);
    expect(valuesOf(stack.upstream.received[0] as never, 'x-user-id')).toEqual(['alice']);
    expect(await status('/docs/guide', reader, 'DELETE')).toBe(403);
    expect(await status('/other', reader)).toBe(403);
    expect(await status('/other', admin, 'DELETE')).toBe(200);
    expect(await status('/docs/plan.draft', admin)).toBe(403);
    expect(await status('/docs/guide', { 'X-API-Key': 's3cret-key' })).toBe(403);
    expect(stack.upstream.received).toHaveLength(2);
  });

  it('answer 403 with a problem that names no policy, and challenge only bearer tokens', async () => {
    const denied = await stack.ask({ path: '/other?token=hidden', headers: reader });
    expect(denied.status).toBe(403);
    expect(denied.headers['content-type']).toBe('application/problem+json');
    expect(denied.headers['www-authenticate']).toBe('Bearer realm="gateway", error="insufficient_scope"');
    expect(JSON.parse(denied.body)).toMatchObject({ status: 403, code: 'denied_by_policy' });
    expect(denied.body).not.toMatch(/readers-read|no-drafts|reader|alice/);
    const byKey = await stack.ask({ path: '/docs/guide', headers: { 'X-API-Key': 's3cret-key' } });
    expect(byKey.status).toBe(403);
    expect(byKey.headers['www-authenticate']).toBeUndefined();
  });

  it('log each decision with its policies, without query, token or claims', async () => {
    await status('/docs/told?token=hidden-in-query', reader);
    await status('/docs/secret/told', reader);
    const lines = (): Record<string, unknown>[] =>
      decider()
        .output()
        .split('\n')
        .filter((line) => line.includes('authorization decided') && line.includes('/told"'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await untilTrue('both decisions are logged', () => lines().length >= 2);
    const [allowed, denied] = lines();
    expect(allowed).toMatchObject({ decision: 'allow', policies: ['readers-read'], principal: 'User::"alice"' });
    expect(denied).toMatchObject({ decision: 'deny', policies: ['secret-needs-admin'] });
    expect(JSON.stringify(lines())).not.toMatch(/hidden-in-query|realm_access|eyJ/);
  });

  it.each([
    '/docs/./secret/x',
    '/docs/a/../secret/x',
    '/docs//secret/x',
    '/docs/%73ecret/x',
    '/docs/%2e/secret/x',
    '/docs/s%65cret/%78',
  ])('evaluate the normalized path that is routed and forwarded: %s', async (path) => {
    expect(await status(path, reader)).toBe(403);
    expect(stack.upstream.received).toEqual([]);
  });

  it('ignore identity headers from the client', async () => {
    const forged = { ...reader, 'X-User-Id': 'root', 'X-Auth-Claim-roles': 'admin', X_User_Id: 'root' };
    expect(await status('/other', forged)).toBe(403);
    expect(await status('/docs/secret/x', forged)).toBe(403);
  });

  it('stay in force when the new file is invalid, and change once the file is valid', async () => {
    await readAgain('permit (principal, action, resource) when { resource.path = "/x" };', /policies\.cedar:1:\d+/);
    expect(await status('/docs/guide', reader)).toBe(200);
    expect(await status('/other', reader)).toBe(403);
    await readAgain('@id("everyone") permit (principal, action, resource);', /read again|in force|reloaded/);
    expect(await status('/other', reader)).toBe(200);
    await readAgain(policies, /read again|in force|reloaded/);
    expect(await status('/other', reader)).toBe(403);
  });
});

describe('fail-open with policies', () => {
  it('passes a request without a valid credential only if a policy permits Anonymous', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const file = folder.write(
      'policies.cedar',
      'permit (principal == Anonymous::"anonymous", action == Action::"GET", resource) when { resource.path like "/public/*" };' +
        'permit (principal is User, action, resource);',
    );
    const stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: `fail-open #true; ${agentConfig(file)}`,
    });
    const forged = { Authorization: 'Bearer nonsense', 'X-User-Id': 'root' };
    const opened = await stack.ask({ path: '/public/x', headers: forged });
    expect(opened.status).toBe(200);
    expect(stack.upstream.received.map((received) => valuesOf(received, 'x-user-id'))).toEqual([[]]);
    expect((await stack.ask({ path: '/private', headers: forged })).status).toBe(403);
    expect((await stack.ask({ path: '/public/x', method: 'POST', headers: forged })).status).toBe(403);
    expect((await stack.ask({ path: '/private', headers: reader })).status).toBe(200);
    expect(stack.upstream.received).toHaveLength(2);
  });
});
