import { describe, expect, it } from 'vitest';
import {
  clientPolicy,
  publicPolicy,
} from '../../../../../src/application/agent/configure-agent/prepare-token-exchange.js';
import type { ExchangeClientOptions } from '../../../../../src/domain/agent/configuration/token-exchange-options.js';
import { exchangeOptions } from '../../../../support/agent/fake-token-exchange.js';

const options = { ...exchangeOptions, defaultAudience: 'everybody', allowedScopes: ['read'] };
const client: ExchangeClientOptions = {
  id: 'desk',
  secrets: [],
  publicKeyFiles: [],
  allowedExchanges: [{ subjectKind: 'id_token', issuedKind: 'jwt' }],
  allowedAudiences: [],
  allowedScopes: null,
  subjectAudiences: ['front'],
};

describe('the exchange policy', () => {
  it('is that of the block if there are no clients', () => {
    expect(publicPolicy(options)).toEqual({
      issuer: options.issuer,
      tokenTtlMs: options.tokenTtlMs,
      limitLifetimeToSubject: options.limitLifetimeToSubject,
      maximumActors: options.maximumActors,
      claimsCopied: options.claimsCopied,
      defaultAudience: 'everybody',
      allowedExchanges: options.allowedExchanges,
      allowedAudiences: new Set([...(options.allowedAudiences ?? []), 'everybody']),
      allowedScopes: new Set(['read']),
      clientId: null,
      acceptedAudiences: null,
    });
  });

  it('is that of the client if set, even an empty one', () => {
    expect(clientPolicy(options, client)).toEqual({
      ...publicPolicy(options),
      allowedExchanges: client.allowedExchanges,
      allowedAudiences: new Set(['everybody']),
      allowedScopes: null,
      clientId: 'desk',
      acceptedAudiences: new Set(['front']),
    });
  });

  it('allows the issuer and the default audience by name, and any audience if none is listed', () => {
    const withoutDefault = { ...options, defaultAudience: null };
    expect(publicPolicy(withoutDefault).allowedAudiences).toContain(options.issuer);
    expect(publicPolicy(options).allowedAudiences).not.toContain(options.issuer);
    expect(publicPolicy({ ...options, allowedAudiences: null }).allowedAudiences).toBeNull();
  });
});
