import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { LiveOidcProvider } from '../../../../support/agent/live-oidc-provider.js';
import { startedTestAgent, type TestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, rsaPair, signToken } from '../../../../support/agent/test-tokens.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const startAgent = async (cleanUp: CleanUp, oidc: JsonObject): Promise<TestAgent> => {
  const made = await startedTestAgent(
    { oidc: { enabled: true, audience: 'api', ...oidc } },
    // Providers use the clock of the machine.
    { clock: new ManualClock(Date.now()) },
  );
  cleanUp.add(() => made.agent.stop());
  return made;
};

/** `allow`, or the status and the reason of the refusal. */
const judge = async ({ ask }: TestAgent, token: string): Promise<string> => {
  const { decision, audit } = await ask(['authorization', `Bearer ${token}`]);
  return decision.kind === 'block' ? `${decision.status} ${audit.reasonCodes.join()}` : decision.kind;
};

const claimsOf = (iss: string, more: JsonObject = {}): JsonObject => {
  const nowSecs = Math.floor(Date.now() / 1000);
  return { iss, sub: 'ann', aud: 'api', iat: nowSecs, exp: nowSecs + 300, ...more };
};

describe('a provider without jwks-url', () => {
  it('is found by its discovery document', async ({ cleanUp }) => {
    const provider = new LiveOidcProvider();
    await provider.start({ kid: 'first', algorithm: 'ES256' });
    cleanUp.add(() => provider.stop());
    const agent = await startAgent(cleanUp, { issuer: provider.issuer });
    expect(await judge(agent, await provider.token())).toBe('allow');
  });
});

describe('tenants of a provider', () => {
  const [ofOne, ofTwo, strangers] = [ecPair(), rsaPair(), ecPair()];
  /** Answers by path; a test changes them. */
  const documents = new Map<string, JsonObject>();
  let server: Server;
  let origin: string;
  let agent: TestAgent;

  const issuerOf = (tenant: string) => `${origin}/${tenant}/v2.0`;
  const discovery = (tenant: string) => `/${tenant}/v2.0/.well-known/openid-configuration`;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    server = createServer(({ url = '' }, response) => {
      const document = documents.get(url);
      response.writeHead(document === undefined ? 404 : 200).end(JSON.stringify(document ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => server.close());
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    documents.set('/one/keys', { keys: [{ ...publicJwk(ofOne.publicKey), kid: 'key' }] });
    documents.set('/two/keys', { keys: [{ ...publicJwk(ofTwo.publicKey), kid: 'key' }] });
    for (const tenant of ['one', 'two', 'three']) {
      documents.set(discovery(tenant), { issuer: issuerOf(tenant), jwks_uri: `${origin}/${tenant}/keys` });
    }
    // A document of another issuer would have the tokens of one tenant verified by the keys of the other.
    documents.set(discovery('three'), { issuer: issuerOf('one'), jwks_uri: `${origin}/one/keys` });
    agent = await startAgent(cleanUp, {
      name: 'corp',
      issuer: `${origin}/{tenantid}/v2.0`,
      tenants: ['one', 'two', 'three'],
      audience: ['other', 'api'],
      algorithms: ['ES256', 'PS256'],
    });
  });

  it('are accepted with tokens of their own keys', async () => {
    const one = signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('one')), { kid: 'key' });
    const two = signToken('PS256', ofTwo.privateKey, claimsOf(issuerOf('two'), { aud: ['x', 'other'] }), {
      kid: 'key',
    });
    expect([await judge(agent, one), await judge(agent, two)]).toEqual(['allow', 'allow']);
  });

  it.each<[string, () => string, string]>([
    [
      'a token of one tenant signed by the key of another',
      () => signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('two')), { kid: 'key' }),
      '401 wrong_algorithm',
    ],
    [
      'a token signed by a key of nobody',
      () => signToken('ES256', strangers.privateKey, claimsOf(issuerOf('one')), { kid: 'key' }),
      '401 bad_signature',
    ],
    [
      'a token of a tenant that is not listed',
      () => signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('four')), { kid: 'key' }),
      '401 unknown_issuer',
    ],
    [
      'a token whose issuer still has the placeholder',
      () => signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('{tenantid}')), { kid: 'key' }),
      '401 unknown_issuer',
    ],
    [
      'a token with an algorithm that is not accepted',
      () => signToken('RS256', ofTwo.privateKey, claimsOf(issuerOf('two')), { kid: 'key' }),
      '401 wrong_algorithm',
    ],
    [
      'a token for another audience',
      () => signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('one'), { aud: 'stranger' }), { kid: 'key' }),
      '401 wrong_audience',
    ],
    [
      'a token of a tenant whose discovery document is that of another issuer',
      () => signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('three')), { kid: 'key' }),
      '503 keys_unavailable',
    ],
  ])('refuse %s', async (_, token, refusal) => {
    expect(await judge(agent, token())).toBe(refusal);
  });

  it('keep their keys if a later discovery document names unreachable ones', async () => {
    documents.set(discovery('one'), { issuer: issuerOf('one'), jwks_uri: `${origin}/moved/keys` });
    // A kid that nobody has makes the agent fetch the keys again.
    const unknown = signToken('ES256', strangers.privateKey, claimsOf(issuerOf('one')), { kid: 'unknown' });
    const known = signToken('ES256', ofOne.privateKey, claimsOf(issuerOf('one'), { sub: 'bob' }), { kid: 'key' });
    expect(await judge(agent, unknown)).toBe('401 unknown_key');
    await eventually(() => agent.logger.lines.some(({ message }) => message === 'the key set could not be fetched'));
    expect(await judge(agent, known)).toBe('allow');
  });
});
