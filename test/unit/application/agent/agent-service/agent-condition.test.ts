import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { privatePem } from '../../../../support/agent/exchange-company.js';
import { exchangeConfig, tokenIssuer } from '../../../../support/agent/exchanging-agent.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { testAgent } from '../../../../support/agent/test-agent.js';
import { ecPair } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const keyFile = (): string => {
  const folder: TemporaryFolder = temporaryFolder();
  cleanUps.push(() => folder.remove());
  return folder.write('signing.pem', privatePem(ecPair()));
};

const provider = (issuer: string): JsonObject => ({
  enabled: true,
  issuer,
  'jwks-url': `${issuer}/token/jwks`,
  audience: 'api',
});
const own = provider(tokenIssuer);
const foreign = provider('https://id.example');

/** What an agent with token exchange says of itself while no key set can be had. */
const stateWith = async (config: JsonObject): Promise<string> => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.goDown();
  const scheduler = new ManualScheduler(new ManualClock());
  const { agent } = testAgent(exchangeConfig([keyFile()], {}, { 'jwt-secret': null, ...config }), {
    keySetSource,
    scheduler,
  });
  cleanUps.push(() => agent.stop());
  expect((await agent.start()).ok).toBe(true);
  return agent.health().state;
};

describe('an agent with token exchange whose providers have no keys', () => {
  it('is unhealthy for keys of other issuers: it can verify no token', async () => {
    expect(await stateWith({ oidc: foreign })).toBe('unhealthy');
    expect(await stateWith({ oidc: [own, foreign] })).toBe('unhealthy');
  });

  it('is degraded for its own keys, which come through the gateway that waits for it', async () => {
    expect(await stateWith({ oidc: own })).toBe('degraded');
  });

  it('is degraded if another method can decide', async () => {
    expect(await stateWith({ oidc: foreign, 'jwt-secret': 'j'.repeat(32) })).toBe('degraded');
  });

  it('is healthy without providers', async () => {
    expect(await stateWith({})).toBe('healthy');
  });
});
