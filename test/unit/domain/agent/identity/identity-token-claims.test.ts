import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../../../src/domain/agent/identity/identity.js';
import { identityTokenPayload, stateIdentity } from '../../../../../src/domain/agent/identity/identity-token-claims.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

const rules = { issuer: 'https://gw.example', forwardedClaims: null, maxClaimBytes: 2_048 };
const stated = (
  claims: Claims | null,
  more: Partial<typeof rules | { forwardedClaims: string[] }> = {},
  method = 'oidc',
) =>
  stateIdentity(
    { method: method as Identity['method'], userId: 'ann', claims, certificate: null },
    { ...rules, ...more },
  );
const payload = (claims: Claims | null, more = {}, method = 'oidc') =>
  JSON.parse(
    identityTokenPayload(stated(claims, more, method), {
      issuer: rules.issuer,
      audience: 'back',
      jti: 'id',
      issuedAtSecs: 1_000,
      lifetimeSecs: 60,
    }),
  ) as Record<string, unknown>;

const own = { iss: 'https://gw.example', sub: 'ann', aud: 'back', exp: 1_060, nbf: 1_000, iat: 1_000, jti: 'id' };

describe('the claims of an identity token', () => {
  it('are those of RFC 9068; client_id is that of the credential, otherwise the issuer', () => {
    expect(payload(null)).toEqual({ ...own, client_id: rules.issuer });
    expect(payload({ client_id: 'web', azp: 'other' })).toEqual({ ...own, client_id: 'web' });
    expect(payload({ azp: 'other' })).toEqual({ ...own, client_id: 'other' });
  });

  it('include how the user was authenticated, authorization claims and names, and nothing else', () => {
    const claims = {
      amr: ['mfa'],
      acr: '2',
      auth_time: 5,
      groups: ['a'],
      email: 'a@b.c',
      secret: 's',
      cnf: { jkt: 'x' },
    };
    expect(payload(claims)).toEqual({
      ...own,
      client_id: rules.issuer,
      amr: ['mfa'],
      acr: '2',
      auth_time: 5,
      groups: ['a'],
      email: 'a@b.c',
    });
  });

  it('never come from a claim that the agent sets itself', () => {
    const forged = { iss: 'evil', sub: 'root', aud: 'evil', exp: 9e9, jti: 'evil', act: { sub: 'root' } };
    expect(payload(forged)).toEqual({ ...own, client_id: rules.issuer });
  });

  it('are restricted by forward-claims', () => {
    const claims = { groups: ['a'], email: 'a@b.c', scope: 'read' };
    expect(payload(claims, { forwardedClaims: ['email'] })).toEqual({
      ...own,
      client_id: rules.issuer,
      email: 'a@b.c',
    });
    expect(payload(claims, { forwardedClaims: ['scope'] })).toEqual({ ...own, client_id: rules.issuer, scope: 'read' });
  });

  it('of a SAML session say nothing about authentication, client or scope: its provider names attributes freely', () => {
    const attributes = { acr: '9', client_id: 'evil', scope: 'admin', email: 'a@b.c' };
    expect(payload(attributes, {}, 'saml')).toEqual({ ...own, client_id: rules.issuer, email: 'a@b.c' });
  });

  it('omit what is too large, alone or together', () => {
    const big = 'x'.repeat(2_000);
    expect(payload({ groups: ['x'.repeat(3_000)], email: 'a' })).not.toHaveProperty('groups');
    const all = payload({ roles: [big], groups: [big], entitlements: [big], email: big });
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['roles', 'groups']));
    expect(JSON.stringify(all).length).toBeLessThan(5_000);
    expect(payload({ scope: 'x'.repeat(9_000) })).not.toHaveProperty('scope');
  });
});
