import { describe, expect, it } from 'vitest';
import { SecurityTokens } from '../../../../../src/application/agent/exchange-token/security-tokens.js';
import { OwnTokens } from '../../../../../src/application/agent/verify-tokens/own-tokens.js';
import { keyWaitMs } from '../../../../../src/application/agent/verify-tokens/provider-tokens.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { ExchangeTokenKind } from '../../../../../src/domain/agent/token-exchange/security-token.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { believesTheHeader, obeysTheHeader } from '../../../../support/agent/naive-token-verifier.js';
import { publicJwk, publicPem, rsaPair, signToken, tokenPart } from '../../../../support/agent/test-tokens.js';
import {
  corpIssuer,
  localIssuer,
  ownIssuer,
  ownKey,
  pairs,
  partnerIssuer,
  privatePem,
  tokenParties,
} from '../../../../support/agent/token-parties.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const own = await ownKey(privatePem(pairs.own.privateKey));
const now = new ManualClock().seconds();
const claimsOf = (iss: string, more: JsonObject = {}): JsonObject => ({
  iss,
  sub: 'ann',
  aud: 'api',
  iat: now,
  exp: now + 300,
  ...more,
});
const ownClaims = claimsOf(ownIssuer);
const ownHeader = { kid: own.kid, typ: 'at+jwt' };
const signed = (pair: keyof typeof pairs, claims: JsonObject, header: Readonly<Record<string, unknown>> = {}) =>
  signToken('ES256', pairs[pair].privateKey, claims, header);
const ownToken = (more: JsonObject = {}, header: Readonly<Record<string, unknown>> = {}) =>
  signed('own', { ...ownClaims, ...more }, { ...ownHeader, ...header });
const corpToken = (more: JsonObject = {}, header: Readonly<Record<string, unknown>> = {}) =>
  signed('corp', claimsOf(corpIssuer, more), { kid: 'one', ...header });

describe('a verified token', () => {
  it('is one of our own if our signing key verifies it', async () => {
    const { verify } = await tokenParties();
    const token = await own.sign('at+jwt', JSON.stringify({ ...ownClaims, scope: 'read' }));
    expect(await verify(token)).toEqual({
      ok: true,
      value: {
        kind: 'access_token',
        issuer: ownIssuer,
        subject: 'ann',
        claims: { ...ownClaims, scope: 'read' },
        expiresMs: (now + 300) * 1000,
        isOwn: true,
        isTypedForAccess: true,
        oneTime: null,
      },
    });
  });

  it.each<[string, string, string, ExchangeTokenKind]>([
    ['an access token of a provider', corpIssuer, corpToken({}, { typ: 'at+jwt' }), 'access_token'],
    ['a JWT of a provider', corpIssuer, corpToken(), 'jwt'],
    ['an ID token of a provider', corpIssuer, corpToken({ nonce: 'n', at_hash: 'h' }), 'id_token'],
    ['one of another provider', partnerIssuer, signed('partner', claimsOf(partnerIssuer), { kid: 'one' }), 'jwt'],
    ['one under the configured key', localIssuer, signed('local', claimsOf(localIssuer)), 'access_token'],
    ['an ID token under the configured key', localIssuer, signed('local', claimsOf(localIssuer)), 'id_token'],
  ])('is %s', async (_, issuer, token, kind) => {
    const { verify } = await tokenParties();
    expect(await verify(token, kind)).toMatchObject({
      ok: true,
      value: { kind, issuer, subject: 'ann', expiresMs: (now + 300) * 1000, isOwn: false, oneTime: null },
    });
  });

  it.each<[string | undefined, boolean]>([
    ['at+jwt', true],
    ['AT+JWT', true],
    ['application/at+jwt', true],
    ['JWT', false],
    [undefined, false],
  ])('counts as an access token regardless of its declared type and issuer, by %s: %s', async (typ, isTyped) => {
    const { verify } = await tokenParties();
    for (const token of [corpToken({}, { typ }), signed('local', claimsOf(localIssuer), { typ })]) {
      const verified = await verify(token, 'jwt');
      expect(verified).toMatchObject({ ok: true, value: { isTypedForAccess: isTyped } });
    }
  });

  it('needs no issuer if none is configured', async () => {
    const { verify } = await tokenParties({ jwt: { issuer: null } });
    const { iss: _, ...claims } = claimsOf(localIssuer);
    expect(await verify(signed('local', claims))).toMatchObject({ ok: true, value: { issuer: null, isOwn: false } });
  });

  it('expires at its own time, although the skew accepts it a little longer', async () => {
    const { verify } = await tokenParties();
    for (const token of [ownToken({ exp: now - 10 }), corpToken({ exp: now - 9.5 })]) {
      const verified = await verify(token);
      expect(verified.ok && verified.value.expiresMs).toBeLessThan(now * 1000);
    }
    expect(await verify(corpToken({ exp: now - 9.5 }))).toMatchObject({ value: { expiresMs: now * 1000 - 9_500 } });
  });
});

describe('a token with us as issuer', () => {
  it.each<[string, string, string]>([
    ['is signed by a stranger', signed('stranger', ownClaims, ownHeader), 'own: bad_signature'],
    ['is signed by a provider', signed('corp', ownClaims, { ...ownHeader, kid: 'one' }), 'own: unknown_key'],
    ['is signed by a provider with our kid', signed('corp', ownClaims, ownHeader), 'own: bad_signature'],
    ['is signed with the configured key', signed('local', ownClaims, { typ: 'at+jwt' }), 'own: unknown_key'],
    ['names no key', signed('own', ownClaims, { typ: 'at+jwt' }), 'own: unknown_key'],
    ['names its key in a list', ownToken({}, { kid: [own.kid] }), 'own: unknown_key'],
    ['names a member of objects as its key', ownToken({}, { kid: '__proto__' }), 'own: unknown_key'],
    ['names its key in other letters', ownToken({}, { kid: own.kid.toUpperCase() }), 'own: unknown_key'],
    [
      'has no algorithm',
      `${tokenPart({ ...ownHeader, alg: 'none' })}.${tokenPart(ownClaims)}.`,
      'own: wrong_algorithm',
    ],
    ['has another algorithm', ownToken({}, { alg: 'RS256' }), 'own: wrong_algorithm'],
    ['asks for an extension', ownToken({}, { crit: ['b64'], b64: true }), 'own: critical_header'],
    ['has no type', ownToken({}, { typ: undefined }), 'own: wrong_type'],
    ['is of another type', ownToken({}, { typ: 'logout+jwt' }), 'own: wrong_type'],
    ['has a type in a list', ownToken({}, { typ: ['at+jwt'] }), 'own: wrong_type'],
    ['has expired', ownToken({ exp: now - 30 }), 'own: expired'],
    ['never expires', signed('own', { iss: ownIssuer, sub: 'ann' }, ownHeader), 'own: missing_expiry'],
    ['is not valid yet', ownToken({ nbf: now + 31 }), 'own: not_yet_valid'],
    ['has no subject', ownToken({ sub: '' }), 'own: unusable_subject'],
    ['is unsigned', `${ownToken().split('.').slice(0, 2).join('.')}.`, 'own: bad_signature'],
    ['names us among others', ownToken({ iss: [ownIssuer] as never }), 'malformed'],
    [
      'names us twice',
      ownToken().replace(/\..*\./, `.${Buffer.from('{"iss":"a","iss":"b"}').toString('base64url')}.`),
      'malformed',
    ],
  ])('is refused if it %s', async (_, token, detail) => {
    // Whoever else could vouch for it would: no issuer is asked for.
    const { told } = await tokenParties({ jwt: { issuer: null, audiences: [] } });
    expect(await told(token)).toBe(detail);
    expect(await told(token, 'jwt')).toBe(detail);
    expect(await told(token, 'id_token')).toBe(detail === 'malformed' ? detail : 'own: wrong_type');
  });

  it('is refused with replaced claims', async () => {
    const { told } = await tokenParties();
    const [header, , signature] = ownToken().split('.');
    expect(await told(`${header}.${tokenPart({ ...ownClaims, sub: 'root' })}.${signature}`)).toBe('own: bad_signature');
  });

  it('is refused if it is signed with our public key as a secret', async () => {
    const { told } = await tokenParties();
    const token = signToken('HS256', publicPem(pairs.own.publicKey), ownClaims, ownHeader);
    expect(obeysTheHeader(token, pairs.own.publicKey)).toBe(true);
    expect(await told(token)).toBe('own: wrong_algorithm');
  });

  it('is refused with an embedded key', async () => {
    const { told } = await tokenParties();
    const token = signed('stranger', ownClaims, { ...ownHeader, jwk: publicJwk(pairs.stranger.publicKey) });
    expect(believesTheHeader(token, () => ({}))).toBe(true);
    expect(await told(token)).toBe('own: bad_signature');
  });

  it('is refused under another algorithm of the same key', async () => {
    const pair = rsaPair();
    const key = await ownKey(privatePem(pair.privateKey), 'RS256');
    const { told } = await tokenParties({ keys: [key] });
    const header = { kid: key.kid, typ: 'at+jwt' };
    expect(await told(signToken('RS256', pair.privateKey, ownClaims, header))).toBe('taken');
    expect(await told(signToken('PS256', pair.privateKey, ownClaims, header))).toBe('own: wrong_algorithm');
    expect(await told(signToken('RS512', pair.privateKey, ownClaims, header))).toBe('own: wrong_algorithm');
  });

  it('is accepted under a secret only if a secret signs', async () => {
    const secret = 'a secret that is longer than thirty-two bytes';
    const key = await ownKey(secret, 'HS256');
    const { told } = await tokenParties({ keys: [key] });
    const header = { kid: key.kid, typ: 'at+jwt' };
    expect(await told(signToken('HS256', secret, ownClaims, header))).toBe('taken');
    expect(await told(signToken('HS256', `${secret}!`, ownClaims, header))).toBe('own: bad_signature');
    expect(await told(signToken('HS256', '', ownClaims, header))).toBe('own: bad_signature');
    expect(await told(signed('own', ownClaims, header))).toBe('own: wrong_algorithm');
  });

  it('is verified only with our keys, although the configured key has our issuer too', async () => {
    const { told } = await tokenParties({ jwt: { issuer: ownIssuer } });
    expect(await told(signed('local', ownClaims, { typ: 'at+jwt' }))).toBe('own: unknown_key');
    expect(await told(ownToken())).toBe('taken');
  });

  it('is verified only with our keys, although a provider has our issuer', async () => {
    const { told } = await tokenParties({ corp: { issuer: ownIssuer } });
    expect(await told(signed('corp', ownClaims, { kid: 'one', typ: 'at+jwt' }))).toBe('own: unknown_key');
    expect(await told(ownToken())).toBe('taken');
  });

  it('is accepted under a key that is only published, until it is removed', async () => {
    const next = await ownKey(privatePem(pairs.stranger.privateKey));
    expect(await (await tokenParties({ keys: [next, own] })).told(ownToken())).toBe('taken');
    expect(await (await tokenParties({ keys: [next] })).told(ownToken())).toBe('own: unknown_key');
  });

  it('is an access token only by its type, and a JWT by either type', async () => {
    const { told } = await tokenParties();
    expect(await told(ownToken({}, { typ: 'JWT' }), 'access_token')).toBe('own: wrong_type');
    expect(await told(ownToken({}, { typ: 'JWT' }), 'jwt')).toBe('taken');
    expect(await told(ownToken(), 'jwt')).toBe('taken');
  });

  it('is not ours if the issuer differs in any way', async () => {
    const { told } = await tokenParties();
    for (const iss of [`${ownIssuer}/`, ownIssuer.toUpperCase(), ` ${ownIssuer}`, '']) {
      expect(await told(ownToken({ iss }))).toBe('jwt: bad_signature');
    }
  });
});

describe('a token of another issuer', () => {
  it.each<[string, string, string]>([
    [
      'of one provider under the issuer of another',
      signed('partner', claimsOf(corpIssuer), { kid: 'one' }),
      'oidc: bad_signature',
    ],
    [
      'that we signed under the issuer of a provider',
      signed('own', claimsOf(corpIssuer), { kid: 'one' }),
      'oidc: bad_signature',
    ],
    ['that we signed, with our kid', signed('own', claimsOf(corpIssuer), { kid: own.kid }), 'oidc: unknown_key'],
    [
      'under the configured key, of a provider',
      signed('local', claimsOf(corpIssuer), { kid: 'one' }),
      'jwt: wrong_issuer',
    ],
    [
      'of a provider under the issuer of the configured key',
      signed('corp', claimsOf(localIssuer), { kid: 'one' }),
      'jwt: bad_signature',
    ],
    ['of nobody', signed('stranger', claimsOf('https://nobody.example')), 'jwt: bad_signature'],
    ['for somebody else', corpToken({ aud: 'web' }), 'oidc: wrong_audience'],
    ['that has expired', corpToken({ exp: now - 30 }), 'oidc: expired'],
    [
      'with the algorithm none',
      `${tokenPart({ alg: 'none' })}.${tokenPart(claimsOf(localIssuer))}.`,
      'jwt: wrong_algorithm',
    ],
    ['that is too long', corpToken({ pad: 'a'.repeat(16_384) }), 'too_large'],
    ['that is no token', 'opaque', 'malformed'],
    ['that is nothing', '', 'malformed'],
  ])('is refused: a token %s', async (_, token, detail) => {
    const { told } = await tokenParties();
    expect(await told(token)).toBe(detail);
    expect(await told(token, 'jwt')).toBe(detail);
  });

  it('is refused without a verifier for it', async () => {
    const { told } = await tokenParties({ jwt: null, hasProviders: false });
    expect(await told(corpToken())).toBe('unknown_issuer');
    expect(await told(ownToken())).toBe('taken');
  });

  it("needs its provider's required scopes, unless it is an ID token", async () => {
    const { told } = await tokenParties({ corp: { requiredScopes: ['read'] } });
    expect(await told(corpToken({ scope: 'read' }))).toBe('taken');
    expect(await told(corpToken())).toBe('oidc: insufficient_scope');
    expect(await told(corpToken(), 'jwt')).toBe('oidc: insufficient_scope');
    expect(await told(corpToken(), 'id_token')).toBe('taken');
  });
});

describe('an ID token and an access token', () => {
  it.each<[string, string, ExchangeTokenKind, string]>([
    ['an access token by its header', corpToken({}, { typ: 'at+jwt' }), 'id_token', 'oidc: wrong_type'],
    ['an access token by its claims', corpToken({ token_use: 'access' }), 'id_token', 'wrong_type'],
    ['a bearer token by its claims', corpToken({ typ: 'Bearer' }), 'id_token', 'wrong_type'],
    [
      'an access token of the configured key',
      signed('local', claimsOf(localIssuer), { typ: 'at+jwt' }),
      'id_token',
      'jwt: wrong_type',
    ],
    ['an ID token by its hash', corpToken({ at_hash: 'h' }), 'access_token', 'wrong_type'],
    ['an ID token by its hash, shown as a JWT', corpToken({ c_hash: 'h' }), 'jwt', 'wrong_type'],
    ['an ID token by its claims', corpToken({ token_use: 'id' }), 'access_token', 'wrong_type'],
    ['an ID token for another party', corpToken({ aud: ['api', 'web'], azp: 'web' }), 'id_token', 'oidc: wrong_party'],
    [
      'an ID token of unknown age',
      signed('corp', { iss: corpIssuer, sub: 'ann', aud: 'api', exp: now + 60 }, { kid: 'one' }),
      'id_token',
      'oidc: missing_issued_at',
    ],
    [
      'a logout token',
      corpToken({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
      'id_token',
      'wrong_type',
    ],
    ['a logout token shown as a JWT', corpToken({ events: {} }), 'jwt', 'wrong_type'],
    ['a DPoP proof', corpToken({}, { typ: 'dpop+jwt' }), 'jwt', 'oidc: wrong_type'],
  ])('are not interchangeable: %s', async (_, token, kind, detail) => {
    const { told } = await tokenParties();
    expect(await told(token, kind)).toBe(detail);
  });

  it.each(['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'token-introspection+jwt', '', ['at+jwt'], null])(
    'are not distinguished under the configured key: %j',
    async (typ) => {
      const { told } = await tokenParties();
      const token = signed('local', claimsOf(localIssuer), { typ });
      for (const kind of ['access_token', 'jwt', 'id_token'] as const)
        expect(await told(token, kind)).toBe('jwt: wrong_type');
      for (const known of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'jwt']) {
        expect(await told(signed('local', claimsOf(localIssuer), { typ: known }))).toBe('taken');
      }
    },
  );

  it('differ for a provider without an audience', async () => {
    const { told } = await tokenParties({ corp: { audiences: [] }, jwt: { audiences: [] } });
    expect(await told(corpToken())).toBe('taken');
    expect(await told(corpToken(), 'id_token')).toBe('oidc: wrong_audience');
    expect(await told(signed('local', claimsOf(localIssuer)), 'id_token')).toBe('jwt: wrong_audience');
  });
});

describe('a token that waits for a key', () => {
  const waiting = (jwt: { readonly issuer: null } | null) => tokenParties({ jwt });

  it('is undecided if the key does not arrive in time', async () => {
    const { told, source, scheduler } = await waiting(null);
    source.isHeld = true;
    const pending = told(corpToken({}, { kid: 'new' }));
    await scheduler.advance(keyWaitMs);
    expect(await pending).toBe('keys_unavailable');
  });

  it('is accepted if the configured key verifies it', async () => {
    const { verify, source, scheduler } = await waiting({ issuer: null });
    source.isHeld = true;
    const pending = verify(signed('local', claimsOf(corpIssuer), { kid: 'new' }));
    await scheduler.advance(keyWaitMs);
    expect(await pending).toMatchObject({ ok: true, value: { isOwn: false } });
  });

  it('is accepted after the key timeout if the configured key verifies it', async () => {
    const { verify, source } = await waiting({ issuer: null });
    source.isHeld = true;
    const over = new CancellationSource();
    const pending = verify(signed('local', claimsOf(corpIssuer), { kid: 'new' }), 'access_token', over);
    over.cancel();
    expect(await pending).toMatchObject({ ok: true, value: { isOwn: false } });
  });

  it('is abandoned after cancellation', async () => {
    const { verify, source } = await waiting({ issuer: null });
    source.isHeld = true;
    const cancellation = new CancellationSource();
    const pending = verify(corpToken({}, { kid: 'new' }), 'access_token', cancellation);
    cancellation.cancel();
    expect(await pending).toEqual({ ok: false, error: { kind: 'cancelled', detail: 'cancelled' } });
  });
});

describe('a SAML token', () => {
  it('is verified by the SAML verifier, if there is one', async () => {
    const { tokens, verify } = await tokenParties();
    expect(tokens).toBeInstanceOf(SecurityTokens);
    expect(await verify('PHNhbWw+', 'saml2')).toMatchObject({ ok: false, error: { kind: 'invalid' } });

    const asked: unknown[] = [];
    const fault = { kind: 'overloaded', detail: 'overloaded' } as const;
    const withSaml = new SecurityTokens({
      own: new OwnTokens(ownIssuer, [own], new ManualClock()),
      bearer: { oidc: null, jwt: null },
      saml: {
        verify: async (...args) => {
          asked.push(args);
          return err(fault);
        },
      },
    });
    const event = headersEvent('call-7');
    expect(await withSaml.verify({ kind: 'saml2', token: 'PHNhbWw' }, event, neverCancelled)).toEqual(err(fault));
    expect(asked).toEqual([['PHNhbWw', event, neverCancelled]]);
    // A JWT never gets there.
    await withSaml.verify({ kind: 'jwt', token: corpToken() }, event, neverCancelled);
    expect(asked).toHaveLength(1);
  });
});
