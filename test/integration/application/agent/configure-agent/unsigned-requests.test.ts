import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveSamlProvider, newSamlKey } from '../../../../support/agent/live-saml-provider.js';
import { startedTestAgent } from '../../../../support/agent/test-agent.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const strict = new LiveSamlProvider({ wantsSignedRequests: true });
const lenient = new LiveSamlProvider();
beforeAll(async () => {
  await strict.start();
  await lenient.start();
});
afterAll(async () => {
  await strict.stop();
  await lenient.stop();
  folder.remove();
});

/** What an agent warns of in its options that starts with the metadata of a provider. */
const warningsOf = async (provider: LiveSamlProvider, files: Record<string, string> = {}): Promise<string[]> => {
  const { agent, logger } = await startedTestAgent({
    saml: {
      enabled: true,
      'entity-id': 'urn:example:sp',
      'acs-url': 'https://app.example/saml/acs',
      'idp-metadata-url': provider.entityId,
      'session-store': 'memory',
      ...files,
    },
  });
  await agent.stop();
  const warnings = logger.lines.filter(({ level, message }) => level === 'warn' && message.startsWith('saml: '));
  return warnings.map(({ message }) => message);
};

describe('an agent without its own key', () => {
  it('warns once at the start if the identity provider requires signed requests', async () => {
    expect(await warningsOf(strict)).toEqual([
      expect.stringMatching(/^saml: the identity provider requires signed requests .* it will refuse sign-ons$/),
    ]);
  });

  it('does not warn otherwise', async () => {
    expect(await warningsOf(lenient)).toEqual([]);
  });
});

it('an agent with a key does not warn', async () => {
  const { key, certificate } = newSamlKey('ours');
  const files = { 'sp-key-file': folder.write('sp.key', key), 'sp-cert-file': folder.write('sp.crt', certificate) };
  expect(await warningsOf(strict, files)).toEqual([]);
});
