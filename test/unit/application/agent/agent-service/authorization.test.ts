import { describe, expect, it } from 'vitest';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import { apiKey, authorizedAgent, basic, bearer } from '../../../../support/agent/authorized-agent.js';
import { upstreamHeaders } from '../../../../support/agent/test-agent.js';

const everything = 'permit(principal, action, resource);';

describe('policies decide after every method', () => {
  const users = `
    @id("tom") permit(principal == User::"tom", action, resource);
    @id("reports") permit(principal == User::"reports", action, resource);
    @id("ann") permit(principal == User::"ann", action, resource);`;

  it.each([
    ['a token', bearer({ sub: 'tom' }), 'tom'],
    ['an API key', apiKey, 'reports'],
    ['user and password', basic, 'ann'],
  ])('%s', async (_, headers, user) => {
    const { answer, outcome } = await authorizedAgent(users);
    const allowed = await answer({ headers });
    expect(allowed.decision.kind).toBe('allow');
    expect(allowed.audit).toMatchObject({ ruleIds: [user], reasonCodes: [] });
    expect(firstHeader(upstreamHeaders(headers, allowed), 'x-user-id')).toBe(user);

    const others = await authorizedAgent(users.replace(`User::"${user}"`, 'User::"somebody"'));
    expect((await others.answer({ headers })).audit).toMatchObject({
      ruleIds: [],
      reasonCodes: ['default_deny'],
      custom: { event: 'authorization', subject: user },
    });
    const lenient = await authorizedAgent({
      'default-decision': 'allow',
      'policy-inline': 'forbid(principal == User::"x", action, resource);',
    });
    expect((await lenient.answer({ headers })).audit).toMatchObject({
      ruleIds: [],
      custom: { event: 'authorization', subject: user },
    });
    expect(await others.outcome({ headers })).toBe('403 default_deny');
    // The same identity once more: what was decided is not what is remembered.
    expect(await others.outcome({ headers })).toBe('403 default_deny');
    expect(await outcome({ headers })).toBe('allow');
  });

  it('and see the authentication method in the context', async () => {
    const { outcome } = await authorizedAgent(
      'permit(principal, action, resource) when { context.auth_method == "basic" };',
    );
    expect(await outcome({ headers: basic })).toBe('allow');
    expect(await outcome({ headers: apiKey })).toBe('403 default_deny');
  });

  it('but not before: a request without a valid credential gets 401 regardless of policies', async () => {
    const { outcome, decisions } = await authorizedAgent(everything);
    expect(await outcome({})).toBe('401 missing_credentials');
    expect(await outcome({ headers: ['x-api-key', 'key-2'] })).toBe('401 unknown_credentials');
    expect(decisions()).toEqual([]);
  });

  it('for each request: one identity gets different decisions for different methods and paths', async () => {
    const { outcome } = await authorizedAgent(`
      permit(principal, action == Action::"GET", resource) when { resource.path like "/orders/*" };
      forbid(principal, action, resource) when { resource.path like "*/secret" };`);
    const headers = bearer({ sub: 'tom' });
    for (let round = 0; round < 3; round += 1) {
      expect(await outcome({ headers, uri: '/orders/1' })).toBe('allow');
      expect(await outcome({ headers, uri: '/orders/1', method: 'POST' })).toBe('403 default_deny');
      expect(await outcome({ headers, uri: '/orders/secret' })).toBe('403 denied_by_policy');
      expect(await outcome({ headers, uri: '/other' })).toBe('403 default_deny');
    }
  });
});

describe('roles', () => {
  const editors = { 'policy-inline': 'permit(principal in Role::"editor", action, resource);' };

  it('come from a claim at a dotted path', async () => {
    const { outcome } = await authorizedAgent({ ...editors, 'roles-claim': 'realm_access.roles' });
    const sub = 'tom';
    expect(await outcome({ headers: bearer({ sub, realm_access: { roles: ['viewer', 'editor'] } }) })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub, realm_access: { roles: 'viewer,editor admin' } }) })).toBe('allow');
    for (const claims of [{ realm_access: { roles: ['viewer'] } }, { roles: ['editor'] }, {}]) {
      expect(await outcome({ headers: bearer({ sub, ...claims }) })).toBe('403 default_deny');
    }
  });

  it('are empty without roles-claim', async () => {
    const { outcome } = await authorizedAgent(editors);
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['editor'] }) })).toBe('403 default_deny');
  });

  it('refuse the request if not all can be read: dropping some could widen permissions', async () => {
    const { outcome, counted } = await authorizedAgent({
      'policy-inline': `${everything} forbid(principal in Role::"banned", action, resource);`,
      'roles-claim': 'roles',
    });
    const roles = [...Array.from({ length: 300 }, (_, index) => `role-${index}`), 'banned'];
    expect(await outcome({ headers: bearer({ sub: 'tom', roles }) })).toBe('403 roles_unusable');
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['x'.repeat(257)] }) })).toBe('403 roles_unusable');
    for (const wrong of [{ banned: true }, 7, [{ name: 'banned' }], ['a', 7]]) {
      expect(await outcome({ headers: bearer({ sub: 'tom', roles: wrong }) })).toBe('403 roles_unusable');
    }
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['a'] }) })).toBe('allow');
    expect(counted('authz_decisions_total')).toEqual({ deny: 6, allow: 1 });
  });
});

describe('principal-claim', () => {
  it('names the principal only for tokens', async () => {
    const { outcome } = await authorizedAgent({
      'principal-claim': 'client_id',
      'policy-inline':
        'permit(principal == User::"shop", action, resource); permit(principal == User::"reports", action, resource);',
    });
    expect(await outcome({ headers: bearer({ sub: 'tom', client_id: 'shop' }) })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub: 'shop', client_id: 'tom' }) })).toBe('403 default_deny');
    expect(await outcome({ headers: apiKey })).toBe('allow');
  });

  it.each([
    ['missing', {}],
    ['null', { client_id: null }],
    ['empty', { client_id: '' }],
    ['an object', { client_id: { a: 1 } }],
    ['a list', { client_id: ['shop'] }],
    ['too long', { client_id: 'x'.repeat(257) }],
    ['with white space around it', { client_id: ' shop' }],
  ])('denies the request if it is %s, without a fallback identity', async (_, claims) => {
    const { answer, outcome, decisions, counted } = await authorizedAgent({
      'principal-claim': 'client_id',
      'default-decision': 'allow',
      'policy-inline': everything,
    });
    const headers = bearer({ sub: 'tom', ...claims });
    expect(await outcome({ headers })).toBe('403 principal_missing');
    expect((await answer({ headers })).audit.ruleIds).toEqual([]);
    expect(decisions()[0]).toMatchObject({ decision: 'deny', because: 'principal_missing', principal: null });
    expect(counted('authz_decisions_total')).toEqual({ deny: 2 });
  });
});

describe('default-decision and on-error', () => {
  it('allow passes requests that no policy decides, and none that a policy forbids', async () => {
    const { outcome } = await authorizedAgent({
      'default-decision': 'allow',
      'policy-inline': 'forbid(principal, action, resource) when { resource.path like "/admin*" };',
    });
    expect(await outcome({ headers: apiKey, uri: '/orders' })).toBe('allow');
    expect(await outcome({ headers: apiKey, uri: '/admin/x' })).toBe('403 denied_by_policy');
  });

  it('allow without any policy logs a warning at startup, and allows everything', async () => {
    const { outcome, logger } = await authorizedAgent({ 'default-decision': 'allow' });
    expect(await outcome({ headers: apiKey })).toBe('allow');
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'authz: there are no policies, and default-decision is allow: every request is allowed',
    ]);
  });

  const failing = `
    @id("all") permit(principal, action, resource);
    @id("no-tom") forbid(principal, action, resource) when { context.claims.level > 3 };`;

  it('deny: a forbid with an evaluation error denies', async () => {
    const { answer, decisions } = await authorizedAgent(failing);
    const { decision, audit } = await answer({ headers: bearer({ sub: 'tom', level: 'high' }) });
    expect(decision).toMatchObject({ kind: 'block', status: 403 });
    expect(audit).toMatchObject({ ruleIds: ['no-tom'], reasonCodes: ['policy_error'] });
    expect(decisions()[0]).toMatchObject({ decision: 'deny', because: 'error', policies: ['no-tom'] });
    expect(decisions()[0]?.['errors']).toEqual([expect.stringMatching(/^no-tom: type_error: /)]);
  });

  it('skip: a forbid with an evaluation error is skipped and reported', async () => {
    const { answer, decisions } = await authorizedAgent({ 'policy-inline': failing, 'on-error': 'skip' });
    const { decision, audit } = await answer({ headers: bearer({ sub: 'tom' }) });
    expect(decision.kind).toBe('allow');
    expect(audit.ruleIds).toEqual(['all']);
    expect(decisions()[0]).toMatchObject({ decision: 'allow', because: 'policies', policies: ['all'] });
    expect(decisions()[0]?.['errors']).toEqual([expect.stringMatching(/^no-tom: attribute_missing: /)]);
  });

  it('a permit with an evaluation error never permits, for any on-error', async () => {
    const permit = 'permit(principal, action, resource) when { context.claims.level > 3 };';
    for (const onError of ['deny', 'skip']) {
      const { outcome } = await authorizedAgent({ 'policy-inline': permit, 'on-error': onError });
      expect(await outcome({ headers: bearer({ sub: 'tom' }) })).toBe('403 default_deny');
    }
  });
});

describe('fail-open', () => {
  const open = { 'fail-open': true };

  it('decides a request without a valid credential as the anonymous principal', async () => {
    const { answer, outcome, logger, decisions } = await authorizedAgent(
      `permit(principal == Anonymous::"anonymous", action, resource) when { resource.path == "/public" };
       permit(principal is User, action, resource);`,
      open,
    );
    expect(await outcome({ uri: '/public' })).toBe('allow');
    expect(await outcome({ uri: '/private' })).toBe('403 default_deny');
    expect(await outcome({ uri: '/private', headers: ['x-api-key', 'wrong'] })).toBe('403 default_deny');
    expect(await outcome({ uri: '/private', headers: apiKey })).toBe('allow');
    const passed = await answer({ uri: '/public' });
    expect(passed.requestHeaders.filter(({ kind }) => kind !== 'remove')).toEqual([]);
    expect(decisions()[0]).toMatchObject({ principal: 'Anonymous::"anonymous"', method: 'none' });
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toContain(
      'authentication failed, and the request is anonymous (fail-open)',
    );
  });

  it('sends an anonymous client no challenge, and counts the request as refused', async () => {
    const { answer, agent, counted } = await authorizedAgent('permit(principal is User, action, resource);', open);
    const { decision } = await answer({});
    expect(decision).toMatchObject({ kind: 'block', status: 403 });
    expect(decision.kind === 'block' ? decision.headers : []).toEqual(['Content-Type', 'application/problem+json']);
    expect(agent.health().load?.requestsRejected).toBe(1);
    expect(counted('authz_decisions_total')).toEqual({ deny: 1 });
    expect(counted('auth_failure_total')).toEqual({ 'none,missing_credentials': 1 });
  });
});

describe('a denial', () => {
  it('reveals nothing about policies to the client', async () => {
    const { answer } = await authorizedAgent('@id("secret-rule") forbid(principal, action, resource);');
    const { decision, audit } = await answer({ headers: apiKey, correlationId: 'call-9' });
    if (decision.kind !== 'block') throw new Error('not denied');
    expect(JSON.parse(decision.body ?? '')).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'This request is not allowed.',
      code: 'denied_by_policy',
      correlation_id: 'call-9',
    });
    expect(JSON.stringify(decision)).not.toContain('secret-rule');
    expect(audit).toMatchObject({ ruleIds: ['secret-rule'], reasonCodes: ['denied_by_policy'] });
  });

  it('challenges only requests with a token', async () => {
    const { answer } = await authorizedAgent('permit(principal == User::"x", action, resource);');
    const challenge = async (headers: readonly string[]) => {
      const { decision } = await answer({ headers });
      return decision.kind === 'block' ? firstHeader(decision.headers, 'www-authenticate') : 'not denied';
    };
    expect(await challenge(bearer({ sub: 'tom' }))).toBe('Bearer realm="gateway", error="insufficient_scope"');
    expect(await challenge(apiKey)).toBeUndefined();
    expect(await challenge(basic)).toBeUndefined();
  });
});

describe('the metrics', () => {
  it('keep their names, beside those of authentication', async () => {
    const { agent, outcome, counted } = await authorizedAgent('permit(principal, action == Action::"GET", resource);');
    for (const method of ['GET', 'PUT', 'GET']) await outcome({ headers: apiKey, method });
    expect(counted('authz_decisions_total')).toEqual({ allow: 2, deny: 1 });
    expect(counted('auth_success_total')).toEqual({ api_key: 3 });
    const { counters } = agent.metrics();
    expect(counters.map(({ name, labels }) => `${name} ${Object.keys(labels).join()}`)).toEqual([
      'auth_requests_total ',
      'auth_success_total method',
      'authz_decisions_total decision',
      'authz_decisions_total decision',
    ]);
    expect(agent.health().load).toMatchObject({ requestsProcessed: 3, requestsRejected: 1 });
  });
});

describe('an internal error during authorization', () => {
  it('refuses the request', async () => {
    const { agent, ask, logger, outcome } = await authorizedAgent(everything);
    expect(await outcome({ headers: apiKey })).toBe('allow');
    logger.info = () => {
      throw new Error('the log is gone');
    };
    const { decision } = await ask(apiKey);
    expect(decision).toMatchObject({ kind: 'block', status: 503 });
    expect(agent.health().load?.inFlight).toBe(0);
  });
});
