import { describe, expect, it } from 'vitest';
import { isSafeKeySetUrl } from '../../../../../src/domain/agent/configuration/key-set-url.js';
import { discoveryUrl, readDiscovery } from '../../../../../src/domain/agent/tokens/discovery.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

const issuer = 'https://id.example/tenant';
const document = { issuer, jwks_uri: 'https://keys.example/jwks', id_token_signing_alg_values_supported: ['none'] };

describe('the discovery document of an issuer', () => {
  it.each([
    ['https://id.example', 'https://id.example/.well-known/openid-configuration'],
    ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
    ['https://id.example/a/v2.0', 'https://id.example/a/v2.0/.well-known/openid-configuration'],
  ])('of %s is at %s', (of, url) => {
    expect(discoveryUrl(of)).toBe(url);
  });

  it('names the URL of the key set', () => {
    expect(readDiscovery(document, issuer, isSafeKeySetUrl)).toEqual({ ok: true, value: document.jwks_uri });
    const local = { issuer: 'http://127.0.0.1:9', jwks_uri: 'http://127.0.0.1:9/jwks' };
    expect(readDiscovery(local, local.issuer, isSafeKeySetUrl)).toEqual({ ok: true, value: local.jwks_uri });
  });

  it.each<[string, JsonValue, string]>([
    ['that is no object', [document], 'is not a JSON object'],
    ['of another issuer', { ...document, issuer: 'https://evil.example' }, 'is from another issuer'],
    ['whose issuer has one slash more', { ...document, issuer: `${issuer}/` }, 'is from another issuer'],
    ['without an issuer', { jwks_uri: document.jwks_uri }, 'is from another issuer'],
    ['without jwks_uri', { issuer }, 'has no jwks_uri'],
    ['whose jwks_uri is a list', { ...document, jwks_uri: [document.jwks_uri] }, 'has no jwks_uri'],
    ['whose jwks_uri is http', { ...document, jwks_uri: 'http://keys.example/jwks' }, 'is not an https URL'],
    ['whose jwks_uri is on this machine', { ...document, jwks_uri: 'http://127.0.0.1:9/jwks' }, 'is not an https URL'],
    ['whose jwks_uri is a file', { ...document, jwks_uri: 'file:///etc/passwd' }, 'is not an https URL'],
    ['whose jwks_uri holds a password', { ...document, jwks_uri: 'https://a:b@keys.example/' }, 'is not an https URL'],
  ])('is refused if it is %s', (_, found, reason) => {
    const read = readDiscovery(found, issuer, isSafeKeySetUrl);
    expect(read.ok ? null : read.error).toContain(reason);
  });
});
