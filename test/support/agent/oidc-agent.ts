import { CryptoTokenHashes } from '../../../src/adapters/outbound/jose-tokens/crypto-token-hashes.js';
import type { DocumentLimits } from '../../../src/adapters/outbound/undici-documents/document-request.js';
import { UndiciProviderEndpoints } from '../../../src/adapters/outbound/undici-documents/undici-provider-endpoints.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import type { CleanUp } from '../shared/clean-up.js';
import { eventually } from '../shared/eventually.js';
import { ManualClock } from '../shared/manual-clock.js';
import { LyingOidcProvider } from './lying-oidc-provider.js';
import { AgentBrowser, type Reply } from './saml-agent.js';
import { type AgentServiceOverrides, startedTestAgent } from './test-agent.js';

export const portal = 'portal.example.com';
export const sessionCookie = '__Host-portcullis_session';

/** A busy host may be slow, so only tests about slowness have short timeouts. */
const patientLimits: DocumentLimits = { connectMs: 30_000, answerMs: 30_000, headOctets: 16_384, bodyOctets: 65_536 };
/** For providers that never answer. */
export const shortLimits: DocumentLimits = { ...patientLimits, answerMs: 300 };

export const loginConfig = (provider: LyingOidcProvider, login: JsonObject = {}): JsonObject => ({
  name: 'corp',
  issuer: provider.issuer,
  'client-id': 'portal',
  'client-secret': provider.clientSecret,
  'public-url': `https://${portal}`,
  ...login,
});

/** A browser that goes to the hosts of an agent with logins. */
export class OidcBrowser {
  readonly browser: AgentBrowser;
  readonly host: string;

  constructor(browser: AgentBrowser, host = portal) {
    this.browser = browser;
    this.host = host;
  }

  get cookies(): Map<string, string> {
    return this.browser.cookies;
  }

  get(uri: string, more: readonly string[] = [], method = 'GET'): Promise<Reply> {
    return this.browser.get(uri, ['accept', 'text/html', 'host', this.host, ...more], method);
  }

  post(uri: string, fields: Readonly<Record<string, string>>): Promise<Reply> {
    return this.browser.post(uri, fields);
  }

  /** Asks for a page; the URL of the authorization request. */
  async begin(uri = '/orders?page=2'): Promise<string> {
    const { status, location, body } = await this.get(uri);
    if (status !== 302 || location === null) throw new Error(`no redirect, but ${status}: ${body}`);
    return location;
  }

  callback(parameters: Readonly<Record<string, string>>, path = '/oidc/callback/corp'): Promise<Reply> {
    return this.get(`${path}?${new URLSearchParams(parameters)}`);
  }
}

interface OidcPlaceOptions {
  readonly limits?: DocumentLimits;
  readonly sessions?: NonNullable<AgentServiceOverrides['sessions']>;
}

/** An agent with one login at a provider that lies on demand. */
export const oidcPlace = async (
  cleanUp: CleanUp,
  login: JsonObject | ((provider: LyingOidcProvider) => readonly JsonObject[]) = {},
  config: JsonObject = {},
  { limits = patientLimits, sessions = {} }: OidcPlaceOptions = {},
) => {
  const clock = new ManualClock();
  const provider = new LyingOidcProvider(() => clock.seconds());
  await provider.start();
  cleanUp.add(() => provider.stop());
  const logins = typeof login === 'function' ? login(provider) : [loginConfig(provider, login)];
  const made = await startedTestAgent(
    { sessions: { store: 'memory' }, 'oidc-login': logins as JsonObject[], ...config },
    { clock, sessions, oidc: { endpoints: new UndiciProviderEndpoints(limits), hashes: new CryptoTokenHashes() } },
  );
  cleanUp.add(() => made.agent.stop());
  // On a busy host the start may end before the provider has answered. A reason in parentheses is an answer too.
  await eventually(() => {
    const { state, message } = made.agent.health();
    return state === 'healthy' || message?.includes('(') === true;
  });
  const connection = Symbol('connection');
  const newBrowser = (host = portal) =>
    new OidcBrowser(new AgentBrowser((event) => made.agent.decide(event, connection)), host);
  return { ...made, provider, newBrowser };
};
