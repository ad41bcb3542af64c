import { describe, expect, it } from 'vitest';
import { tokenFitness } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ClaimValue } from '../../../../../src/domain/agent/tokens/claims.js';
import { openPolicy, ownIssuer, ownToken, verifiedToken } from '../../../../support/agent/asked-exchange.js';

const forClient = openPolicy({ clientId: 'svc', acceptedAudiences: new Set(['svc', 'https://svc.example/']) });

describe('tokenFitness', () => {
  it.each<ClaimValue>([{ jkt: 'x' }, {}, null, 'x'])('refuses a token that is bound to a key: cnf %o', (cnf) => {
    expect(tokenFitness(verifiedToken({ cnf }), openPolicy())).toBe('bound_token');
    expect(tokenFitness(ownToken({ cnf, aud: 'svc' }), forClient)).toBe('bound_token');
  });

  it('reads no key from an attribute of an assertion', () => {
    expect(tokenFitness(verifiedToken({ cnf: 'x' }, { kind: 'saml2' }), openPolicy())).toBeNull();
  });

  it.each<ClaimValue>(['svc', 'https://svc.example/', ['other', 'svc']])(
    'accepts our own token that is meant for the client: %o',
    (aud) => {
      expect(tokenFitness(ownToken({ aud }), forClient)).toBeNull();
    },
  );

  it.each<ClaimValue>(['other', ['other'], [], 'svc ', 'SVC', ['svc,other'], [['svc']], null, { svc: 'svc' }])(
    'refuses our own token that is meant for others: %o',
    (aud) => {
      expect(tokenFitness(ownToken({ aud }), forClient)).toBe('not_for_client');
    },
  );

  it('refuses our own token that is meant for the issuer, unless the client may use those', () => {
    for (const aud of [ownIssuer, [ownIssuer, 'other']]) {
      expect(tokenFitness(ownToken({ aud }), forClient)).toBe('not_for_client');
      expect(tokenFitness(ownToken({ aud }), { ...forClient, acceptedAudiences: new Set([ownIssuer]) })).toBeNull();
    }
  });

  it('refuses our own token without an audience', () => {
    expect(tokenFitness(ownToken(), forClient)).toBe('not_for_client');
    expect(tokenFitness(ownToken({ aud: 'svc' }), { ...forClient, acceptedAudiences: new Set<string>() })).toBe(
      'not_for_client',
    );
  });

  it('leaves the audience of foreign tokens to their verifiers', () => {
    expect(tokenFitness(verifiedToken({ aud: 'other' }), forClient)).toBeNull();
  });

  it('requires no audience without clients', () => {
    expect(tokenFitness(ownToken({ aud: 'other' }), openPolicy())).toBeNull();
  });
});
