import { describe, expect, it } from 'vitest';
import { configuredOwnedHeaders } from '../../../../../src/domain/gateway/identity-headers/configured-owned-headers.js';

describe('the headers that the config of an agent owns', () => {
  it('are none without a config, and without keys that name one', () => {
    expect(configuredOwnedHeaders(null)).toEqual([]);
    expect(configuredOwnedHeaders({ 'jwt-secret': 'x', 'api-key-header': 'X-Key' })).toEqual([]);
  });

  it('include identity headers, certificate headers and every mapped name', () => {
    expect(
      configuredOwnedHeaders({
        'user-id-header': 'X-Who',
        'auth-method-header': 'X-How',
        'claim-mapping': { email: 'X-User-Email' },
        mtls: { 'client-cert-header': 'X-Cert' },
        'identity-token': { issuer: 'https://gw.example', header: 'X-Token' },
        saml: { 'attribute-mapping': { mail: 'X-Mail', groups: 'X-Groups' } },
      }),
    ).toEqual(['X-Who', 'X-How', 'X-Cert', 'X-Token', 'X-User-Email', 'X-Mail', 'X-Groups']);
  });

  it('include those of one login and of several', () => {
    const login = { 'claim-mapping': { email: 'X-A' } };
    expect(configuredOwnedHeaders({ 'oidc-login': login })).toEqual(['X-A']);
    expect(configuredOwnedHeaders({ 'oidc-login': [login, { name: 'b', 'claim-mapping': { team: 'X-B' } }] })).toEqual([
      'X-A',
      'X-B',
    ]);
  });

  it('ignore wrong values', () => {
    const wrong = { 'user-id-header': 5, 'claim-mapping': ['X-A'], saml: 'x', mtls: [], 'oidc-login': [null, 'x', 4] };
    expect(configuredOwnedHeaders(wrong)).toEqual([]);
    expect(configuredOwnedHeaders({ 'claim-mapping': { email: 5, team: '' } })).toEqual([]);
  });
});
