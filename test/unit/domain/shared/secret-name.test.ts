import { describe, expect, it } from 'vitest';
import { isSecretName } from '../../../../src/domain/shared/secret.js';

describe('a name', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'token',
    'access_token',
    'accessToken',
    'ACCESS_TOKEN',
    'client.secret',
    'jwt-secret',
    'password',
    'basicPassword',
    'X-API-Key',
    'apiKey',
    'X-ApiKey',
    'signing_key',
    'credentials',
    '-token-',
  ])('%s is that of a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    '',
    '-',
    'key',
    'public_key',
    'tokens_total',
    'token_count',
    'secretary',
    'path',
    'X-User-Id',
    'cookie-name',
  ])('%j is not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
