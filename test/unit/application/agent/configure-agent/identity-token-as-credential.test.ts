import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { privatePem } from '../../../../support/agent/exchange-company.js';
import { exchangeConfig } from '../../../../support/agent/exchanging-agent.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { requestEvent, testAgent, upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, publicPem, signToken } from '../../../../support/agent/test-tokens.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import type { TemporaryFolder } from '../../../../support/shared/temporary-folder.js';

const issuer = 'https://gateway.example/identity';
const corp = 'https://id.example';
const pair = ecPair();
const other = ecPair();
const key = 'the-key-of-the-robot';

interface World {
  readonly folder: TemporaryFolder;
  readonly cleanUp: CleanUp;
}

/** An agent that signs identity tokens with `pair`. Its providers have that key, with the kid of the tokens. */
const signing = async ({ folder, cleanUp }: World, config: JsonObject, kid = '') => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(pair.publicKey), kid });
  const file = folder.write('identity.pem', privatePem(pair));
  folder.write('identity.pub', publicPem(pair.publicKey));
  folder.write('other.pub', publicPem(other.publicKey));
  const identity = { issuer, 'signing-key-file': file };
  const made = testAgent({ 'api-keys': `${key}:robot`, 'identity-token': identity, ...config }, { keySetSource });
  const started = await made.agent.start();
  cleanUp.add(() => made.agent.stop());
  const ask = (headers: readonly string[]) => {
    const event = requestEvent(headers);
    const metadata = { ...event.metadata, upstreamId: 'back' };
    return made.agent.decide({ ...event, metadata }, Symbol('connection'));
  };
  /** What an upstream gets for the robot. */
  const issued = async (): Promise<string> => {
    const headers = upstreamHeaders([], await ask(['x-api-key', key]));
    return headers[headers.indexOf('X-Identity-Token') + 1] ?? '';
  };
  const reason = async (token: string): Promise<string> => {
    const { decision, audit } = await ask(['authorization', `Bearer ${token}`]);
    return decision.kind === 'block' ? `${decision.status} ${audit.reasonCodes.join()}` : decision.kind;
  };
  const warnings = made.logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { ...made, started, issued, reason, warnings };
};

const kidOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

describe('an identity token that an upstream shows as its credential', () => {
  it('is refused although jwt-public-key verifies it', async ({ folder, cleanUp }) => {
    const jwt = { 'jwt-public-key': folder.file('identity.pub'), 'jwt-algorithm': 'ES256' };
    const { issued, reason, warnings, clock } = await signing({ folder, cleanUp }, jwt);
    expect(await reason(await issued())).toBe('401 wrong_type');
    expect(warnings).toContainEqual(expect.stringContaining('the first key is also that of jwt-public-key'));
    // Tokens of that key and another issuer still count.
    const exp = clock.seconds() + 60;
    expect(await reason(signToken('ES256', pair.privateKey, { sub: 'ann', iss: corp, exp }))).toBe('allow');
  });

  it('is refused although the key set of a provider with the same issuer verifies it', async ({ folder, cleanUp }) => {
    const first = await signing({ folder, cleanUp }, {});
    const kid = kidOf(await first.issued());
    const provider = { name: 'self', enabled: true, issuer, 'jwks-url': `${corp}/keys` };
    const { issued, reason, warnings, clock } = await signing({ folder, cleanUp }, { oidc: provider }, kid);
    const token = await issued();
    expect(await reason(token)).toBe('401 wrong_type');
    expect(await reason(token)).toBe('401 wrong_type');
    expect(warnings).toContainEqual(expect.stringContaining('a key is also in the key set of provider "self"'));
    // A forger cannot avoid the check with another kid: the key set has no such key.
    const forged = signToken(
      'ES256',
      pair.privateKey,
      { sub: 'ann', iss: issuer, exp: clock.seconds() + 60 },
      { kid: 'x' },
    );
    expect(await reason(forged)).toBe('401 unknown_key');
  });

  it('causes no warning if the keys differ', async ({ folder, cleanUp }) => {
    const jwt = { 'jwt-public-key': folder.file('other.pub'), 'jwt-algorithm': 'ES256', 'jwt-audience': 'api' };
    const oidc = { enabled: true, issuer: corp, 'jwks-url': `${corp}/keys`, audience: 'api' };
    const { issued, reason, warnings } = await signing({ folder, cleanUp }, { ...jwt, oidc }, 'another');
    expect(await reason(await issued())).toMatch(/^401 /);
    expect(warnings).toEqual([]);
  });
});

describe('a key of both identity-token and token-exchange', () => {
  const exchange = (folder: TemporaryFolder, from: string): JsonObject => ({
    ...exchangeConfig([folder.file('identity.pem')], { issuer: from, 'jwks-path': '/exchange/keys' }),
  });

  it('is a warning, and with the same issuer an error', async ({ folder, cleanUp }) => {
    const two = await signing({ folder, cleanUp }, exchange(folder, 'https://gateway.example'));
    expect(two.started.ok ? [] : two.started.error).toEqual([]);
    expect(two.warnings).toContainEqual(expect.stringContaining('a key is also in token-exchange'));
    const one = await signing({ folder, cleanUp }, exchange(folder, issuer));
    expect(one.started.ok ? [] : one.started.error.map(({ message }) => message)).toContainEqual(
      'signing-key-file: a key and the issuer are also in token-exchange',
    );
  });
});
