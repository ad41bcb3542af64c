import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedReturn } from '../../../../../src/domain/agent/sign-on/return-target.js';
import { AllowedOrigins } from '../../../../../src/domain/http/allowed-origins.js';
import { isFieldValue } from '../../../../../src/domain/http/field-syntax.js';

const piece = fc.constantFrom(
  ...['/', '//', '\\', '.', '..', '%2f', '%5C', '%2e', '%09', '\t', '\r', '\n', '\0', '\x7f', '\x85', ' ', '@', ':'],
  ...['?', '#', ';', 'http:', 'https://', 'javascript:', 'evil.example', 'a', '\u2028', 'ä', '\ud800', '／', '%', '&'],
);
const wish = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

const none = new AllowedOrigins([]);
const listed = new AllowedOrigins(['https://app.example', 'https://shop.example:8443', 'https://*.corp.example']);

/** Texts near a URL of a listed host. */
const near = fc.oneof(
  wish,
  fc
    .array(
      fc.oneof(
        piece,
        fc.constantFrom('https://', 'HTTPS://', 'app.example', 'a.corp.example', 'corp.example', 'shop.example:8443'),
        fc.constantFrom(
          ':443',
          ':8443',
          ':',
          'xn--',
          '0x7f.1',
          '%00',
          '\u3002',
          '\uff0e',
          'user:pw@',
          '[::1]',
          '127.1',
        ),
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join('')),
  fc
    .tuple(fc.constantFrom('https://app.example', 'https://a.corp.example'), fc.string({ unit: 'binary' }))
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('https://'),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('.corp.example/', 'app.example/', '@app.example/'),
    )
    .map((parts) => parts.join('')),
);

const isListed = (url: URL): boolean =>
  url.protocol === 'https:' &&
  (url.host === 'app.example' || url.host === 'shop.example:8443' || url.host.endsWith('.corp.example'));

describe('the redirect target of a client that names a host', () => {
  it("is never at another host in a browser's resolution, for any request", () => {
    fc.assert(
      fc.property(near, (text) => {
        const base = 'https://login.example/oidc/callback';
        const target = allowedReturn(text, listed);
        expect(isFieldValue(target)).toBe(true);
        expect(allowedReturn(target, listed)).toBe(target);
        if (!URL.canParse(target, base)) return;
        const resolved = new URL(target, base);
        expect(isListed(resolved) || resolved.origin === 'https://login.example').toBe(true);
        expect(resolved.username + resolved.password + resolved.hash).toBe('');
      }),
      { numRuns: 20_000 },
    );
  });

  it('is what a URL parser reads in the request, at a listed host', () => {
    const path = fc.stringMatching(/^\/[a-z0-9_~-]{1,20}(\/[a-z0-9_~-]{1,20}){0,3}$/);
    const host = fc.constantFrom('app.example', 'App.Example:443', 'shop.example:8443', 'a.b.corp.example');
    fc.assert(
      fc.property(host, path, fc.webQueryParameters(), (name, page, query) => {
        const asked = `https://${name}${page}${query === '' ? '' : `?${query}`}`;
        const target = allowedReturn(asked, listed);
        expect(new URL(target).href).toBe(new URL(asked).href);
      }),
    );
  });
});

describe('the redirect target of a browser', () => {
  it("is a page of this host in a browser's resolution, for any request", () => {
    fc.assert(
      fc.property(wish, fc.constantFrom('https://app.example/saml/acs', 'http://app.example:8080/'), (text, base) => {
        const target = allowedReturn(text, none);
        const resolved = new URL(target, base);
        expect(resolved.origin).toBe(new URL(base).origin);
        expect(resolved.username + resolved.password + resolved.hash).toBe('');
        expect(target).toMatch(/^\/(?![/\\])/);
        expect(isFieldValue(target)).toBe(true);
        expect(allowedReturn(target, none)).toBe(target);
      }),
      { numRuns: 5000 },
    );
  });

  it('is the root for a text that is not a path of this host or has control characters', () => {
    const refused = fc.oneof(
      fc.webUrl(),
      fc.tuple(fc.constantFrom('//', '/\\', '\\/', '\\\\'), fc.string()).map((parts) => parts.join('')),
      fc
        .tuple(fc.webPath(), fc.constantFrom('\0', '\t', '\r', '\n', '\x1f', '\x7f', '\x80', '\x9f'), fc.string())
        .map(([path, control, rest]) => `/${path}${control}${rest}`),
    );
    fc.assert(
      fc.property(refused, (text) => {
        expect(allowedReturn(text, none)).toBe('/');
      }),
    );
  });

  it('is the requested page if that is a page of this host', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\/[a-z0-9_~-]{1,20}(\/[a-z0-9_~-]{1,20}){0,3}$/),
        fc.webQueryParameters(),
        (path, query) => {
          const asked = query === '' ? path : `${path}?${query}`;
          expect(allowedReturn(asked, none)).toBe(asked);
        },
      ),
    );
  });
});
