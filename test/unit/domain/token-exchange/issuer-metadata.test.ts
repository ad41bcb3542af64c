import { describe, expect, it } from 'vitest';
import type { ExchangeClientOptions } from '../../../../src/domain/configuration/token-exchange-options.js';
import { Secret } from '../../../../src/domain/shared/secret.js';
import { issuerMetadata } from '../../../../src/domain/token-exchange/issuer-metadata.js';
import { exchangeOptions } from '../../../support/fake-token-exchange.js';

const client = (members: Partial<ExchangeClientOptions>): ExchangeClientOptions => ({
  id: 'desk',
  secrets: [],
  publicKeyFiles: [],
  subjectAudiences: ['desk'],
  allowedExchanges: exchangeOptions.allowedExchanges,
  allowedAudiences: [],
  allowedScopes: ['of-the-desk-alone'],
  ...members,
});

const withSecret = client({ secrets: [{ kind: 'plain', text: new Secret('the secret of the desk') }] });
const withKey = client({ id: 'shop', publicKeyFiles: ['/shop.pem'] });
const keys = { arePublished: true, ofClients: ['RS256', 'ES256', 'RS256'] } as const;

describe('the metadata of the issuer (RFC 8414, section 2)', () => {
  it('says all of a plain configuration', () => {
    expect(issuerMetadata(exchangeOptions, keys)).toEqual({
      issuer: 'https://gateway.example',
      token_endpoint: 'https://gateway.example/token/exchange',
      jwks_uri: 'https://gateway.example/token/jwks',
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:token-exchange'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  it('names the ways in which clients authenticate themselves, and algorithms where they sign', () => {
    const methodsOf = (...clients: readonly ExchangeClientOptions[]) => {
      const metadata = issuerMetadata({ ...exchangeOptions, clients }, keys);
      return [
        metadata['token_endpoint_auth_methods_supported'],
        metadata['token_endpoint_auth_signing_alg_values_supported'],
      ];
    };
    expect(methodsOf(withSecret)).toEqual([['client_secret_basic', 'client_secret_post'], undefined]);
    expect(methodsOf(withKey)).toEqual([['private_key_jwt'], ['RS256', 'ES256']]);
    expect(methodsOf(withKey, withSecret)).toEqual([
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ['RS256', 'ES256'],
    ]);
  });

  it('names no key set where nothing is published', () => {
    expect(issuerMetadata(exchangeOptions, { ...keys, arePublished: false })).not.toHaveProperty('jwks_uri');
  });

  it('names the scopes that everybody may ask for, and nothing of a single client', () => {
    const options = { ...exchangeOptions, allowedScopes: ['read', 'write'], clients: [withSecret, withKey] };
    const metadata = issuerMetadata(options, keys);
    expect(metadata['scopes_supported']).toEqual(['read', 'write']);
    expect(JSON.stringify(metadata)).not.toMatch(/desk|shop/);
    expect(issuerMetadata({ ...options, allowedScopes: [] }, keys)).not.toHaveProperty('scopes_supported');
  });
});
