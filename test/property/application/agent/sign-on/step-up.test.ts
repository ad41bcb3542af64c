import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { loginConfig, type OidcBrowser, oidcPlace, sessionCookie } from '../../../../support/agent/oidc-agent.js';
import { requestEvent } from '../../../../support/agent/test-agent.js';
import { it } from '../../../../support/shared/fixtures.js';

interface Rule {
  readonly name: string;
  readonly provider?: string;
  readonly acr?: readonly string[];
  readonly maxAgeSecs?: number;
}

const rules: readonly Rule[] = [
  { name: '/admin', provider: 'corp', acr: ['mfa'] },
  { name: '/admin/logs', acr: ['mfa', 'otp'] },
  { name: '/pay', provider: 'partner', maxAgeSecs: 120 },
  { name: '/pay/help/', provider: 'partner' },
];

const require = rules.map(
  ({ name, provider, acr, maxAgeSecs }): JsonObject => ({
    name,
    ...(provider !== undefined && { provider }),
    ...(acr !== undefined && { 'acr-values': [...acr] }),
    ...(maxAgeSecs !== undefined && { 'max-age-secs': maxAgeSecs }),
  }),
);

const providers = ['corp', 'partner'] as const;
const contexts = ['pwd', 'otp', 'mfa', undefined] as const;
/** How long ago the users authenticated, in seconds. Clocks have no tolerance. */
const ages = [0, 60, 200] as const;

interface Opened {
  readonly provider: string;
  readonly acr: string | undefined;
  readonly authTimeSecs: number;
  readonly cookie: string;
}

/** The meaning of a spelling, as a lenient upstream reads it; null: it might be anything. */
const namesOf = (uri: string): readonly string[] | null => {
  const [path = ''] = uri.split('?');
  if (/%2f|%5c|\\|%00/i.test(path)) return null;
  const names: string[] = [];
  for (const raw of path.split('/')) {
    const decoded = raw.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    const name = decoded.replace(/;.*$/, '').toLowerCase();
    if (name === '' || name === '.') continue;
    if (name === '..') names.pop();
    else names.push(name);
  }
  return names;
};

/** What a path asks, read without any of the code under test. */
const ruleOf = (names: readonly string[]): Rule | undefined => {
  const covers = ({ name }: Rule) => (namesOf(name) ?? []).every((each, index) => names[index] === each);
  return rules.filter(covers).toSorted((one, other) => other.name.length - one.name.length)[0];
};

const meets = ({ provider, acr, authTimeSecs }: Opened, rule: Rule, nowSecs: number): boolean =>
  (rule.provider === undefined || rule.provider === provider) &&
  (rule.acr === undefined || (acr !== undefined && rule.acr.includes(acr))) &&
  (rule.maxAgeSecs === undefined || nowSecs - authTimeSecs <= rule.maxAgeSecs);

const name = fc.constantFrom('admin', 'logs', 'pay', 'help', 'x', '..', '.', '');
const letter = (text: string, style: number): string => {
  const code = text.charCodeAt(0).toString(16);
  return [text, text, text.toUpperCase(), `%${code}`, `%${code.toUpperCase()}`][style % 5] ?? text;
};
const suffix = fc.constantFrom('', '', '', ';a=b', '%3Bx', ';', '%2F', '%5C..');
const segment = fc
  .tuple(name, fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }), suffix)
  .map(
    ([text, styles, end]) =>
      [...text].map((each, index) => letter(each, styles[index % styles.length] ?? 0)).join('') + end,
  );
const uri = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/', '?x=/admin', '/?y'))
  .map(([segments, end]) => `/${segments.join('/')}${end}`);
const request = fc.record({
  uri,
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE'),
  headers: fc.constantFrom<readonly string[]>(
    ['accept', 'text/html'],
    ['accept', 'application/json'],
    ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ==', 'upgrade', 'websocket'],
    [],
  ),
});

describe('a session that does not meet what a path requires', () => {
  it('never reaches the upstream, however the path is spelled and whatever the request is', async ({ cleanUp }) => {
    const place = await oidcPlace(
      cleanUp,
      (provider) => providers.map((each) => loginConfig(provider, { name: each, 'clock-skew-secs': 0 })),
      { sessions: { store: 'memory', require } },
    );
    const { provider, clock, agent, newBrowser } = place;
    const opened: Opened[] = [];
    for (const way of providers) {
      for (const acr of contexts) {
        for (const age of ages) {
          const authTimeSecs = clock.seconds() - age;
          provider.user = { sub: 'ann', acr, auth_time: authTimeSecs };
          const browser: OidcBrowser = newBrowser();
          const asked = await browser.get(`/oidc/login?provider=${way}&return_to=/`);
          await browser.callback(provider.authorize(asked.location ?? ''), `/oidc/callback/${way}`);
          const cookie = `${sessionCookie}=${browser.cookies.get(sessionCookie)}`;
          opened.push({ provider: way, acr, authTimeSecs, cookie });
        }
      }
    }
    const connection = Symbol('connection');
    let calls = 0;
    const allowed: Opened[] = [];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...opened), request, fc.nat(3), async (session, sent, passedSecs) => {
        if (calls < 150) clock.advance(passedSecs * 100);
        calls += 1;
        const headers = ['host', 'portal.example.com', 'cookie', session.cookie, ...sent.headers];
        const event = { ...requestEvent(headers, `step-up-${calls}`), uri: sent.uri, method: sent.method };
        const { decision } = await agent.decide(event, connection);
        if (decision.kind !== 'allow') return;
        allowed.push(session);
        const names = namesOf(sent.uri);
        expect(names).not.toBeNull();
        const rule = ruleOf(names ?? []);
        if (rule !== undefined) expect(meets(session, rule, clock.wallMs() / 1000)).toBe(true);
      }),
      { numRuns: 1500 },
    );
    // The property is about something: sessions of both providers have passed.
    expect(new Set(allowed.map((each) => each.provider)).size).toBe(2);
  });
});
