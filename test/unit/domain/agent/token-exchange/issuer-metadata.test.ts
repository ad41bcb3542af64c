import { describe, expect, it } from 'vitest';
import {
  type ClientMethods,
  type DescribedIssuer,
  issuerMetadata,
} from '../../../../../src/domain/agent/token-exchange/issuer-metadata.js';

const described: DescribedIssuer = {
  issuer: 'https://gateway.example',
  endpointUrl: 'https://gateway.example/token/exchange',
  jwksUrl: 'https://gateway.example/token/jwks',
  clients: null,
  scopes: [],
};

describe('the metadata of the issuer (RFC 8414, section 2)', () => {
  it('describes a plain configuration completely', () => {
    expect(issuerMetadata(described)).toEqual({
      issuer: 'https://gateway.example',
      token_endpoint: 'https://gateway.example/token/exchange',
      jwks_uri: 'https://gateway.example/token/jwks',
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:token-exchange'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  it('lists client authentication methods, and algorithms if clients sign', () => {
    const methodsOf = (clients: Omit<ClientMethods, 'algorithms'>) => {
      const metadata = issuerMetadata({
        ...described,
        clients: { ...clients, algorithms: ['RS256', 'ES256', 'RS256'] },
      });
      return [
        metadata['token_endpoint_auth_methods_supported'],
        metadata['token_endpoint_auth_signing_alg_values_supported'],
      ];
    };
    expect(methodsOf({ bySecret: true, byKey: false })).toEqual([
      ['client_secret_basic', 'client_secret_post'],
      undefined,
    ]);
    expect(methodsOf({ bySecret: false, byKey: true })).toEqual([['private_key_jwt'], ['RS256', 'ES256']]);
    expect(methodsOf({ bySecret: true, byKey: true })).toEqual([
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ['RS256', 'ES256'],
    ]);
  });

  it('names no key set if nothing is published', () => {
    expect(issuerMetadata({ ...described, jwksUrl: null })).not.toHaveProperty('jwks_uri');
  });

  it('lists the scopes that every client may request', () => {
    expect(issuerMetadata({ ...described, scopes: ['read', 'write'] })['scopes_supported']).toEqual(['read', 'write']);
    expect(issuerMetadata(described)).not.toHaveProperty('scopes_supported');
  });
});
