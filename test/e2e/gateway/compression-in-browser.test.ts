import { chromium } from 'playwright-core';
import { expect } from 'vitest';
import { selfSignedCertificate } from '../../support/agent/self-signed-certificate.js';
import { rsaPair } from '../../support/agent/test-tokens.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers, peerPath } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const it = baseIt.extend('browser', { scope: 'file' }, async ({ fileCleanUp }) => {
  const browser = await chromium.launch({ executablePath: peerPath('chromium') ?? '', args: chromiumFlags });
  fileCleanUp.add(() => browser.close());
  return browser;
});

/** Members of a listener, in KDL, for HTTPS with a new certificate. */
const tlsMembers = (cleanUp: CleanUp): string => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const pair = rsaPair();
  const der = selfSignedCertificate(pair, 'localhost').toString('base64');
  const pem = `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  const certificate = folder.write('tls.crt', pem);
  const key = folder.write('tls.key', pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  return `protocol "https"; tls { cert-file "${certificate}"; key-file "${key}" }`;
};

const text = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `Zoë ${id * 7_919}` })));
const script = `const large = ${text};`;

describeWithPeers(['chromium'], 'Chromium', () => {
  it('shows a compressed page, runs its script, reads its data and keeps them in its cache, over HTTP/1.1 and HTTP/2', async ({
    browser,
    cleanUp,
  }) => {
    const stack = await startStack(cleanUp, {
      listeners: { secure: tlsMembers(cleanUp) },
      routes: `route "zip" {
        matches { path-prefix "/zip" }
        upstream "back"
        policies { compress { min-bytes 0; encodings "gzip" "br" } }
      }`,
    });
    let revalidated = 0;
    stack.upstream.answer = (asked, response) => {
      const reply = (type: string, body: string): void => {
        response.setHeader('Content-Type', type);
        response.end(body);
      };
      if (asked.url === '/zip/page')
        reply('text/html', '<!doctype html><title>Zipped</title><script src="script"></script>');
      else if (asked.url === '/zip/script') reply('text/javascript; charset=utf-8', script);
      else if (/"data"/.test(asked.headers['if-none-match'] ?? '')) {
        revalidated += 1;
        response.writeHead(304, { ETag: '"data"' }).end();
      } else {
        response.setHeader('ETag', '"data"');
        response.setHeader('Cache-Control', 'no-cache');
        reply('application/json', text);
      }
    };
    for (const [origin, version] of [
      [`http://127.0.0.1:${stack.port}`, 'http/1.1'],
      [`https://localhost:${stack.portOf('secure')}`, 'h2'],
    ] as const) {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      cleanUp.add(() => context.close());
      const page = await context.newPage();
      const codings: (string | undefined)[] = [];
      page.on('response', (response) => codings.push(response.headers()['content-encoding']));
      await page.goto(`${origin}/zip/page`);
      expect(await page.title()).toBe('Zipped');
      expect(await page.evaluate('large.length')).toBe(5_000);
      const read = async (): Promise<string> =>
        page.evaluate(async () => (await fetch('/zip/data')).text()) as Promise<string>;
      expect((await read()) === text).toBe(true);
      const before = revalidated;
      expect((await read()) === text).toBe(true);
      // Chromium caches nothing from a host whose certificate it does not trust.
      if (version === 'http/1.1') expect(revalidated).toBe(before + 1);
      expect(codings.slice(0, 3)).toEqual(['gzip', 'gzip', 'gzip']);
      const protocol = 'performance.getEntriesByType("navigation")[0].nextHopProtocol';
      expect(await page.evaluate(protocol)).toBe(version);
    }
  });
});
