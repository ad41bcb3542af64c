import { afterEach, describe, expect, it } from 'vitest';
import { PasswordChecks } from '../../../../../src/application/agent/authenticate/password-checks.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { privatePem } from '../../../../support/agent/exchange-company.js';
import { exchangeConfig } from '../../../../support/agent/exchanging-agent.js';
import { type AgentServiceOverrides, startedTestAgent, testAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicPem, rsaPair } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const place = (): TemporaryFolder => {
  const folder = temporaryFolder();
  folders.push(folder);
  folder.write('signing.pem', privatePem(ecPair()));
  return folder;
};

const problemsOf = async (config: JsonObject, parts: AgentServiceOverrides = {}): Promise<readonly string[]> => {
  const { agent } = testAgent(config, parts);
  const started = await agent.start();
  const found = started.ok ? [] : started.error.filter(({ severity }) => severity === 'error');
  return found.map(({ option, message, place: { client, key } = {} }) =>
    [option, ...(client === undefined ? [] : [client]), key ?? '', message].join(' | '),
  );
};

describe('the keys of token exchange', () => {
  it('cause an error at their key if any of them is unusable', async () => {
    const folder = place();
    const [signing, secret, gone] = [folder.file('signing.pem'), folder.write('secret', 'x'), folder.file('gone')];
    const text = folder.write('text', 'x');
    const client = (name: string, ...files: string[]) => ({ name, 'public-key-file': files });
    const clients = { client: [client('a', gone), client('b', signing, secret)] };
    const found = await problemsOf(exchangeConfig([secret, gone, signing, text], { clients }));
    expect(found).toEqual([
      expect.stringMatching(/^token-exchange \| signing-key-file \| signing-key-file: the file .*\/secret /),
      expect.stringMatching(/^token-exchange \| signing-key-file \| .*\/gone cannot be read: it does not exist$/),
      expect.stringMatching(/^token-exchange \| signing-key-file \| .*\/text holds no PEM key$/),
      expect.stringMatching(
        /^token-exchange \| 0 \| public-key-file \| client "a": public-key-file: the file .*\/gone cannot/,
      ),
      expect.stringMatching(/^token-exchange \| 1 \| public-key-file \| .*\/signing\.pem holds /),
      expect.stringMatching(/^token-exchange \| 1 \| public-key-file \| .*\/secret holds /),
    ]);
  });

  it('must match the algorithm for the first key; the others may have other algorithms', async () => {
    const folder = place();
    const files = [folder.file('signing.pem'), folder.write('p.pem', publicPem(ecPair().publicKey))];
    const [wrong] = await problemsOf(exchangeConfig(files, { 'signing-algorithm': 'EdDSA' }));
    expect(wrong).toMatch(/signing\.pem holds /);
    expect(await problemsOf(exchangeConfig([files[1] as string]))).toEqual([expect.stringMatching(/p\.pem holds /)]);
    expect(await problemsOf(exchangeConfig(files))).toEqual([]);
  });

  it.each([
    ['ES256', rsaPair, 'RS256', 'a key by openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256'],
    ['RS256', ecPair, 'ES256', 'a key by openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072'],
    ['HS256', ecPair, 'ES256', 'a secret by openssl rand -hex 32'],
  ])('of another algorithm than %s cause an error with advice', async (algorithm, pair, fitting, recipe) => {
    const file = place().write('key.pem', privatePem(pair()));
    const { agent } = testAgent(exchangeConfig([file], { 'signing-algorithm': algorithm }));
    const started = await agent.start();
    expect(started.ok ? [] : started.error.filter(({ severity }) => severity === 'error')).toMatchObject([
      { suggestion: `set signing-algorithm to "${fitting}" or make ${recipe}` },
    ]);
  });

  it('that suit no algorithm cause an error without that advice', async () => {
    const folder = place();
    for (const file of [folder.write('public.pem', publicPem(rsaPair().publicKey)), folder.write('text', 'x')]) {
      const { agent } = testAgent(exchangeConfig([file], { 'signing-algorithm': 'ES256' }));
      const started = await agent.start();
      expect(started.ok ? [] : started.error.filter(({ severity }) => severity === 'error')).toMatchObject([
        { suggestion: null },
      ]);
    }
  });

  it('can be a secret, with a previous key', async () => {
    const folder = place();
    const secret = folder.write('secret', `${'a secret of more than 32 octets'.repeat(2)}\n`);
    const exchange = { 'signing-algorithm': 'HS256' };
    expect(await problemsOf(exchangeConfig([secret, folder.file('signing.pem')], exchange))).toEqual([]);
    const short = folder.write('short', 'short');
    expect(await problemsOf(exchangeConfig([secret, short], exchange))).toEqual([
      expect.stringMatching(/\/short has fewer than 32 bytes$/),
    ]);
  });

  it('are logged with the name of the signing key', async () => {
    const { logger } = await startedTestAgent(exchangeConfig([place().file('signing.pem')]));
    const taken = logger.lines.find(({ message }) => message === 'configuration applied');
    expect(taken?.fields).toMatchObject({
      token_issuer: 'https://gateway.example',
      kid: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe('the clients of token exchange', () => {
  it('can have hashed secrets only if the hashes can be verified', async () => {
    const folder = place();
    const hash = `$2b$04$${'.'.repeat(53)}`;
    const clients = { client: { name: 'desk', secret: hash, 'allowed-audiences': ['orders'] } };
    const verifier = { prepare: async () => err('it is not there'), matches: async () => ok(false) };
    const passwords = new PasswordChecks({ verifier, clock: new ManualClock(), logger: new RecordingLogger() });
    const config = exchangeConfig([folder.file('signing.pem')], { clients });
    expect(await problemsOf(config, { passwords })).toEqual([
      'token-exchange |  | bcrypt secrets cannot be checked here: it is not there',
    ]);
    expect(await problemsOf(config)).toEqual([]);
  });
});
