import { expect } from 'vitest';
import { startBrowser } from '../../support/shared/browser.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const it = baseIt.extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp));

describeWithPeers(['chromium'], 'a person in a browser', () => {
  it.for(['embedded', 'socket'] as const)(
    'reads a page, not JSON, when access is refused: %s',
    async (transport, { browser, cleanUp }) => {
      const stack = await startStack(cleanUp, { transport, agentConfig: 'api-keys "key-of-alice:alice"' });
      const page = await browser.newPage();
      cleanUp.add(() => page.close());
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      const requested: string[] = [];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      const response = await page.goto(`http://127.0.0.1:${stack.port}/orders`);
      const headers = (await response?.allHeaders()) ?? {};
      expect([response?.status(), headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(headers['www-authenticate']).toBeDefined();
      expect(await page.title()).toBe('401 Unauthorized');
      expect(await page.locator('h1').textContent()).toBe('Unauthorized');
      expect(await page.locator('code').textContent()).toBe(headers['x-correlation-id']);
      // Its style is in force, and the page breaks no rule of its own policy.
      const maxWidth = await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth);
      expect(maxWidth).not.toBe('none');
      expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
      // Chromium requests the icon of a site by itself.
      expect(requested.filter((path) => path !== '/favicon.ico')).toEqual(['/orders']);
    },
  );
});
