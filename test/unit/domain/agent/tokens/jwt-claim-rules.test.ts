import { describe, expect, it } from 'vitest';
import { type Claims, type ClaimValue, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import {
  checkJwtClaims,
  checkWindow,
  type JwtClaimRules,
} from '../../../../../src/domain/agent/tokens/jwt-claim-rules.js';

const now = 1_800_000_000;
const anyone: JwtClaimRules = { issuer: null, audiences: [], clockSkewMs: 30_000 };
const check = (claims: Claims, rules = anyone) =>
  checkJwtClaims({ sub: 'ann', exp: now + 60, ...claims }, rules, now * 1000);
const rejection = (error: string) => ({ ok: false, error });

describe('checkJwtClaims', () => {
  it('accepts a token within its validity', () => {
    expect(check({ nbf: now, iat: now })).toMatchObject({ ok: true, value: { subject: 'ann' } });
  });

  it.each<[string, Claims, number]>([
    ['a second', { exp: now }, now * 1000],
    ['a part of a second', { exp: now + 0.25 }, now * 1000 + 250],
    ['far away', { exp: new SpelledNumber('18446744073709551616') }, 18_446_744_073_709_552_000_000],
  ])('reports when a token expires, without the skew: %s', (_, claims, expiresMs) => {
    expect(check(claims)).toMatchObject({ ok: true, value: { expiresMs } });
  });

  it('requires an expiry', () => {
    expect(checkJwtClaims({ sub: 'ann' }, anyone, now * 1000)).toEqual(rejection('missing_expiry'));
  });

  it.each(['exp', 'nbf', 'iat'])('requires %s to be a number', (claim) => {
    expect(check({ [claim]: String(now + 60) })).toEqual(rejection('malformed'));
    expect(check({ [claim]: null })).toEqual(rejection('malformed'));
  });

  it.each<[string, ClaimValue]>([
    ['a 64-bit integer', 9223372036854775807n],
    ['a longer integer', new SpelledNumber('18446744073709551616')],
  ])('accepts a distant time: %s', (_, later) => {
    const accepted = check({ exp: later });
    expect(accepted.ok && accepted.value.window.untilMs > 1e21).toBe(true);
    expect(check({ nbf: later })).toEqual(rejection('not_yet_valid'));
    expect(check({ iat: later })).toEqual(rejection('issued_in_future'));
  });

  it('reports a time in the distant past', () => {
    expect(check({ exp: -9223372036854775808n })).toEqual(rejection('expired'));
    expect(check({ exp: new SpelledNumber('-18446744073709551616') })).toEqual(rejection('expired'));
  });

  it('accepts a time with more digits than a clock has', () => {
    expect(check({ exp: new SpelledNumber(`${now + 60}.00000000000000000001`) }).ok).toBe(true);
    expect(check({ exp: new SpelledNumber(`${now - 60}.00000000000000000001`) })).toEqual(rejection('expired'));
  });

  it.each([0, 30, 600])('tolerates a skew of %i seconds if allowed, and not a second more', (skew) => {
    const rules = { ...anyone, clockSkewMs: skew * 1000 };
    expect(check({ exp: now - skew + 1 }, rules).ok).toBe(true);
    expect(check({ exp: now - skew }, rules)).toEqual(rejection('expired'));
    expect(check({ nbf: now + skew }, rules).ok).toBe(true);
    expect(check({ nbf: now + skew + 1 }, rules)).toEqual(rejection('not_yet_valid'));
    expect(check({ iat: now + skew }, rules).ok).toBe(true);
    expect(check({ iat: now + skew + 1 }, rules)).toEqual(rejection('issued_in_future'));
  });

  it('does not report the issue time for a fault of another time', () => {
    expect(check({ nbf: now + 31, iat: now + 30 })).toEqual(rejection('not_yet_valid'));
    expect(check({ nbf: now + 31, iat: now + 31 })).toEqual(rejection('issued_in_future'));
  });

  it('requires the configured issuer', () => {
    const rules = { ...anyone, issuer: 'https://issuer.example' };
    expect(check({ iss: 'https://issuer.example' }, rules).ok).toBe(true);
    for (const iss of ['https://issuer.example/', 'HTTPS://ISSUER.EXAMPLE', ['https://issuer.example'], null]) {
      expect(check({ iss }, rules)).toEqual(rejection('wrong_issuer'));
    }
    expect(check({}, rules)).toEqual(rejection('wrong_issuer'));
  });

  it('requires the configured audience, alone or among others', () => {
    const rules = { ...anyone, audiences: ['app', 'api'] };
    expect(check({ aud: 'api' }, rules).ok).toBe(true);
    expect(check({ aud: ['web', 'api'] }, rules).ok).toBe(true);
    for (const aud of [
      'api2',
      'web,api',
      ['web'],
      [],
      [['api']],
      { api: true },
      2n ** 60n,
      new SpelledNumber('api'),
      null,
    ]) {
      expect(check({ aud }, rules)).toEqual(rejection('wrong_audience'));
    }
    expect(check({}, rules)).toEqual(rejection('wrong_audience'));
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a number', 7],
    ['a long number', 175928847299117063n],
    ['a longer number', new SpelledNumber('18446744073709551616')],
    ['a list', ['ann']],
    ['one with white space around it, which a header would lose', ' ann'],
    ['one that is too long', 'a'.repeat(257)],
    ['one with half a surrogate pair', 'ann\ud800'],
  ])('requires a subject that is a valid user id: not %s', (_, sub) => {
    const claims = { exp: now + 60, ...(sub === undefined ? {} : { sub }) };
    expect(checkJwtClaims(claims, anyone, now * 1000)).toEqual(rejection('unusable_subject'));
  });

  it('returns the period in which the token can be reused', () => {
    const accepted = check({ nbf: now, iat: now - 5 });
    if (!accepted.ok) throw new Error(accepted.error);
    const { window } = accepted.value;
    expect(checkWindow(window, now * 1000)).toBeNull();
    expect(checkWindow(window, (now + 60 + 30) * 1000)).toBe('expired');
    expect(checkWindow(window, (now - 30) * 1000 - 1)).toBe('not_yet_valid');
  });
});
