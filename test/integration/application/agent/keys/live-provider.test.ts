import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maximumRefetchWaiters } from '../../../../../src/application/agent/keys/key-set.js';
import { keyWaitMs } from '../../../../../src/application/agent/verify-tokens/provider-tokens.js';
import { type KeySetDisturbance, LiveOidcProvider } from '../../../../support/agent/live-oidc-provider.js';
import { startedTestAgent, type TestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, rsaPair, signToken } from '../../../../support/agent/test-tokens.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';

const refreshMs = 600_000;
const first = { kid: 'first', algorithm: 'RS256' } as const;
const second = { kid: 'second', algorithm: 'ES256' } as const;

const provider = new LiveOidcProvider();
let clock: ManualClock;
let scheduler: ManualScheduler;
let agent: TestAgent;

const startAgent = (): Promise<TestAgent> =>
  startedTestAgent(
    {
      oidc: {
        enabled: true,
        issuer: provider.issuer,
        'jwks-url': provider.jwksUrl,
        audience: 'api',
        'jwks-refresh-secs': refreshMs / 1000,
      },
    },
    { clock, scheduler },
  );

/** `allow`, or the status and the reason of the refusal. */
const judge = async (token: string): Promise<string> => {
  const { decision, audit } = await agent.ask(['authorization', `Bearer ${token}`]);
  return decision.kind === 'block' ? `${decision.status} ${audit.reasonCodes.join()}` : decision.kind;
};

/** Attempts to refresh the key set that have ended. */
const refreshes = (): number =>
  agent.agent
    .metrics()
    .counters.filter(({ name }) => name === 'jwks_refresh_total')
    .reduce((sum, { value }) => sum + value, 0);

/** Moves the clock, so far that an attempt comes due, and waits until it has ended. */
const refreshAfter = async (ms: number): Promise<void> => {
  const before = refreshes();
  await scheduler.advance(ms);
  await eventually(() => refreshes() > before);
};

beforeEach(async () => {
  provider.disturbance = null;
  await provider.start(first);
  // The provider's own clock is that of the machine.
  clock = new ManualClock(Date.now());
  scheduler = new ManualScheduler(clock);
  agent = await startAgent();
});
afterEach(async () => {
  await agent.agent.stop();
  await provider.stop();
});
afterAll(() => provider.stop());

describe('the keys of a live provider', () => {
  it('rotate under load without refusing a valid token or accepting a withdrawn key', async () => {
    const old = await provider.token();
    let current = old;
    let stopped = false;
    const outcomes: string[] = [];
    const lanes = Array.from({ length: 8 }, async () => {
      while (!stopped) {
        outcomes.push(await judge(current));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await eventually(() => outcomes.length > 50);

    // The new key is published beside the old one, and signs from the next token on.
    provider.publish([first, second], second);
    const renewed = await provider.token();
    current = renewed;
    const before = outcomes.length;
    await eventually(() => outcomes.length > before + 200);
    expect(await judge(old)).toBe('allow');
    expect(provider.keySetRequests).toBe(2);

    // The old key is taken back; until the refresh nobody knows.
    provider.publish([second], second);
    expect(await judge(old)).toBe('allow');
    await refreshAfter(refreshMs);
    expect(provider.keySetRequests).toBe(3);
    expect(await judge(old)).toBe('401 unknown_key');
    stopped = true;
    await Promise.all(lanes);
    expect(new Set(outcomes)).toEqual(new Set(['allow']));
    expect(await judge(renewed)).toBe('allow');
  });

  it('work while the provider is down for ten minutes, and the agent reports degraded', async () => {
    await refreshAfter(refreshMs);
    await provider.goDown();
    await scheduler.advance(refreshMs / 2);
    expect(agent.agent.health()).toMatchObject({ state: 'healthy' });
    const privateKey = provider.privateKey(first.kid);
    for (let passedMs = 0; passedMs < 2 * refreshMs; passedMs += 10_000) {
      await scheduler.advance(10_000);
      await settled();
      expect(await judge(signToken('RS256', privateKey, claimsFor(), { kid: first.kid }))).toBe('allow');
    }
    await eventually(() => agent.agent.health().state === 'degraded');
    expect(await judge(signToken('RS256', rsaPair().privateKey, claimsFor(), { kid: first.kid }))).toBe(
      '401 bad_signature',
    );

    await provider.comeBack();
    await refreshAfter(300_000);
    expect(agent.agent.health()).toMatchObject({ state: 'healthy' });
  });

  it('do not delay tokens with a known key, even with a slow provider', async () => {
    const token = await provider.token();
    const held: ServerResponse[] = [];
    provider.disturbance = (_request, response) => void held.push(response);
    const stranger = judge(signToken('ES256', ecPair().privateKey, claimsFor(), { kid: 'unknown' }));
    await eventually(() => held.length === 1);
    expect(await judge(token)).toBe('allow');
    // Whoever waits for the fetch waits less than the gateway does.
    await scheduler.advance(keyWaitMs);
    expect(await stranger).toBe('503 keys_unavailable');
    for (const response of held) response.destroy();
  });

  it('are fetched once for a thousand tokens with unknown kids within a second', async () => {
    const before = provider.keySetRequests;
    const { privateKey } = ecPair();
    const tokens = Array.from({ length: 1_000 }, (_, index) =>
      signToken('ES256', privateKey, claimsFor(), { kid: `unknown-${index}` }),
    );
    const outcomes = await Promise.all(
      tokens.map(async (token, index) => {
        if (index % 100 === 0) clock.advance(100);
        return judge(token);
      }),
    );
    // So many wait for it, the others are to come again.
    expect(outcomes.filter((outcome) => outcome === '401 unknown_key')).toHaveLength(maximumRefetchWaiters);
    expect(outcomes.filter((outcome) => outcome === '503 keys_unavailable')).toHaveLength(
      1_000 - maximumRefetchWaiters,
    );
    expect(provider.keySetRequests - before).toBe(1);
    expect(await judge(tokens[0] as string)).toBe('401 unknown_key');
    clock.advance(29_000);
    expect(await judge(tokens[0] as string)).toBe('401 unknown_key');
    expect(provider.keySetRequests - before).toBe(1);
  });

  const answering =
    (status: number, headers: Readonly<Record<string, string>>, body: string): KeySetDisturbance =>
    (_request, response) =>
      void response.writeHead(status, headers).end(body);
  const json = { 'Content-Type': 'application/json' };
  const strong = publicJwk(ecPair().publicKey);
  const keySet = (...keys: readonly object[]): string => JSON.stringify({ keys });

  it.each<readonly [string, KeySetDisturbance]>([
    ['an error', answering(500, json, '{}')],
    ['a redirect', answering(302, { Location: '/elsewhere' }, '')],
    ['a page', answering(200, { 'Content-Type': 'text/html' }, '<html>signed out</html>')],
    ['half of a set', answering(200, json, '{"keys":[{"kty":"RSA"')],
    ['no set', answering(200, json, '[]')],
    ['an empty set', answering(200, json, keySet())],
    [
      'too many keys',
      answering(200, json, keySet(...Array.from({ length: 101 }, (_, kid) => ({ ...strong, kid: `${kid}` })))),
    ],
    ['a megabyte', answering(200, json, `{"keys":[],"filler":"${'x'.repeat(1024 * 1024)}"}`)],
    ['deep nesting', answering(200, json, `{"keys":[],"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)],
    ['a broken connection', (_request, response) => void response.destroy()],
  ])('stay unchanged if the provider answers with %s', async (_what, disturbance) => {
    const good = () => signToken('RS256', provider.privateKey(first.kid), claimsFor(), { kid: first.kid });
    provider.disturbance = disturbance;
    await refreshAfter(refreshMs);
    expect(agent.agent.health()).toMatchObject({ state: 'degraded' });
    expect(await judge(good())).toBe('allow');
    expect(await judge(signedElsewhere())).toBe('401 bad_signature');
    expect(agent.agent.metrics().counters).toContainEqual(
      expect.objectContaining({ name: 'jwks_refresh_total', labels: { result: 'failure' }, value: 1 }),
    );
  });

  it.each<readonly [string, object]>([
    ['shared secrets', { kty: 'oct', kid: 'first', alg: 'HS256', k: 'c2VjcmV0' }],
    ['a short key', { ...publicJwk(rsaPair(1024).publicKey), kid: 'first' }],
    ['a private key', { ...ecPair().privateKey.export({ format: 'jwk' }), kid: 'first' }],
    ['a key for encryption', { ...strong, kid: 'first', use: 'enc' }],
    ['a key of a type to come', { kty: 'AKP', kid: 'next', alg: 'ML-DSA-44', pub: 'AAAA' }],
  ])('are withdrawn if the provider publishes only %s', async (_what, jwk) => {
    const lasting = { ...claimsFor(), exp: clock.seconds() + 7_200 };
    const remembered = signToken('RS256', provider.privateKey(first.kid), lasting, { kid: first.kid });
    expect(await judge(remembered)).toBe('allow');
    provider.disturbance = answering(200, json, keySet(jwk));
    await refreshAfter(refreshMs);
    expect(agent.agent.health()).toMatchObject({
      state: 'degraded',
      message: expect.stringContaining('none that can be used'),
    });
    expect(await judge(remembered)).toBe('401 unknown_key');
    expect(await judge(signToken('RS256', provider.privateKey(first.kid), claimsFor(), { kid: first.kid }))).toBe(
      '401 unknown_key',
    );
    provider.disturbance = null;
    // The fetch for the sake of the unknown key was the second that failed.
    await refreshAfter(10_000);
    expect(agent.agent.health()).toMatchObject({ state: 'healthy' });
    expect(await judge(remembered)).toBe('allow');
  });
});

/** What a good token of the provider says. */
const claimsFor = (): Record<string, unknown> => ({
  iss: provider.issuer,
  aud: 'api',
  sub: 'mallory',
  exp: clock.seconds() + 300,
});

/** A token that claims to be signed with the provider's key, and is not. */
const signedElsewhere = (): string => signToken('RS256', rsaPair().privateKey, claimsFor(), { kid: first.kid });
