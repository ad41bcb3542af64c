import { afterEach, describe, expect, it } from 'vitest';
import { unusedKeySetTtlMs } from '../../../../../src/application/agent/keys/key-sets.js';
import type { ConfigurationGiver } from '../../../../../src/application/ports/agent/agent-service.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { requestEvent, testAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, signToken } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';

const pair = ecPair();
const published = { ...publicJwk(pair.publicKey), kid: 'k1', alg: 'ES256', use: 'sig' };
const provider = {
  enabled: true,
  issuer: 'https://id.example',
  'jwks-url': 'https://id.example/keys',
  audience: 'api',
};
const giver: ConfigurationGiver = { proxyId: 'gateway', proxyVersion: '1', connection: Symbol('connection') };
const refreshMs = 3_600_000;

const made: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const agent of made.splice(0)) await agent.stop();
});

/** An agent whose key sets come from a source that the test holds, and whose time the test moves. */
const keyedAgent = (config: JsonObject, publish = true) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const keySetSource = new FakeKeySetSource();
  if (publish) keySetSource.publish(published);
  else keySetSource.goDown();
  const { agent, logger, ask } = testAgent(config, { clock, scheduler, keySetSource });
  made.push(agent);
  const token = (claims: JsonObject = {}, header: JsonObject = { kid: 'k1' }) =>
    signToken(
      'ES256',
      pair.privateKey,
      { iss: 'https://id.example', aud: 'api', sub: 'ann', exp: clock.seconds() + 7200, ...claims },
      header,
    );
  const decision = async (claims: JsonObject = {}) => {
    const { decision: made } = await ask(['authorization', `Bearer ${token(claims)}`]);
    return made.kind === 'block' ? made.status : made.kind;
  };
  const refreshes = () =>
    agent
      .metrics()
      .counters.filter(({ name }) => name === 'jwks_refresh_total')
      .map(({ labels, value }) => [labels['result'], value]);
  return { agent, logger, ask, clock, scheduler, keySetSource, token, decision, refreshes };
};

describe('an agent with an OIDC provider', () => {
  it("accepts the provider's tokens, cached or not, and reports their user", async () => {
    const { agent, ask, token, keySetSource, refreshes } = keyedAgent({ oidc: provider });
    expect((await agent.start()).ok).toBe(true);
    for (let times = 0; times < 2; times += 1) {
      expect((await ask(['authorization', `Bearer ${token()}`])).requestHeaders).toEqual(
        expect.arrayContaining([
          { kind: 'set', name: 'X-User-Id', value: 'ann' },
          { kind: 'set', name: 'X-Auth-Method', value: 'oidc' },
        ]),
      );
    }
    expect(keySetSource.requests).toBe(1);
    expect(refreshes()).toEqual([['success', 1]]);
    expect(agent.health()).toMatchObject({ state: 'healthy', message: null });
  });

  it('starts without the provider, with a warning, and verifies its tokens as soon as keys arrive', async () => {
    const { agent, logger, keySetSource, scheduler, decision, refreshes } = keyedAgent({ oidc: provider }, false);
    const states: string[] = [];
    agent.onHealthChange(({ state }) => states.push(state));
    expect((await agent.start()).ok).toBe(true);
    expect(logger.lines.find(({ message }) => message.includes('its keys are unavailable'))?.message).toBe(
      'oidc: provider 1: its keys are unavailable, so its tokens cannot be verified: unreachable: nobody listens',
    );
    expect(agent.health()).toMatchObject({
      state: 'unhealthy',
      message: 'provider 1: its keys are absent (unreachable: nobody listens)',
    });
    expect(await decision()).toBe(503);
    keySetSource.publish(published);
    // The second try, for the sake of that token, failed too: the third comes ten seconds later.
    await scheduler.advance(10_000);
    expect(await decision()).toBe('allow');
    expect(states).toEqual(['healthy']);
    expect(refreshes()).toEqual([
      ['failure', 2],
      ['success', 1],
    ]);
  });

  it('waits at most three seconds for the first keys', async () => {
    const { agent, keySetSource, scheduler } = keyedAgent({ oidc: provider });
    keySetSource.isHeld = true;
    let started = false;
    const starting = agent.start().then((outcome) => {
      started = outcome.ok;
    });
    await settled();
    await scheduler.advance(2_999);
    expect(started).toBe(false);
    await scheduler.advance(1);
    await starting;
    expect(started).toBe(true);
    expect(agent.health().state).toBe('unhealthy');
    keySetSource.letGo();
    await settled();
    expect(agent.health().state).toBe('healthy');
  });

  it('is degraded while keys are stale, and continues with the last good keys', async () => {
    const { agent, keySetSource, scheduler, decision } = keyedAgent({ oidc: { ...provider, name: 'corp' } });
    await agent.start();
    const states: string[] = [];
    agent.onHealthChange(({ state }) => states.push(state));
    keySetSource.goDown();
    await scheduler.advance(refreshMs);
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: 'provider "corp": its keys are stale (unreachable: nobody listens)',
    });
    expect(await decision()).toBe('allow');
    keySetSource.publish(published);
    await scheduler.advance(300_000);
    expect(agent.health()).toMatchObject({ state: 'healthy', message: null });
    expect(states).toEqual(['degraded', 'healthy']);
  });

  it('is degraded, not unhealthy, if another method can decide', async () => {
    const { agent, ask, decision } = keyedAgent({ oidc: provider, 'api-keys': ['key:name'] }, false);
    await agent.start();
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: 'provider 1: its keys are absent (unreachable: nobody listens)',
    });
    expect((await ask(['x-api-key', 'key'])).decision.kind).toBe('allow');
    expect(await decision()).toBe(503);
  });

  it('reports draining in any key state', async () => {
    const { agent } = keyedAgent({ oidc: provider }, false);
    await agent.start();
    agent.drain();
    expect(agent.health()).toMatchObject({ state: 'draining', message: null });
  });
});

describe('a token that cannot be verified', () => {
  it('gets 503 with Retry-After, and is counted', async () => {
    const { agent, ask, token } = keyedAgent({ oidc: provider }, false);
    await agent.start();
    const { decision, audit } = await ask(['authorization', `Bearer ${token()}`]);
    expect(decision).toMatchObject({
      kind: 'block',
      status: 503,
      headers: ['Content-Type', 'application/problem+json', 'Retry-After', '5'],
      body: expect.stringContaining('"code":"agent_undecided"'),
    });
    expect(audit.reasonCodes).toEqual(['keys_unavailable']);
    expect(agent.metrics().counters).toContainEqual(
      expect.objectContaining({
        name: 'auth_failure_total',
        labels: { method: 'oidc', reason: 'keys_unavailable' },
        value: 1,
      }),
    );
  });

  it('passes without an identity under fail-open, like any failure', async () => {
    const { agent, ask, token, logger } = keyedAgent({ oidc: provider, 'fail-open': true }, false);
    await agent.start();
    const answer = await ask(['authorization', `Bearer ${token()}`, 'x-user-id', 'root']);
    expect(answer.decision.kind).toBe('allow');
    expect(answer.requestHeaders).toEqual([{ kind: 'remove', name: 'x-user-id' }]);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { reason: 'keys_unavailable' } });
  });
});

describe('the key sets of an agent', () => {
  const other = { ...provider, issuer: 'https://other.example', 'jwks-url': 'https://other.example/keys' };

  it('are released when the agent ends, without a timer left', async () => {
    const { agent, scheduler, keySetSource } = keyedAgent({ oidc: [provider, other] });
    await agent.start();
    expect(keySetSource.requests).toBe(2);
    expect(scheduler.waiting).toBe(2);
    await agent.stop();
    await agent.stop();
    await scheduler.advance(unusedKeySetTtlMs);
    expect(scheduler.waiting).toBe(0);
    await scheduler.advance(refreshMs * 2);
    expect(keySetSource.requests).toBe(2);
  });

  it('are released when another configuration replaces theirs', async () => {
    const { agent, scheduler, keySetSource } = keyedAgent({});
    await agent.start();
    await agent.configure({ oidc: [provider, other] }, giver, 'change');
    await agent.configure({ oidc: provider }, giver, 'change');
    await scheduler.advance(unusedKeySetTtlMs);
    expect(scheduler.waiting).toBe(1);
    await agent.configure({ 'api-keys': ['key:name'] }, giver, 'change');
    await scheduler.advance(unusedKeySetTtlMs);
    expect(scheduler.waiting).toBe(0);
    expect(keySetSource.urls).toEqual(['https://id.example/keys', 'https://other.example/keys']);
  });

  it('survive a new configuration that uses them, and a reload', async () => {
    const { agent, keySetSource, scheduler, decision } = keyedAgent({});
    await agent.start();
    await agent.configure({ oidc: provider }, giver, 'change');
    await agent.configure({ oidc: { ...provider, audience: 'other' } }, giver, 'change');
    expect((await agent.reload()).ok).toBe(true);
    await scheduler.advance(unusedKeySetTtlMs);
    expect(keySetSource.requests).toBe(1);
    expect(scheduler.waiting).toBe(1);
    expect(await decision({ aud: 'other' })).toBe('allow');
  });

  it.each<readonly [string, JsonObject]>([
    ['by its options', { oidc: provider, 'jwt-secret': 'short' }],
    ['by a file', { oidc: provider, mtls: { enabled: true, 'ca-cert-path': '/no/such/file' } }],
    ['by a key', { oidc: provider, 'jwt-algorithm': 'ES256', 'jwt-public-key': '/no/such/file' }],
  ])('are not fetched for a refused configuration %s', async (_, refused) => {
    const { agent, scheduler, keySetSource } = keyedAgent({});
    await agent.start();
    expect((await agent.configure(refused, giver, 'change')).ok).toBe(false);
    expect(keySetSource.requests).toBe(0);
    expect(scheduler.waiting).toBe(0);
  });

  it('are released if the agent ends while it waits for them', async () => {
    const { agent, keySetSource, scheduler } = keyedAgent({ oidc: provider });
    keySetSource.isHeld = true;
    const starting = agent.start();
    await settled();
    await agent.stop();
    keySetSource.letGo();
    await starting;
    await scheduler.advance(unusedKeySetTtlMs);
    expect(scheduler.waiting).toBe(0);
  });

  it('are counted only by the agents that use them', async () => {
    const { agent, keySetSource, scheduler, refreshes } = keyedAgent({});
    await agent.start();
    await agent.configure({ oidc: provider }, giver, 'change');
    await agent.configure({ 'api-keys': ['key:name'] }, giver, 'change');
    keySetSource.goDown();
    await scheduler.advance(refreshMs * 2);
    expect(refreshes()).toEqual([['success', 1]]);
  });
});

describe('failed tokens', () => {
  const shown = async (headers: readonly string[], config: JsonObject = { oidc: provider }) => {
    const { agent } = keyedAgent(config);
    await agent.start();
    const { decision } = await agent.decide(requestEvent(headers), Symbol('connection'));
    if (decision.kind !== 'block') throw new Error(decision.kind);
    const challenges = decision.headers.filter((_, index) => decision.headers[index - 1] === 'WWW-Authenticate');
    return { status: decision.status, challenges, body: decision.body };
  };
  const claims = { iss: 'https://id.example', aud: 'api', sub: 'ann', exp: 1_800_007_200 };
  const signed = (own: JsonObject, header: JsonObject = { kid: 'k1' }, key = pair.privateKey) => [
    'authorization',
    `Bearer ${signToken('ES256', key, { ...claims, ...own }, header)}`,
  ];
  const invalid = 'Bearer realm="gateway", error="invalid_token"';

  it('look the same to a forger for every reason', async () => {
    const [payload, signature] = (signed({})[1] as string).split('.').slice(1) as [string, string];
    const header = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const answers = await Promise.all([
      shown(signed({}, { kid: 'k1' }, ecPair().privateKey)),
      shown(signed({}, { kid: 'other' })),
      shown(signed({ iss: 'https://evil.example' })),
      shown(signed({}, { kid: 'k1', typ: 'id+jwt' })),
      shown(signed({}, { kid: 'k1', crit: ['exp'] })),
      shown(['authorization', `Bearer ${header({ alg: 'RS256', kid: 'k1' })}.${payload}.${signature}`]),
      shown(['authorization', `Bearer ${header({ alg: 'HS256', kid: 'k1' })}.${payload}.${signature}`]),
      shown(['authorization', `Bearer ${header({ alg: 'none', kid: 'k1' })}.${payload}.`]),
      shown(signed({ exp: 1 }, { kid: 'k1' }, ecPair().privateKey)),
      shown(signed({ aud: 'other' }, { kid: 'k1' }, ecPair().privateKey)),
    ]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401, challenges: [invalid] });
  });

  it.each<readonly [string, JsonObject, string]>([
    ['expired', { exp: 1_799_990_000 }, 'The token has expired'],
    ['not valid yet', { nbf: 1_800_003_600 }, 'The token is not valid yet'],
    ['meant for another', { aud: 'other' }, 'The token is meant for another audience'],
  ])('tell their owner that they are %s', async (_, own, description) => {
    const { status, challenges } = await shown(signed(own));
    expect(status).toBe(401);
    expect(challenges).toEqual([`${invalid}, error_description="${description}"`]);
  });

  it('are called malformed if they are', async () => {
    const malformed = `${invalid}, error_description="The token is malformed"`;
    for (const token of ['Bearer a.b', 'Bearer abc', 'Bearer', 'Bearer a b']) {
      expect((await shown(['authorization', token])).challenges).toEqual([malformed]);
    }
  });

  it('get 403 if only a scope is missing', async () => {
    const config = { oidc: { ...provider, 'required-scopes': ['read', 'write'] }, 'basic-auth-users': ['u:p'] };
    const answer = await shown([...signed({ scope: 'read' }), 'x-correlation-id', 'abc'], config);
    expect(answer.status).toBe(403);
    expect(answer.challenges).toEqual(['Bearer realm="gateway", error="insufficient_scope", scope="read write"']);
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ code: 'insufficient_scope', correlation_id: 'abc' });
    // Without the signature nobody learns which scopes would do.
    const forged = await shown(signed({ scope: 'read' }, { kid: 'k1' }, ecPair().privateKey), config);
    expect(forged).toMatchObject({ status: 401, challenges: [invalid] });
  });

  it('leave other methods a chance, and Basic is offered if no token was sent', async () => {
    const config = { oidc: provider, 'basic-auth-users': ['u:p'] };
    expect((await shown([], config)).challenges).toEqual([
      'Bearer realm="gateway"',
      'Basic realm="gateway", charset="UTF-8"',
    ]);
    expect((await shown(signed({ aud: 'other' }), config)).challenges).toHaveLength(1);
  });
});
