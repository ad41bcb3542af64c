import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { ManualClock } from '../shared/manual-clock.js';
import { FakeKeySetSource } from './fake-key-set-source.js';
import { requestEvent, type TestAgent, testAgent, upstreamHeaders } from './test-agent.js';
import { ecPair, publicJwk } from './test-tokens.js';

export const introspectedIssuer = 'https://id.example';
/** The keys of the provider, for its tokens that are JWTs. */
export const introspectedKeys = ecPair();

/** An agent whose provider has this `introspection` block; it ends with the test. */
export const introspectingAgent = async (
  introspection: JsonObject,
  more: JsonObject = {},
  clock = new ManualClock(),
): Promise<TestAgent> => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(introspectedKeys.publicKey), kid: 'one' });
  const oidc = {
    name: 'corp',
    enabled: true,
    issuer: introspectedIssuer,
    'jwks-url': `${introspectedIssuer}/keys`,
    audience: 'api',
    introspection,
    ...more,
  };
  const made = testAgent({ oidc }, { keySetSource, clock });
  onTestFinished(() => made.agent.stop());
  expect(await made.agent.start()).toMatchObject({ ok: true });
  return made;
};

/** A request with a bearer token. */
export const askIntrospecting = async ({ agent }: TestAgent, token: string, ...more: readonly string[]) => {
  const headers = ['Authorization', `Bearer ${token}`, ...more];
  const answer = await agent.decide(requestEvent(headers, `call-${Math.random()}`), Symbol());
  const status = answer.decision.kind === 'block' ? answer.decision.status : 200;
  const reason = answer.audit.reasonCodes[0] ?? null;
  const upstream = upstreamHeaders(headers, answer).filter(
    (_, index, all) => index % 2 === 1 && all[index - 1] === 'X-User-Id',
  );
  return { status, reason, user: upstream[0] ?? null, answer };
};

/** The counted results of introspections. */
export const introspectionResults = ({ agent }: TestAgent): Readonly<Record<string, number>> =>
  Object.fromEntries(
    agent
      .metrics()
      .counters.filter(({ name }) => name === 'introspections_total')
      .map(({ labels, value }) => [labels['result'], value]),
  );
