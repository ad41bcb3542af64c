import { afterEach, describe, expect, it } from 'vitest';
import { sharedExchangeKeyWarnings } from '../../../../../src/application/agent/configure-agent/shared-signing-keys.js';
import type { JwtKey, JwtOptions } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { privatePem } from '../../../../support/agent/exchange-company.js';
import { exchangeConfig, subjectSecret } from '../../../../support/agent/exchanging-agent.js';
import { exchangeOptions } from '../../../../support/agent/fake-token-exchange.js';
import { startedTestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicPem } from '../../../../support/agent/test-tokens.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const secretKey: JwtKey = { algorithm: 'HS256', secret: new Secret('S3CRET') };
const jwtOptions = (changes: Partial<JwtOptions> = {}): JwtOptions => ({
  key: secretKey,
  issuer: null,
  audience: null,
  ...changes,
});

const signer = { sign: async (type: string, payload: string) => `${type}.${payload}.by-ours` };
const same = { isSigned: (token: string) => token.endsWith('.by-ours') };
const other = { isSigned: () => false };

const warnings = async (jwt: JwtOptions | null, verifier = same, signingKey = signer) =>
  (await sharedExchangeKeyWarnings({ jwt, tokenExchange: exchangeOptions }, verifier, signingKey)).map(
    ({ severity, option, place, message }) => [severity, option, place?.key, message],
  );

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

describe('issued tokens that are also bearer tokens', () => {
  it('cause a warning if both use one key', async () => {
    expect(await warnings(jwtOptions())).toEqual([
      [
        'warning',
        'token-exchange',
        'signing-key-file',
        'signing-key-file: the first key is that of jwt-secret, and jwt-audience is not set: every issued token is valid on every route',
      ],
    ]);
    expect(await warnings(jwtOptions({ issuer: exchangeOptions.issuer }))).toHaveLength(1);
    const key: JwtKey = { algorithm: 'RS256', publicKeyFile: '/key.pem' };
    expect((await warnings(jwtOptions({ key })))[0]?.[3]).toContain('that of jwt-public-key');
  });

  it('cause no warning if something separates them', async () => {
    expect(await warnings(jwtOptions(), other)).toEqual([]);
    expect(await warnings(jwtOptions({ audience: 'api' }))).toEqual([]);
    expect(await warnings(jwtOptions({ issuer: 'https://other.example' }))).toEqual([]);
    expect(await warnings(null)).toEqual([]);
    expect(await sharedExchangeKeyWarnings({ jwt: jwtOptions(), tokenExchange: null }, same, signer)).toEqual([]);
    expect(
      await sharedExchangeKeyWarnings({ jwt: jwtOptions(), tokenExchange: exchangeOptions }, null, signer),
    ).toEqual([]);
  });

  it('cause no warning if nothing can be signed', async () => {
    const broken = { sign: () => Promise.reject(new Error('it is broken')) };
    expect(await warnings(jwtOptions(), same, broken)).toEqual([]);
  });
});

describe("an agent whose bearer tokens share the issuer's key", () => {
  const told = async (...config: Parameters<typeof exchangeConfig>): Promise<boolean> => {
    const { agent, logger } = await startedTestAgent(exchangeConfig(...config));
    await agent.stop();
    return logger.lines.some(({ message }) => message.includes('every issued token is valid on every route'));
  };
  const folderOf = (): TemporaryFolder => {
    const folder = temporaryFolder();
    folders.push(folder);
    return folder;
  };

  it('warns for a secret, for any line end of its file', async () => {
    const folder = folderOf();
    const exchange = { 'signing-algorithm': 'HS256' };
    const [shared, own] = [folder.write('shared', `${subjectSecret}\n`), folder.write('own', `${subjectSecret}!\n`)];
    expect(await told([shared], exchange)).toBe(true);
    expect(await told([own], exchange)).toBe(false);
    expect(await told([own, shared], exchange)).toBe(false);
    expect(await told([shared], exchange, { 'jwt-audience': 'api' })).toBe(false);
  });

  it('warns for a key pair', async () => {
    const folder = folderOf();
    const [pair, other] = [ecPair(), ecPair()];
    const files = [folder.write('signing.pem', privatePem(pair))];
    const verifying = (file: string) => ({ 'jwt-secret': null, 'jwt-public-key': file, 'jwt-algorithm': 'ES256' });
    expect(await told(files, {}, verifying(folder.write('p.pem', publicPem(pair.publicKey))))).toBe(true);
    expect(await told(files, {}, verifying(folder.write('o.pem', publicPem(other.publicKey))))).toBe(false);
  });
});
