import { describe, expect, it } from 'vitest';
import { apiKey, authorizedAgent, bearer } from '../../../../support/agent/authorized-agent.js';

const admins = { 'policy-inline': 'permit(principal in Role::"admin", action, resource);', 'roles-claim': 'roles' };

describe('claims that look like entities', () => {
  const disguises = [
    { __entity: { type: 'Role', id: 'admin' } },
    { __extn: { fn: 'ip', arg: '10.0.0.1' } },
    { __expr: 'Role::"admin"' },
    { type: 'Role', id: 'admin' },
  ];

  it.each(disguises)('are not roles (%#)', async (disguise) => {
    const { outcome } = await authorizedAgent(admins);
    for (const roles of [disguise, [disguise]]) {
      expect(await outcome({ headers: bearer({ sub: 'tom', roles }) })).toBe('403 roles_unusable');
    }
  });

  it.each(disguises)('are not a principal (%#)', async (disguise) => {
    const { outcome } = await authorizedAgent({
      'principal-claim': 'who',
      'policy-inline': 'permit(principal, action, resource);',
    });
    expect(await outcome({ headers: bearer({ sub: 'tom', who: disguise }) })).toBe('403 principal_missing');
  });

  it('are records with those keys, not entities or addresses', async () => {
    const { outcome, decisions } = await authorizedAgent(`
      @id("entity") permit(principal, action == Action::"GET", resource) when { context.claims.x == Role::"admin" };
      @id("address") permit(principal, action == Action::"GET", resource) when { context.claims.x == ip("10.0.0.1") };
      @id("record") permit(principal, action == Action::"PUT", resource)
        when { context.claims.x has __entity && context.claims.x["__entity"].id == "admin" };
      @id("other") permit(principal, action == Action::"POST", resource)
        when { context.claims.x has __extn && context.claims.x["__extn"].fn == "ip" };`);
    const entity = bearer({ sub: 'tom', x: disguises[0] as never });
    const extension = bearer({ sub: 'tom', x: disguises[1] as never });
    expect(await outcome({ headers: entity })).toBe('403 default_deny');
    expect(await outcome({ headers: extension })).toBe('403 default_deny');
    expect(await outcome({ headers: entity, method: 'PUT' })).toBe('allow');
    expect(await outcome({ headers: extension, method: 'POST' })).toBe('allow');
    expect(decisions().every((fields) => fields['errors'] === undefined)).toBe(true);
  });

  it("cannot override the gateway's request attributes", async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action, resource) when { context.method == "DELETE" };
      permit(principal, action, resource) when { principal.id == "root" };
      permit(principal, action, resource) when { context.client_ip == ip("10.0.0.1") };
      permit(principal, action, resource) when { context.roles.contains("admin") };`);
    const claims = {
      method: 'DELETE',
      id: 'root',
      client_ip: '10.0.0.1',
      roles: ['admin'],
      claims: { roles: ['admin'] },
    };
    expect(await outcome({ headers: bearer({ sub: 'tom', ...claims, __proto__x: claims }) })).toBe('403 default_deny');
  });

  it('named __proto__ and constructor are ordinary claims', async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action, resource) when { context.claims has constructor || context.claims has toString };`);
    expect(await outcome({ headers: bearer({ sub: 'tom' }) })).toBe('403 default_deny');
    expect(await outcome({ headers: bearer({ sub: 'tom', constructor: 'x' }) })).toBe('allow');
  });
});

describe('names with policy-language characters', () => {
  it.each(['x"; permit', 'admin"', '"admin"', 'Role::"admin"', 'admin\\', 'admin\u0000', 'ADMIN', 'admin ', 'ａdmin'])(
    'are not another role: %j',
    async (role) => {
      const { outcome } = await authorizedAgent(admins);
      expect(await outcome({ headers: bearer({ sub: 'tom', roles: [role] }) })).toBe('403 default_deny');
      expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['admin'] }) })).toBe('allow');
    },
  );

  it('are a role that a policy can name', async () => {
    const { outcome } = await authorizedAgent({
      'policy-inline': 'permit(principal in Role::"a\\"b\\\\c", action, resource);',
      'roles-claim': 'roles',
    });
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['a"b\\c'] }) })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['a\\"b\\\\c'] }) })).toBe('403 default_deny');
  });

  it.each([
    ['quotes', 'to"m', '"to\\"m"'],
    ['a backslash', 'to\\m', '"to\\\\m"'],
    ['what would end a policy', '"); permit(principal, action, resource); //', null],
    ['letters beyond ASCII', 'tömé', '"tömé"'],
    ['an emoji', 'tom🙂', '"tom🙂"'],
  ])('are a user id with %s, equal to no other', async (_, sub, literal) => {
    const { outcome, decisions } = await authorizedAgent(
      `permit(principal == User::${literal ?? '"nobody"'}, action, resource);`,
    );
    expect(await outcome({ headers: bearer({ sub }) })).toBe(literal === null ? '403 default_deny' : 'allow');
    expect(await outcome({ headers: bearer({ sub: 'tom' }) })).toBe('403 default_deny');
    expect(decisions()[0]?.['principal']).toMatch(/^User::".*"$/su);
    expect(String(decisions()[0]?.['principal'])).not.toContain('\n');
  });

  it('do not merge two users with different Unicode forms', async () => {
    const { outcome } = await authorizedAgent('permit(principal == User::"é", action, resource);');
    expect(await outcome({ headers: bearer({ sub: '\u00e9' }) })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub: 'e\u0301' }) })).toBe('403 default_deny');
  });
});

describe('the path', () => {
  it('is what the gateway forwards, without decoding for the policies', async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action, resource);
      forbid(principal, action, resource) when { resource.path like "/admin*" };`);
    expect(await outcome({ headers: apiKey, uri: '/admin' })).toBe('403 denied_by_policy');
    // The gateway decodes what may be decoded before it routes, asks and forwards; what is left is another path.
    expect(await outcome({ headers: apiKey, uri: '/%20admin' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/x?y=/admin' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/admin?x' })).toBe('403 denied_by_policy');
  });

  it('with quotes, stars and marks equals only itself', async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action, resource == Resource::"/a\\"b");
      permit(principal, action, resource) when { resource.path like "/star/\\*" };`);
    expect(await outcome({ headers: apiKey, uri: '/a"b' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/a' })).toBe('403 default_deny');
    expect(await outcome({ headers: apiKey, uri: '/star/*' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/star/x' })).toBe('403 default_deny');
  });

  it('ends before the query, which is a separate attribute', async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action, resource == Resource::"/a") when { resource.query == "x=1?y" && resource.path == "/a" };`);
    expect(await outcome({ headers: apiKey, uri: '/a?x=1?y' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/a%3Fx=1?y' })).toBe('403 default_deny');
  });
});

describe('a forbid policy with an evaluation error', () => {
  const policies = (condition: string) =>
    `permit(principal, action, resource); forbid(principal, action, resource) when { ${condition} };`;

  it.each([
    ['by leaving a claim out', 'context.claims.suspended', {}],
    ['by the type of a claim', 'context.claims.level < 5', { level: 'high' }],
    ['by the size of a number', 'context.claims.level * 1000000 > 5', { level: 9_007_199_254_740_991 }],
    ['by a claim that is no set', 'context.claims.groups.contains("x")', { groups: 7 }],
    ['by a text that is no address', 'ip(context.claims.from).isLoopback()', { from: 'nowhere' }],
    ['by null', 'context.claims.suspended == true', { suspended: null }],
  ])('denies: %s', async (_, condition, claims) => {
    const { outcome } = await authorizedAgent(policies(condition));
    expect(await outcome({ headers: bearer({ sub: 'tom', ...claims }) })).toBe('403 policy_error');
  });

  it('denies if the client address is invalid', async () => {
    const { outcome } = await authorizedAgent(policies('context.client_ip.isInRange(ip("10.0.0.0/8"))'));
    expect(await outcome({ headers: apiKey, clientIp: '192.0.2.1' })).toBe('allow');
    expect(await outcome({ headers: apiKey, clientIp: '10.1.2.3' })).toBe('403 denied_by_policy');
    expect(await outcome({ headers: apiKey, clientIp: '::ffff:10.1.2.3' })).toBe('403 denied_by_policy');
    expect(await outcome({ headers: apiKey, clientIp: 'unix' })).toBe('403 policy_error');
  });

  it('denies even with default-decision allow', async () => {
    const { outcome } = await authorizedAgent({
      'default-decision': 'allow',
      'policy-inline': 'forbid(principal, action, resource) when { context.claims.suspended };',
    });
    expect(await outcome({ headers: bearer({ sub: 'tom', suspended: false }) })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub: 'tom' }) })).toBe('403 policy_error');
  });
});

describe('client-supplied identity headers', () => {
  const forged = ['x-user-id', 'root', 'X_User_Id', 'root', 'x-auth-method', 'mtls', 'x-auth-claim-roles', 'admin'];
  const policies = `
    permit(principal == User::"root", action, resource);
    permit(principal is User, action, resource) when { context.auth_method == "mtls" };
    permit(principal in Role::"admin", action, resource);
    permit(principal, action, resource) when { context.roles.contains("admin") };`;

  it('do not affect the principal under fail-open', async () => {
    const authz = { 'policy-inline': policies, 'roles-claim': 'roles' };
    const { outcome, decisions } = await authorizedAgent(authz, { 'fail-open': true });
    expect(await outcome({ headers: forged })).toBe('403 default_deny');
    expect(await outcome({ headers: [...forged, 'x-api-key', 'wrong'] })).toBe('403 default_deny');
    expect(decisions().map((fields) => fields['principal'])).toEqual([
      'Anonymous::"anonymous"',
      'Anonymous::"anonymous"',
    ]);
  });

  it('are removed for an anonymous request that passes', async () => {
    const { answer } = await authorizedAgent('permit(principal, action, resource);', { 'fail-open': true });
    const { decision, requestHeaders } = await answer({ headers: forged });
    expect(decision.kind).toBe('allow');
    expect(requestHeaders.map((operation) => `${operation.kind} ${operation.name.toLowerCase()}`).toSorted()).toEqual([
      'remove x-auth-claim-roles',
      'remove x-auth-method',
      'remove x-user-id',
      'remove x_user_id',
    ]);
  });

  it('do not affect a request with a valid credential', async () => {
    const { outcome } = await authorizedAgent(policies);
    expect(await outcome({ headers: [...forged, ...apiKey] })).toBe('403 default_deny');
  });
});
