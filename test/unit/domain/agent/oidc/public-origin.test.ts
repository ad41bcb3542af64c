import { describe, expect, it } from 'vitest';
import {
  codeVerifierText,
  loginRequestId,
  nonceText,
  readLoginRequestId,
} from '../../../../../src/domain/agent/oidc/pending-login.js';
import { PublicOrigins } from '../../../../../src/domain/agent/oidc/public-origin.js';
import { newOidcSession } from '../../../../../src/domain/agent/oidc/session-of-id-token.js';
import { sessionIdentity } from '../../../../../src/domain/agent/sessions/session-identity.js';

const origins = new PublicOrigins(['https://portal.example.com', 'https://Admin.example.com:8443'], 'example.com');

describe('the place of a request', () => {
  it.each([
    ['portal.example.com', 'https://portal.example.com'],
    ['PORTAL.example.com:443', 'https://portal.example.com'],
    ['admin.example.com:8443', 'https://Admin.example.com:8443'],
  ])('is public at %s', (host, origin) => {
    expect(origins.placeOf(host)).toEqual({ kind: 'public', origin });
  });

  it.each(['app.example.com', 'example.com', 'portal.example.com:8080', 'admin.example.com', 'a.b.example.com'])(
    'is under the cookie domain at %s',
    (host) => {
      expect(origins.placeOf(host)).toEqual({ kind: 'cookie_domain' });
    },
  );

  it.each([
    'evil.org',
    'evilexample.com',
    'example.com.evil.org',
    '',
    'a@portal.example.com',
    'portal.example.com/x',
    null,
  ])('is foreign at %j', (host) => {
    expect(origins.placeOf(host)).toEqual({ kind: 'foreign' });
  });

  it('is foreign at every host that is not listed, without a cookie domain', () => {
    const single = new PublicOrigins(['http://127.0.0.1:8080'], null);
    expect(single.placeOf('app.example.com')).toEqual({ kind: 'foreign' });
    expect(single.placeOf('127.0.0.1:8080')).toEqual({ kind: 'public', origin: 'http://127.0.0.1:8080' });
    expect(single.placeOf('127.0.0.1')).toEqual({ kind: 'foreign' });
  });
});

describe('a pending login', () => {
  it('is read from its request id', () => {
    const pending = { login: 'corp', origin: 'https://portal.example.com' };
    expect(readLoginRequestId(loginRequestId(pending))).toEqual(pending);
  });

  it.each(['', '_0a1b', 'oidc', 'oidc corp', 'oidc corp https://a b', 'saml corp https://a'])('is not %j', (id) => {
    expect(readLoginRequestId(id)).toBeNull();
  });

  it('has a nonce and a code verifier of its own', () => {
    expect(nonceText('s', 'h')).not.toBe(codeVerifierText('s', 'h'));
    expect(nonceText('s', 'h')).not.toBe(nonceText('s', 'i'));
  });
});

describe('the session of an ID token', () => {
  it('keeps the claims exactly, and the names of its logout', () => {
    const session = newOidcSession({
      sealedTokens: {},
      login: { name: 'corp', issuer: 'https://id.example' },
      userId: 'ann',
      claims: { sub: 's-1', sid: 'x', groups: ['a', 'b'], level: 9_007_199_254_740_993n, address: { city: 'Ulm' } },
      idTokenClaims: { sub: 's-1' },
      clockSkewMs: 0,
      pageHash: 'ab',
      idHash: '00',
      nowMs: 1000,
      ttlMs: 500,
    });
    expect(session).toMatchObject({
      method: 'oidc',
      provider: 'https://id.example corp',
      logout: { subject: 's-1', session: 'x' },
      expiresMs: 1500,
    });
    expect(sessionIdentity(session)).toEqual({
      method: 'oidc',
      userId: 'ann',
      certificate: null,
      claims: { sub: 's-1', sid: 'x', groups: ['a', 'b'], level: 9_007_199_254_740_993n, address: { city: 'Ulm' } },
    });
  });
});
