import { describe, expect } from 'vitest';
import { oidcPlace } from '../../../../../support/agent/oidc-agent.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** Texts that some parser of URLs reads as another host, or as a script. */
const attacks: readonly string[] = [
  // Slashes and backslashes.
  '//evil.example',
  '///evil.example',
  '////evil.example/..',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '\\evil.example',
  'https:\\\\evil.example',
  'https:/\\evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  // Control characters, which browsers remove or stop at.
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '\t//evil.example',
  '\0//evil.example',
  '/\0/evil.example',
  'ht\ntps://evil.example',
  ' https://evil.example',
  '\u00a0//evil.example',
  '\u0085//evil.example',
  '/\u007f/evil.example',
  'java\tscript:alert(1)',
  '/x\r\nSet-Cookie: a=b',
  '/x\r\n\r\n<script>alert(1)</script>',
  // Credentials.
  'https://portal.example.com@evil.example',
  'https://portal.example.com:443@evil.example/',
  'https://user:password@portal.example.com/',
  'https://portal.example.com%40evil.example',
  'https://evil.example\\@portal.example.com',
  'https://evil.example#@portal.example.com',
  'https://evil.example?@portal.example.com',
  '//portal.example.com@evil.example',
  // Hosts that look alike.
  'https://portal.example.com.evil.example',
  'https://portal.example.com.',
  'https://evil-portal.example.com.evil',
  'https://evilexample.com',
  'https://portal.example.com:8443/',
  'https://portal.example.com:99999/',
  'https://portal.example.com\\.evil.example',
  'https://portal.example.com\u3002evil.example',
  'https://ｐortal.example.com/',
  'https://portal\u00ad.example.com/',
  'https://xn--portal-.example.com/',
  'https://[::1]/',
  'https://2130706433/',
  // Unicode that is normalised to a slash, a point or a colon.
  '/／evil.example',
  '／／evil.example',
  '/⁄/evil.example',
  '/\u2215/evil.example',
  '/\u2028/evil.example',
  '/\ufeff/evil.example',
  '/\u202e/evil.example',
  'https：//evil.example',
  // Schemes.
  'http://portal.example.com/',
  'javascript:alert(1)',
  'javascript://portal.example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://portal.example.com/x',
  'ftp://portal.example.com/',
  // Dots.
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  '.',
  '..//evil.example',
  // Encoded twice, so that they are encoded once after the query is read.
  '/%2fevil.example',
  '/%5cevil.example',
  '/%09/evil.example',
  '%2f%2fevil.example',
  '',
];

describe('a page of return that a link names', () => {
  it('is never at a host that is not allowed', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(
      cleanUp,
      {},
      { sessions: { store: 'memory', 'return-hosts': ['*.shop.example.org'] } },
    );
    for (const attack of attacks) {
      const browser = newBrowser();
      const begun = await browser.get(`/oidc/login?provider=corp&return_to=${encodeURIComponent(attack)}`);
      expect([attack, begun.status]).toEqual([attack, 302]);
      const { status, location } = await browser.callback(provider.authorize(begun.location ?? ''));
      expect([attack, status]).toEqual([attack, 302]);
      // A path of this host for any reader: one slash, and nothing that is not printable ASCII.
      expect([attack, location]).toEqual([attack, expect.stringMatching(/^\/(?![/\\])[!-~]*$/)]);
      const resolved = new URL(location ?? '', 'https://portal.example.com/oidc/callback/corp');
      expect([attack, resolved.origin]).toEqual([attack, 'https://portal.example.com']);
    }
  });

  it('is one at an allowed host, in the spelling of URLs', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(
      cleanUp,
      {},
      { sessions: { store: 'memory', 'return-hosts': ['*.shop.example.org'] } },
    );
    for (const [named, target] of [
      ['/orders?page=2&next=//evil.example', '/orders?page=2&next=//evil.example'],
      ['HTTPS://Portal.Example.COM:443/a/../b?x=1', 'https://portal.example.com/b?x=1'],
      ['https://a.shop.example.org/cart', 'https://a.shop.example.org/cart'],
      ['https://a.shop.example.org//evil.example', 'https://a.shop.example.org/evil.example'],
      ['https://shop.example.org/cart', '/'],
    ] as const) {
      const browser = newBrowser();
      const begun = await browser.get(`/oidc/login?provider=corp&return_to=${encodeURIComponent(named)}`);
      expect((await browser.callback(provider.authorize(begun.location ?? ''))).location).toBe(target);
    }
  });

  it('counts only once, and only well formed', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    for (const query of [
      'return_to=/a&return_to=//evil.example',
      'return_to=%',
      'return_to=%ff%2f',
      'return_to[]=/a',
    ]) {
      const browser = newBrowser();
      const begun = await browser.get(`/oidc/login?provider=corp&${query}`);
      if (begun.status !== 302) {
        expect([query, begun.status]).toEqual([query, 400]);
        continue;
      }
      expect((await browser.callback(provider.authorize(begun.location ?? ''))).location).toBe('/');
    }
  });
});
