import { describe, expect, it } from 'vitest';
import {
  grantExchange,
  requestFault,
  type VerifiedExchange,
} from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ExchangePolicy } from '../../../../../src/domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../../../src/domain/agent/token-exchange/exchange-refusal.js';
import type { ExchangeRequest } from '../../../../../src/domain/agent/token-exchange/read-exchange-request.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import {
  askedExchange,
  exchangeNowMs,
  exchangeRequest,
  foreignIssuer,
  openPolicy,
  ownIssuer,
  ownToken,
  verifiedToken,
} from '../../../../support/agent/asked-exchange.js';

const grant = (changes: Partial<VerifiedExchange> = {}) => {
  const granted = grantExchange(askedExchange(changes));
  if (!granted.ok) throw new Error(granted.error);
  return granted.value;
};
const refusal = (changes: Partial<VerifiedExchange>) => {
  const granted = grantExchange(askedExchange(changes));
  return granted.ok ? null : granted.error;
};
const presented = { kind: 'jwt', token: 'actor' } as const;
const accessTokens = { subjectKind: 'access_token', issuedKind: 'access_token' } as const;

describe('requestFault', () => {
  const faults: readonly [ExchangeReason, Partial<ExchangeRequest>, Partial<ExchangePolicy>][] = [
    ['client_has_no_exchange', {}, { clientId: 'svc', allowedExchanges: [] }],
    ['exchange_not_allowed', {}, { allowedExchanges: [] }],
    ['exchange_not_allowed', { subject: { kind: 'id_token', token: 't' } }, {}],
    ['exchange_not_allowed', { requestedKind: 'jwt' }, {}],
    ['exchange_not_allowed', { requestedKind: 'jwt' }, { clientId: 'svc' }],
    ['target_not_allowed', { audiences: ['b'] }, { allowedAudiences: new Set(['a']) }],
    ['target_not_allowed', { resources: ['https://b.example/'] }, { allowedAudiences: new Set<string>() }],
    ['too_many_actors', { actor: presented }, { maximumActors: 0 }],
    ['unsupported_actor_token_type', { actor: { kind: 'id_token', token: 'a' } }, {}],
    ['unsupported_actor_token_type', { actor: presented }, { allowedExchanges: [accessTokens] }],
    ['scope_not_allowed', { scopes: ['read', 'admin'] }, { allowedScopes: new Set(['read']) }],
  ];

  it.each(faults)('is %s for %o where %o', (reason, request, policy) => {
    expect(requestFault(exchangeRequest(request), openPolicy(policy))).toBe(reason);
  });

  it.each(faults)('also makes the exchange fail: %s for %o where %o', (reason, request, policy) => {
    const subject = verifiedToken({ scope: 'read admin' }, { kind: request.subject?.kind ?? 'access_token' });
    const asked = { request: exchangeRequest(request), policy: openPolicy(policy), subject };
    expect(refusal(asked)).toBe(reason);
  });

  it('is null if the request may succeed', () => {
    const request = exchangeRequest({ actor: presented, scopes: ['read'], audiences: ['a'], resources: ['b:'] });
    expect(requestFault(request, openPolicy())).toBeNull();
    const policy = openPolicy({
      allowedScopes: new Set(['list', 'read']),
      allowedAudiences: new Set(['b:', 'a']),
      clientId: 'svc',
    });
    expect(requestFault(request, policy)).toBeNull();
  });
});

describe('grantExchange', () => {
  it('returns a token with subject, actor, audience and lifetime', () => {
    const granted = grant({
      request: exchangeRequest({ audiences: ['orders'], scopes: ['read'] }),
      subject: verifiedToken({ scope: 'read write', azp: 'web', roles: ['buyer'], admin: true }),
      actor: verifiedToken({}, { subject: 'svc-a', issuer: 'https://services.example' }),
    });
    const { payload, ...rest } = granted;
    expect(rest).toEqual({
      issuedKind: 'access_token',
      type: 'at+jwt',
      lifetimeSecs: 3600,
      scopes: ['read'],
      audiences: ['orders'],
      subject: 'ann',
      clientId: 'web',
      actors: [{ issuer: 'https://services.example', subject: 'svc-a' }],
      jti: 'the-jti',
    });
    expect(parseClaims(payload)).toEqual({
      iss: ownIssuer,
      sub: 'ann',
      aud: 'orders',
      iat: 1_800_000_000,
      nbf: 1_800_000_000,
      exp: 1_800_003_600,
      jti: 'the-jti',
      client_id: 'web',
      scope: 'read',
      act: { iss: 'https://services.example', sub: 'svc-a' },
      roles: ['buyer'],
    });
  });

  it('returns the requested type, or the first allowed one', () => {
    const request = exchangeRequest({ subject: { kind: 'jwt', token: 't' } });
    const subject = verifiedToken({}, { kind: 'jwt' });
    expect(grant({ request, subject })).toMatchObject({ issuedKind: 'jwt', type: 'JWT' });
    expect(grant({ request: { ...request, requestedKind: 'access_token' }, subject })).toMatchObject({
      issuedKind: 'access_token',
      type: 'at+jwt',
    });
  });

  it('accepts a token that is about to expire', () => {
    const left = { expiresMs: exchangeNowMs + 1 };
    expect(grant({ subject: verifiedToken({}, left), actor: verifiedToken({}, left) }).lifetimeSecs).toBe(3600);
  });

  it('names the authenticated client, otherwise that of the subject token, otherwise the issuer', () => {
    const subject = verifiedToken({ client_id: 'web' });
    expect(grant({ subject, policy: openPolicy({ clientId: 'svc' }) }).clientId).toBe('svc');
    expect(grant({ subject }).clientId).toBe('web');
    expect(grant().clientId).toBe(ownIssuer);
  });

  it('grants a SAML user the requested allowed scopes, and attributes as claims', () => {
    const subject = verifiedToken(
      { roles: ['a', 'b'], email: 'ann@example.com', scope: 'admin', act: 'x', cnf: 'y', may_act: 'z', aud: 'w' },
      { kind: 'saml2', issuer: 'https://idp.example' },
    );
    const request = exchangeRequest({ subject: { kind: 'saml2', token: 't' }, scopes: ['read'] });
    const granted = grant({ request, subject, policy: openPolicy({ allowedScopes: new Set(['read', 'list']) }) });
    expect(parseClaims(granted.payload)).toMatchObject({ roles: ['a', 'b'], email: 'ann@example.com', scope: 'read' });
    expect(granted.actors).toEqual([]);
    expect(refusal({ request: { ...request, scopes: ['admin'] }, subject })).toBe('scope_not_allowed');
  });

  it.each<[ExchangeReason, Partial<VerifiedExchange>]>([
    ['bound_token', { subject: verifiedToken({ cnf: {} }) }],
    ['bound_token', { actor: verifiedToken({ cnf: {} }) }],
    [
      'not_for_client',
      { subject: ownToken({ aud: 'x' }), policy: openPolicy({ acceptedAudiences: new Set(['svc']) }) },
    ],
    ['not_for_client', { actor: ownToken({ aud: 'x' }), policy: openPolicy({ acceptedAudiences: new Set(['svc']) }) }],
    ['malformed_act', { subject: verifiedToken({ act: 'svc' }) }],
    ['malformed_act', { subject: verifiedToken({ may_act: 'svc' }) }],
    ['delegated_actor_token', { actor: verifiedToken({ act: { sub: 'svc' } }) }],
    ['too_many_actors', { actor: verifiedToken(), policy: openPolicy({ maximumActors: 0 }) }],
    ['actor_not_allowed', { subject: verifiedToken({ may_act: { sub: 'svc' } }) }],
    ['actor_not_allowed', { subject: verifiedToken({ may_act: { sub: 'svc' } }), actor: verifiedToken() }],
    ['scope_not_allowed', { request: exchangeRequest({ scopes: ['read'] }) }],
    [
      'subject_token_over',
      {
        subject: verifiedToken({}, { expiresMs: exchangeNowMs + 900 }),
        policy: openPolicy({ limitLifetimeToSubject: true }),
      },
    ],
    ['subject_token_over', { subject: ownToken({}, { expiresMs: exchangeNowMs }) }],
    // Within the tolerance of those who verified it.
    ['subject_token_over', { subject: verifiedToken({}, { expiresMs: exchangeNowMs }) }],
    ['subject_token_over', { subject: verifiedToken({}, { expiresMs: Number.NaN }) }],
    ['invalid_actor_token', { actor: verifiedToken({}, { expiresMs: exchangeNowMs }) }],
    [
      'scope_not_allowed',
      { request: exchangeRequest({ scopes: ['read'] }), policy: openPolicy({ allowedScopes: new Set(['read']) }) },
    ],
    [
      'not_for_client',
      { subject: ownToken({ aud: ownIssuer }), policy: openPolicy({ acceptedAudiences: new Set(['svc']) }) },
    ],
    ['token_too_large', { subject: verifiedToken({ roles: 'r'.repeat(4096) }) }],
  ])('refuses: %s', (reason, changes) => {
    expect(refusal(changes)).toBe(reason);
  });

  it('refuses an actor that may not act, even as the client', () => {
    const subject = verifiedToken({ may_act: { sub: 'svc', iss: foreignIssuer } });
    const policy = openPolicy({ clientId: 'svc' });
    expect(refusal({ subject, policy })).toBe('actor_not_allowed');
    expect(grant({ subject, policy, actor: verifiedToken({}, { subject: 'svc' }) }).actors).toHaveLength(1);
  });

  it('does not copy may_act', () => {
    const subject = verifiedToken({ may_act: { client_id: 'svc' } });
    const { payload } = grant({ subject, policy: openPolicy({ clientId: 'svc', claimsCopied: ['may_act'] }) });
    expect(parseClaims(payload)).not.toHaveProperty('may_act');
  });

  it('does not restore what an earlier exchange removed', () => {
    const narrowed = grant({
      subject: verifiedToken({ scope: 'read' }),
      policy: openPolicy({ allowedScopes: new Set(['write']) }),
    });
    expect(narrowed.scopes).toEqual([]);
    const subject = ownToken(parseClaims(narrowed.payload) ?? {});
    const request = exchangeRequest({ scopes: ['write'] });
    expect(refusal({ subject, request, policy: openPolicy({ allowedScopes: new Set(['write']) }) })).toBe(
      'scope_not_allowed',
    );
  });
});
