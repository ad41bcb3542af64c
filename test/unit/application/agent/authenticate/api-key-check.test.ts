import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { ApiKeyCheck } from '../../../../../src/application/agent/authenticate/api-key-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import type { SecretDigest } from '../../../../../src/application/ports/shared/secret-digest.js';
import type { ApiKey } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { parseApiKey } from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const keys = (...entries: readonly string[]): ApiKey[] =>
  entries.map((entry) => {
    const key = parseApiKey(new Secret(entry));
    if (!key.ok) throw new Error(key.error);
    return key.value;
  });

const checkWith = (known: readonly ApiKey[], digest: SecretDigest = new HmacSecretDigest()): ApiKeyCheck =>
  new ApiKeyCheck(known, (identity) => preparedIdentity(identity, []), digest);

/** The user id, or the reason why there is none. */
const ask = (check: ApiKeyCheck, apiKey: string | null): string => {
  const outcome = check.check({ authorization: null, apiKey, certificate: null, sessionCookies: [] });
  if (outcome.kind === 'authenticated') return outcome.prepared.identity.userId;
  return outcome.kind === 'failed' ? outcome.reason : outcome.kind;
};

describe('API keys', () => {
  const digest = sha256('billing-key');
  const check = checkWith(keys('reports-key:reports', `sha256:${digest.toUpperCase()}:billing`));

  it('match in plain text or as a digest', () => {
    expect(ask(check, 'reports-key')).toBe('reports');
    expect(ask(check, 'billing-key')).toBe('billing');
    expect(ask(check, null)).toBe('absent');
  });

  it.each([
    digest,
    digest.toUpperCase(),
    `sha256:${digest}`,
    sha256('reports-key'),
    `sha256:${sha256('reports-key')}`,
    sha256(digest),
    'billing-key ',
    'Billing-key',
    '',
    'sha256:',
  ])('do not match by a digest or a similar text: %s', (shown) => {
    expect(ask(check, shown)).toBe('unknown_credentials');
  });

  it('use the first entry if one key is given both in plain text and hashed', () => {
    const twice = keys('one-key:first', `sha256:${sha256('one-key')}:second`);
    expect(ask(checkWith(twice), 'one-key')).toBe('first');
    expect(ask(checkWith(twice.toReversed()), 'one-key')).toBe('second');
  });

  it('take constant time for any number of keys and any input', () => {
    const real = new HmacSecretDigest();
    let work: string[] = [];
    const counting: SecretDigest = {
      digest: (text) => {
        work.push('digest');
        return real.digest(text);
      },
      sha256Hex: (text) => {
        work.push('sha256');
        return real.sha256Hex(text);
      },
      equal: (first, second) => real.equal(first, second),
    };
    const many = keys(...Array.from({ length: 5_000 }, (_, index) => `sha256:${sha256(`key ${index}`)}:name-${index}`));
    const check = checkWith([...many, ...keys('plain-key:plain')], counting);
    for (const [shown, user] of [
      ['key 0', 'name-0'],
      ['key 4999', 'name-4999'],
      ['plain-key', 'plain'],
      ['nothing', 'unknown_credentials'],
    ] as const) {
      work = [];
      expect(ask(check, shown)).toBe(user);
      expect(work).toEqual(['sha256', 'digest']);
    }
  });
});
