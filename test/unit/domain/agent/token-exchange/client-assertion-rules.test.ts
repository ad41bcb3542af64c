import { describe, expect, it } from 'vitest';
import {
  assertionAlgorithm,
  assertionClient,
  assertionClockSkewMs,
  checkClientAssertion,
  longestAssertionMs,
} from '../../../../../src/domain/agent/token-exchange/client-assertion-rules.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

const rules = {
  clientId: 'orders',
  issuer: 'https://issuer.example',
  endpointUrl: 'https://gateway.example/token/exchange',
};
const nowMs = 1_800_000_000_000;
const nowSecs = nowMs / 1000;
const skewSecs = assertionClockSkewMs / 1000;
const longestSecs = longestAssertionMs / 1000;

const good: Claims = { iss: 'orders', sub: 'orders', aud: rules.issuer, exp: nowSecs + 60, jti: 'j1' };

const check = (changes: Readonly<Record<string, Claims[string] | undefined>>) => {
  const entries = Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined);
  const accepted = checkClientAssertion(Object.fromEntries(entries) as Claims, rules, nowMs);
  return accepted.ok ? accepted.value : accepted.error;
};
const wrong = 'wrong_client_assertion';

describe('the header of a client assertion', () => {
  it.each([
    [{ alg: 'RS256' }, 'RS256'],
    [{ alg: 'ES256', typ: 'JWT', kid: 'a' }, 'ES256'],
    [{ alg: 'Ed25519', typ: 'client-authentication+jwt' }, 'EdDSA'],
    [{ alg: 'PS512', typ: 'application/client-authentication+JWT' }, 'PS512'],
  ])('names an algorithm with a key pair: %j', (header, algorithm) => {
    expect(assertionAlgorithm(header)).toBe(algorithm);
  });

  it.each([
    {},
    { alg: 'none' },
    { alg: 'None' },
    { alg: 'HS256' },
    { alg: 'rs256' },
    { alg: ['RS256'] },
    { alg: 'RS256', crit: [] },
    { alg: 'RS256', crit: ['exp'], exp: 1 },
    { alg: 'RS256', typ: 'at+jwt' },
    { alg: 'RS256', typ: 'logout+jwt' },
    { alg: 'RS256', typ: '' },
    { alg: 'RS256', typ: null },
    { alg: 'RS256', typ: ['JWT'] },
  ])('is refused: %j', (header) => {
    expect(assertionAlgorithm(header)).toBeNull();
  });
});

describe('the client of an assertion', () => {
  it('is both its issuer and its subject (RFC 7523, section 3)', () => {
    expect(assertionClient(good)).toBe('orders');
    expect(assertionClient({ iss: 'orders', sub: 'billing' })).toBeNull();
    expect(assertionClient({ sub: 'orders' })).toBeNull();
    expect(assertionClient({ iss: 'orders' })).toBeNull();
    expect(assertionClient({ iss: ['orders'], sub: ['orders'] })).toBeNull();
    expect(assertionClient({ iss: 1, sub: 1 })).toBeNull();
    expect(assertionClient({ iss: 'é', sub: 'é' })).toBeNull();
    expect(assertionClient({})).toBeNull();
  });
});

describe('the claims of a client assertion', () => {
  it('give its id and the retention of that id', () => {
    expect(check({})).toEqual({ id: 'j1', audience: rules.issuer, untilMs: nowMs + 60_000 + assertionClockSkewMs });
    expect(check({ exp: nowSecs + 0.0005 })).toEqual({
      id: 'j1',
      audience: rules.issuer,
      untilMs: nowMs + 1 + assertionClockSkewMs,
    });
  });

  it('have only this issuer or its endpoint as audience', () => {
    expect(check({ aud: rules.endpointUrl })).toMatchObject({ id: 'j1' });
    expect(check({ aud: [rules.issuer] })).toMatchObject({ id: 'j1' });
    for (const aud of [
      undefined,
      null,
      '',
      [],
      'https://issuer.example/',
      'https://other.example',
      [rules.issuer, rules.endpointUrl],
      [rules.issuer, rules.issuer],
      [rules.issuer, 'https://other.example'],
      [[rules.issuer]],
      { [rules.issuer]: true },
    ]) {
      expect([aud, check({ aud })]).toEqual([aud, wrong]);
    }
  });

  it('belong to the client whose keys verified them', () => {
    expect(check({ iss: 'billing', sub: 'billing' })).toBe(wrong);
    expect(check({ iss: 'billing' })).toBe(wrong);
    expect(check({ sub: 'billing' })).toBe(wrong);
    expect(check({ sub: 'Orders', iss: 'Orders' })).toBe(wrong);
  });

  it('require an expiry in the near future', () => {
    expect(check({ exp: nowSecs + longestSecs })).toMatchObject({ id: 'j1' });
    expect(check({ exp: nowSecs + longestSecs + 1 })).toBe(wrong);
    expect(check({ exp: nowSecs - skewSecs + 1 })).toMatchObject({ id: 'j1' });
    expect(check({ exp: nowSecs - skewSecs })).toBe(wrong);
    for (const exp of [undefined, null, String(nowSecs + 60), [nowSecs + 60], 1e300, 10n ** 18n, 0, -1]) {
      expect([exp, check({ exp })]).toEqual([exp, wrong]);
    }
  });

  it('require a beginning in the past', () => {
    expect(check({ nbf: nowSecs + skewSecs, iat: nowSecs + skewSecs })).toMatchObject({ id: 'j1' });
    expect(check({ nbf: nowSecs + skewSecs + 1 })).toBe(wrong);
    expect(check({ iat: nowSecs + skewSecs + 1 })).toBe(wrong);
    expect(check({ nbf: 'now' })).toBe(wrong);
    expect(check({ iat: null })).toBe(wrong);
  });

  it('require an id', () => {
    expect(check({ jti: 'a'.repeat(256) })).toMatchObject({ id: 'a'.repeat(256) });
    for (const jti of [undefined, null, '', 7, ['j1'], 'a'.repeat(257), '\ud800']) {
      expect([jti, check({ jti })]).toEqual([jti, wrong]);
    }
  });
});
