import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import { requestEvent, startedTestAgent, testAgent, upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { signToken } from '../../../../support/agent/test-tokens.js';

const secret = 'a secret that is longer than thirty-two bytes';
const config = {
  'jwt-secret': secret,
  'api-keys': ['key-1:reports', 'part:two:billing'],
  'basic-auth-users': ['ann:pass:word', 'änn:wörd'],
};
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const token = signToken('HS256', secret, { sub: 'tom', exp: 1_800_000_300, role: 'editor' });
const forged = [
  'x-user-id',
  'root',
  'X_USER_ID',
  'root',
  'X-Auth_Method',
  'mtls',
  'x-auth-claim-role',
  'admin',
  'X_AUTH_CLAIM_ROLE',
  'admin',
  'x-client-cert-cn',
  'root',
  'X-Client_Cert-DN',
  'CN=root',
  'x-forwarded-client-cert',
  'x',
];
const harmless = ['host', 'api.example', 'x-user-idea', 'kept'];

/** Nothing here: a name of ours with a value that the client chose. */
const forgedValues = (headers: readonly string[]) =>
  headers.filter((value) => ['root', 'mtls', 'admin', 'CN=root', 'x'].includes(value));

describe('authentication methods', () => {
  it.each([
    ['a token', ['authorization', `Bearer ${token}`], 'tom', 'jwt'],
    ['an API key', ['x-api-key', 'key-1'], 'reports', 'api_key'],
    ['an API key with a colon in it', ['x-api-key', 'part:two'], 'billing', 'api_key'],
    ['user and password', ['authorization', basic('ann:pass:word')], 'ann', 'basic'],
    ['user and password beyond ASCII', ['authorization', basic('änn:wörd')], '%C3%A4nn', 'basic'],
  ])('accept %s', async (_, headers, user, method) => {
    const { ask } = await startedTestAgent(config);
    const upstream = upstreamHeaders(headers, await ask(headers));
    expect(firstHeader(upstream, 'x-user-id')).toBe(user);
    expect(firstHeader(upstream, 'x-auth-method')).toBe(method);
  });

  it.each([
    ['an unknown key', ['x-api-key', 'key-2']],
    ['a prefix of a key', ['x-api-key', 'key-']],
    ['a key with its name', ['x-api-key', 'key-1:reports']],
    ['an empty key', ['x-api-key', '']],
    ['a key under another name', ['x_api_key', 'key-1']],
    ['a wrong password', ['authorization', basic('ann:pass')]],
    ['an empty password', ['authorization', basic('ann:')]],
    ['an unknown user with an empty password', ['authorization', basic('bob:')]],
    ['another user with the same password', ['authorization', basic('bob:pass:word')]],
    ['a user called __proto__', ['authorization', basic('__proto__:x')]],
    ['a key as a token', ['authorization', 'Bearer key-1']],
    ['another scheme', ['authorization', 'Digest username="ann"']],
    ['nothing', []],
  ])('refuse %s', async (_, headers) => {
    const { ask } = await startedTestAgent(config);
    expect((await ask(headers)).decision).toMatchObject({ kind: 'block', status: 401 });
  });

  it('run in the order of precedence, and continue after a failure', async () => {
    const { ask } = await startedTestAgent(config);
    const method = async (headers: string[]) =>
      firstHeader(upstreamHeaders(headers, await ask(headers)), 'x-auth-method');
    expect(await method(['x-api-key', 'key-1', 'authorization', `Bearer ${token}`])).toBe('jwt');
    expect(await method(['authorization', basic('ann:pass:word'), 'x-api-key', 'key-1'])).toBe('api_key');
    expect(await method(['authorization', 'Bearer bad', 'x-api-key', 'key-1'])).toBe('api_key');
    expect(await method(['x-api-key', 'bad', 'authorization', basic('ann:pass:word')])).toBe('basic');
  });

  it('refuse a credential that is sent twice', async () => {
    const { ask, logger } = await startedTestAgent(config);
    for (const headers of [
      ['authorization', `Bearer ${token}`, 'authorization', `Bearer ${token}`],
      ['authorization', 'Bearer bad', 'Authorization', `Bearer ${token}`, 'x-api-key', 'key-1'],
      ['x-api-key', 'key-1', 'X-API-KEY', 'key-1'],
    ]) {
      expect((await ask(headers)).decision).toMatchObject({ kind: 'block', status: 401 });
      expect(logger.lines.at(-1)?.fields['reason']).toBe('ambiguous_credentials');
    }
  });

  it("leave an upstream's own key untouched if no API keys are configured, and accept two of them", async () => {
    const { ask } = await startedTestAgent({ 'basic-auth-users': ['ann:pw'] });
    const headers = ['authorization', basic('ann:pw'), 'x-api-key', 'one', 'X-API-Key', 'two'];
    const answer = await ask(headers);
    expect(answer.decision.kind).toBe('allow');
    expect(upstreamHeaders(headers, answer)).toEqual(expect.arrayContaining(['x-api-key', 'one', 'X-API-Key', 'two']));
  });

  it('compare secrets as digests of one length, for unknown users too', async () => {
    const compared: [string, string][] = [];
    const real = new HmacSecretDigest();
    const digest = {
      digest: (text: string) => real.digest(text),
      equal: (first: string, second: string) => {
        compared.push([first, second]);
        return real.equal(first, second);
      },
      sha256Hex: (text: string) => real.sha256Hex(text),
    };
    const { ask } = await startedTestAgent(config, { digest });
    await ask(['authorization', basic('ann:x')]);
    await ask(['authorization', basic('nobody:a password of another length')]);
    await ask(['x-api-key', 'key-1']);
    expect(compared).toHaveLength(3);
    expect(new Set(compared.flat().map(({ length }) => length)).size).toBe(1);
  });
});

describe('identity headers', () => {
  it.each([
    ['with a good credential', config, ['x-api-key', 'key-1']],
    ['with a good token', config, ['authorization', `Bearer ${token}`]],
    ['with a bad credential under fail-open', { ...config, 'fail-open': true }, ['x-api-key', 'bad']],
    ['with no credential under fail-open', { ...config, 'fail-open': true }, []],
  ])('forged by the client never reach the upstream %s', async (_, options, credential) => {
    const { ask } = await startedTestAgent(options);
    const headers = [...forged, ...credential, ...harmless];
    const answer = await ask(headers);
    expect(answer.decision.kind).toBe('allow');
    const upstream = upstreamHeaders(headers, answer);
    expect(forgedValues(upstream)).toEqual([]);
    expect(firstHeader(upstream, 'x-user-idea')).toBe('kept');
    expect(firstHeader(upstream, 'host')).toBe('api.example');
  });

  it('use the configured names, and also remove the default names', async () => {
    const { ask, agent } = await startedTestAgent({
      ...config,
      'user-id-header': 'X-Me',
      'auth-method-header': 'X-How',
    });
    const headers = [...forged, 'x_me', 'root', 'X-HOW', 'mtls', 'x-api-key', 'key-1'];
    const upstream = upstreamHeaders(headers, await ask(headers));
    expect(forgedValues(upstream)).toEqual([]);
    expect(upstream).toEqual(['X-Me', 'reports', 'X-How', 'api_key']);
    expect(agent.capabilities().ownedHeaders).toEqual([
      'X-Me',
      'X-How',
      'X-Auth-Claim-*',
      'X-Auth-Claims-Omitted',
      'X-Client-Cert-CN',
      'X-Client-Cert-DN',
    ]);
  });

  it('carry the claims of a token', async () => {
    const { ask } = await startedTestAgent(config);
    const headers = ['authorization', `Bearer ${token}`];
    expect(firstHeader(upstreamHeaders(headers, await ask(headers)), 'x-auth-claim-role')).toBe('editor');
  });

  it('omit claims that no header can carry, and log it', async () => {
    const { ask, logger } = await startedTestAgent(config);
    const twice = signToken('HS256', secret, { sub: 'tom', exp: 1_800_000_300, 'a-b': 'secret-1', a_b: 'secret-2' });
    await ask(['authorization', `Bearer ${twice}`]);
    const warning = logger.lines.find(({ message }) => message.includes('omitted'));
    expect(warning?.fields['claims']).toEqual(['a-b: same_name', 'a_b: same_name']);
    expect(JSON.stringify(logger.lines)).not.toContain('secret-');
  });
});

describe('credentials forwarded to the upstream', () => {
  const headers = ['authorization', `Bearer ${token}`, 'x-api-key', 'key-1', 'X_API_Key', 'key-1'];
  const names = async (options: { 'forward-credentials'?: boolean }) => {
    const { ask } = await startedTestAgent({ ...config, ...options });
    return upstreamHeaders(headers, await ask(headers)).filter((_, index) => index % 2 === 0);
  };

  it('omit the API key in any spelling', async () => {
    expect(await names({})).toEqual(expect.arrayContaining(['authorization']));
    expect(await names({})).not.toEqual(expect.arrayContaining(['x-api-key']));
    expect(await names({})).not.toEqual(expect.arrayContaining(['X_API_Key']));
  });

  it('are all present, or all absent, by forward-credentials', async () => {
    expect(await names({ 'forward-credentials': true })).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key']),
    );
    const none = await names({ 'forward-credentials': false });
    expect(none).not.toContain('authorization');
    expect(none).not.toContain('x-api-key');
  });
});

describe('a refusal', () => {
  const refuse = async (headers: readonly string[]) => {
    const { ask } = await startedTestAgent(config);
    const { decision } = await ask(headers);
    if (decision.kind !== 'block') throw new Error(decision.kind);
    return { headers: decision.headers, body: JSON.parse(decision.body ?? '') as Record<string, unknown> };
  };

  it('names the realm, and adds an error only if a token was sent', async () => {
    expect((await refuse([])).headers).toContain('Bearer realm="gateway"');
    expect((await refuse(['x-api-key', 'bad'])).headers).toContain('Bearer realm="gateway"');
    expect((await refuse(['authorization', basic('a:b')])).headers).toContain('Bearer realm="gateway"');
    const shown = 'Bearer realm="gateway", error="invalid_token", error_description="The token is malformed"';
    expect((await refuse(['authorization', 'Bearer bad'])).headers).toContain(shown);
    expect((await refuse(['authorization', 'Bearer'])).headers).toContain(shown);
  });

  it("has a problem body with the client's correlation id and without the reason", async () => {
    const expired = signToken('HS256', secret, { sub: 'tom', exp: 1 });
    const { headers, body } = await refuse(['authorization', `Bearer ${expired}`, 'x-correlation-id', 'abc-1']);
    expect(headers).toEqual(expect.arrayContaining(['Content-Type', 'application/problem+json']));
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'The request has no valid credential.',
      code: 'unauthenticated',
      correlation_id: 'abc-1',
    });
    expect((await refuse(['x-correlation-id', '<script>'])).body['correlation_id']).toBe('call-1');
  });

  it('logs the reason and no credential', async () => {
    const { ask, logger } = await startedTestAgent(config);
    await ask(['authorization', basic('ann:hunter2'), 'x-api-key', 'key-guess']);
    const line = logger.lines.at(-1);
    expect(line).toMatchObject({ level: 'info', fields: { method: 'api_key', reason: 'unknown_credentials' } });
    expect(JSON.stringify(logger.lines)).not.toMatch(/hunter2|key-guess|key-1|pass:word|thirty-two/);
  });
});

describe('fail-open', () => {
  it('passes the request without an identity, with a warning and a count', async () => {
    const { ask, agent, logger } = await startedTestAgent({ ...config, 'fail-open': true });
    const answer = await ask(['x-api-key', 'bad']);
    expect(answer.requestHeaders).toEqual([{ kind: 'remove', name: 'x-api-key' }]);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { reason: 'unknown_credentials' } });
    expect(agent.metrics().counters).toContainEqual(
      expect.objectContaining({
        name: 'auth_failure_total',
        labels: { method: 'api_key', reason: 'unknown_credentials' },
        value: 1,
      }),
    );
  });

  it('passes nothing while no method is configured', async () => {
    const { ask, logger } = await startedTestAgent({ 'fail-open': true });
    expect(logger.lines.find(({ level }) => level === 'warn')?.message).toContain('an authentication method');
    expect((await ask(['x-api-key', 'key-1'])).decision).toMatchObject({ kind: 'block', status: 401 });
  });
});

describe('an agent without a configuration', () => {
  it('decides nothing and reports unhealthy', async () => {
    const { agent, ask } = testAgent(config);
    expect(agent.health().state).toBe('unhealthy');
    expect((await ask(['x-api-key', 'key-1'])).decision).toMatchObject({ kind: 'block', status: 503 });
    const states: string[] = [];
    const stop = agent.onHealthChange(({ state }) => states.push(state));
    await agent.start();
    agent.drain();
    stop();
    expect(states).toEqual(['healthy', 'draining']);
  });
});

describe('the report of an agent', () => {
  it('counts requests, successes by method and failures by reason', async () => {
    const { agent, ask } = await startedTestAgent(config);
    await ask(['x-api-key', 'key-1']);
    await ask(['x-api-key', 'key-1']);
    await ask([]);
    const { counters, histograms } = agent.metrics();
    expect(counters.map(({ name, labels, value }) => [name, labels, value])).toEqual([
      ['auth_requests_total', {}, 3],
      ['auth_success_total', { method: 'api_key' }, 2],
      ['auth_failure_total', { method: 'none', reason: 'missing_credentials' }, 1],
    ]);
    expect(histograms).toHaveLength(1);
    expect(histograms[0]).toMatchObject({ name: 'auth_duration_seconds', count: 3 });
    expect(histograms[0]?.buckets.at(-1)).toEqual({ le: Number.POSITIVE_INFINITY, count: 3 });
    expect(agent.health().load).toMatchObject({ inFlight: 0, requestsProcessed: 3, requestsRejected: 1 });
  });

  it('keeps its metric names stable', async () => {
    const { agent, ask } = await startedTestAgent(config);
    await ask(['x-api-key', 'key-1']);
    await ask([]);
    const { counters, gauges, histograms } = agent.metrics();
    expect([...counters, ...gauges, ...histograms].map(({ name }) => name)).toEqual([
      'auth_requests_total',
      'auth_success_total',
      'auth_failure_total',
      'auth_duration_seconds',
    ]);
  });

  it('answers unrequested body chunks immediately', async () => {
    const { agent } = testAgent({});
    const chunk = { kind: 'request_body_chunk', correlationId: 'c', data: new Uint8Array(), isLast: true } as const;
    const answer = await agent.decide({ ...chunk, totalSize: null, chunkIndex: 0, bytesReceived: 0 }, Symbol('c'));
    expect(answer.decision.kind).toBe('allow');
    expect(answer.needsMore).toBe(false);
  });

  it('refuses a request if its decision fails', async () => {
    const broken = {
      digest: () => '',
      equal: () => {
        throw new Error('broken');
      },
      sha256Hex: () => '',
    };
    const { agent } = await startedTestAgent({ 'api-keys': ['k:n'] }, { digest: broken });
    const answer = await agent.decide(requestEvent(['x-api-key', 'k']), Symbol('c'));
    expect(answer.decision).toMatchObject({ kind: 'block', status: 503 });
  });
});
