import { expect } from 'vitest';
import type { GatewayStack } from '../shared/gateway-stack.js';
import { type LiveLoginProvider, loginClientSecret } from './live-login-provider.js';
import { SamlBrowser as CookieBrowser } from './saml-browser.js';

/** A block `oidc-login`; `/app` is protected. */
export const loginBlock = ({ issuer }: LiveLoginProvider, origin: string, members: string): string => `
  oidc-login "corp" {
    issuer "${issuer}"
    client-id "portal"
    client-secret "${loginClientSecret}"
    public-url "${origin}"
    protected-paths "/app"
    ${members}
  }`;

/** Signs on, without a request to the page. */
export const loginWithTokens = async (
  stack: GatewayStack,
  provider: LiveLoginProvider,
): Promise<{ readonly cookie: string; readonly signedOnMs: number }> => {
  const browser = new CookieBrowser(stack.port);
  const asked = await browser.visit('/app/orders');
  const callback = await provider.authorize(asked.headers.location ?? '');
  const completed = await browser.visit(callback.replace(/^https?:\/\/[^/]+/, ''));
  expect(completed.headers.location).toBe('/app/orders');
  const name = '__Host-portcullis_session';
  return { cookie: `${name}=${browser.cookie(name)}`, signedOnMs: Date.now() };
};

/** Resolves when an access token of that life has ended. */
export const untilEnded = async (signedOnMs: number, lifeSecs: number): Promise<void> => {
  await expect.poll(() => Date.now() - signedOnMs, { timeout: 20_000 }).toBeGreaterThan(lifeSecs * 1000);
};

/** The fields of a raw head, by lower-case name. */
export const headersOf = (raw: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [])),
  );
