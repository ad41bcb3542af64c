import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeParameters } from '../../../../../src/domain/agent/oidc/authorization-request.js';
import { callbackOfForm, callbackOfUri } from '../../../../../src/domain/agent/oidc/callback.js';
import { acceptedUser, domainOfEmail } from '../../../../../src/domain/agent/oidc/checks/user-checks.js';
import { readTokenResponse } from '../../../../../src/domain/agent/oidc/endpoint-response.js';
import { PublicOrigins } from '../../../../../src/domain/agent/oidc/public-origin.js';
import { decodeBase64, encodeBase64Url } from '../../../../../src/domain/shared/base64.js';

describe('answers of providers', () => {
  it('never break a reader, whatever text they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 100, max: 599 }), (text, status) => {
        callbackOfUri(`/cb?${text}`);
        callbackOfForm(new TextEncoder().encode(text));
        readTokenResponse({ status, contentType: text, body: text });
        const read = readTokenResponse({ status, contentType: 'application/json', body: text });
        expect(read.ok && status !== 200).toBe(false);
      }),
    );
  });

  it('bring a code and a state back as they were sent', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, text, (code, state) => {
        const query = encodeParameters([
          ['code', code],
          ['state', state],
        ]);
        const expected = { ok: true, value: { state, iss: null, answer: { kind: 'code', code } } };
        expect(callbackOfUri(`/cb?${query}`)).toEqual(expected);
        expect(callbackOfForm(new TextEncoder().encode(query))).toEqual(expected);
      }),
    );
  });
});

describe('hosts of requests', () => {
  it('never become the origin of a redirect URI', () => {
    const configured = ['https://a.example.com', 'http://localhost:3000'];
    const origins = new PublicOrigins(configured, 'example.com');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.domain(), fc.webAuthority()), (host) => {
        const place = origins.placeOf(host);
        if (place.kind === 'public') expect(configured).toContain(place.origin);
        if (place.kind === 'cookie_domain') expect(`.${host.toLowerCase()}`).toMatch(/\.example\.com(:\d+)?$/);
      }),
    );
  });
});

describe('allowed domains', () => {
  it('take an address only if it ends with @ and the domain', () => {
    const rules = { userIdClaim: 'sub', allowedDomains: ['example.com'], trustsUnverifiedEmail: false };
    const part = fc.string({ unit: fc.constantFrom('@', '.', 'a', 'A', 'example.com', '\u212A', ' ') });
    fc.assert(
      fc.property(part, (email) => {
        const accepted = acceptedUser({ sub: 'u', email, email_verified: true }, rules);
        expect(accepted.ok).toBe(/^[\s\S]+@example\.com$/i.test(email));
        expect(domainOfEmail(email)?.includes('@') ?? false).toBe(false);
      }),
    );
  });
});

describe('base64url', () => {
  it('decodes to the same octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (octets) => {
        const text = encodeBase64Url(octets);
        expect(text).toBe(Buffer.from(octets).toString('base64url'));
        expect(decodeBase64(text, 'url')).toEqual(octets);
      }),
    );
  });
});
