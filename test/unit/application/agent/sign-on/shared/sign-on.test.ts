import { describe, expect, it } from 'vitest';
import { undecidedAnswer } from '../../../../../../src/application/agent/agent-service/refusal.js';
import { SignOn } from '../../../../../../src/application/agent/sign-on/shared/sign-on.js';
import { redirectAnswer } from '../../../../../../src/application/agent/sign-on/shared/sign-on-answers.js';
import type { SignOnWay } from '../../../../../../src/application/agent/sign-on/shared/sign-on-way.js';
import type {
  RequiredPath,
  SessionRequirement,
} from '../../../../../../src/domain/agent/sessions/session-requirements.js';
import { compileProtectedPaths, pathProtection } from '../../../../../../src/domain/agent/sign-on/protected-paths.js';
import { answerFault } from '../../../../../../src/domain/agent-protocol/answer-rules.js';
import type { AgentAnswer } from '../../../../../../src/domain/agent-protocol/messages.js';
import { AllowedOrigins } from '../../../../../../src/domain/http/allowed-origins.js';
import { requestPath } from '../../../../../../src/domain/http/path-normalisation.js';
import { required, stepUpRulesOf } from '../../../../../support/agent/step-up-rules-of.js';
import { headersEvent } from '../../../../../support/shared/agent-events.js';

/** A way whose provider is at a host of its name; the return target is in the URL. */
const way = (
  name: string,
  protectedPaths: readonly string[] = [],
  excludedPaths: readonly string[] = [],
  requirement: Partial<SessionRequirement> = {},
): SignOnWay => {
  const paths = compileProtectedPaths({ protectedPaths, excludedPaths });
  return {
    name,
    label: `With <${name}>`,
    requirement: required({ provider: name, ...requirement }),
    protection: (path) => pathProtection(paths, path),
    beginsAt: () => true,
    returnsTo: () => true,
    begin: async (_, returnTo) =>
      redirectAnswer(`https://${encodeURIComponent(name)}.idp.example/?to=${encodeURIComponent(returnTo)}`, []),
  };
};

const origins = new AllowedOrigins(['https://*.corp.example']);

const signOnOf = (...ways: readonly SignOnWay[]) => signOnWith([], ...ways);

const signOnWith = (paths: readonly RequiredPath[], ...ways: readonly SignOnWay[]) =>
  new SignOn({
    ways,
    loginPaths: ways.length > 1 ? ['/oidc/login', '/oidc/login', '/other/login'] : ['/oidc/login'],
    secretHeaders: ['X-API-Key'],
    returnOrigins: origins,
    stepUp: stepUpRulesOf(paths),
  });

const event = (uri: string, method = 'GET', headers: readonly string[] = []) =>
  headersEvent('c-1', { uri, method, headers: ['host', 'app.example', ...headers] });

const begun = async (signOn: SignOn, uri: string): Promise<AgentAnswer> => signOn.begin(event(uri));
const asked = async (signOn: SignOn, uri: string, method = 'GET'): Promise<AgentAnswer> => {
  const answer = await signOn.answer(event(uri, method), requestPath(uri) ?? '');
  expect(answerFault(answer, event(uri, method))).toBeNull();
  expect(answer.responseHeaders).toContainEqual({ kind: 'set', name: 'Cache-Control', value: 'no-store' });
  return answer;
};

const urlOf = ({ decision }: AgentAnswer): string => (decision.kind === 'redirect' ? decision.url : decision.kind);
const pageOf = ({ decision }: AgentAnswer): string => {
  if (decision.kind !== 'block' || decision.status !== 200) throw new Error(JSON.stringify(decision));
  return decision.body ?? '';
};
const linksOf = (answer: AgentAnswer): readonly string[] =>
  [...pageOf(answer).matchAll(/<a href="([^"]*)">/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

describe('the paths of several ways to sign on', () => {
  const signOn = signOnOf(way('saml', ['/a'], ['/a/open']), way('corp', ['/b', '/a/open/inside'], ['/c']));

  it.each([
    ['/a', 'protected'],
    ['/b/x', 'protected'],
    ['/a/open', 'excluded'],
    ['/a/open/inside', 'protected'],
    ['/c', 'excluded'],
    ['/d', 'open'],
    [null, 'protected'],
  ])('are protected if one way protects them: %s is %s', (path, protection) => {
    expect(signOn.protection(path)).toBe(protection);
  });

  it('lead back to a host only if every way that protects the path does', () => {
    const away = { ...way('partner', ['/b']), returnsTo: () => false };
    const several = signOnOf(way('saml', ['/a']), away);
    expect(['/a/x', '/b', '/c'].map((uri) => several.returnsTo(event(uri, 'POST')))).toEqual([true, false, true]);
  });

  it('begin a sign-on only for browsers that navigate to a protected path', () => {
    const begins = (uri: string, method = 'GET', headers: readonly string[] = []) =>
      signOn.begins(event(uri, method, headers), signOn.protection(uri));
    expect(begins('/a/x')).toBe(true);
    expect(begins('/b', 'HEAD', ['accept', 'text/html,*/*;q=0.8'])).toBe(true);
    expect(begins('/a', 'POST')).toBe(false);
    expect(begins('/a', 'GET', ['accept', 'application/json'])).toBe(false);
    expect(begins('/a', 'GET', ['x-api-key', 'k'])).toBe(false);
    expect(begins('/a', 'GET', ['authorization', 'Bearer x'])).toBe(false);
    expect(begins('/d')).toBe(false);
    expect(begins('/c')).toBe(false);
  });

  it('begin the only way that protects them, with the page as return target', async () => {
    expect(urlOf(await begun(signOn, '/a/x?y=1&z'))).toBe('https://saml.idp.example/?to=%2Fa%2Fx%3Fy%3D1%26z');
    expect(urlOf(await begun(signOn, '/b'))).toBe('https://corp.idp.example/?to=%2Fb');
  });

  it('redirect to the page to choose if several ways protect them', async () => {
    const both = signOnOf(way('saml'), way('corp'), way('third', ['/third']));
    expect(urlOf(await begun(both, '/x?y=1'))).toBe('/oidc/login?return_to=%2Fx%3Fy%3D1');
    expect(urlOf(await begun(both, '//evil.example/'))).toBe('/oidc/login?return_to=%2Fevil.example%2F');
  });
});

describe('the page to choose', () => {
  const signOn = signOnOf(way('saml'), way('corp'));

  it('links to each way, with the return target', async () => {
    const answer = await asked(signOn, '/oidc/login?return_to=/x%3Fy%3D1%26z');
    expect(linksOf(answer)).toEqual([
      '/oidc/login?provider=saml&return_to=%2Fx%3Fy%3D1%26z',
      '/oidc/login?provider=corp&return_to=%2Fx%3Fy%3D1%26z',
    ]);
    expect(pageOf(answer)).toContain('>With &lt;corp&gt;</a>');
    expect(linksOf(await asked(signOn, '/other/login'))[0]).toBe('/other/login?provider=saml&return_to=%2F');
  });

  it('runs no script, loads nothing and cannot be framed', async () => {
    const answer = await asked(signOn, '/oidc/login?return_to=/%3Cscript%3E%22%27');
    const { decision } = answer;
    const headers = decision.kind === 'block' ? decision.headers : [];
    expect(headers[headers.indexOf('Content-Security-Policy') + 1]).toBe(
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
    );
    expect(headers[headers.indexOf('Content-Type') + 1]).toBe('text/html; charset=utf-8');
    expect(pageOf(answer)).not.toMatch(/<script|<img|<link|<style|style=| on[a-z]+=/i);
  });

  it.each([
    ['a long query', `/x?${'&'.repeat(4_000)}`, '%2Fx'],
    ['a long path', `/${'a'.repeat(4_000)}`, '%2F'],
  ])('stays below 8 KiB for %s', async (_, target, kept) => {
    const answer = await asked(signOn, `/oidc/login?return_to=${encodeURIComponent(target)}`);
    expect(Buffer.byteLength(pageOf(answer))).toBeLessThan(8_192);
    expect(linksOf(answer)[0]).toBe(`/oidc/login?provider=saml&return_to=${kept}`);
  });

  it.each([
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['https://a.corp.example/x', 'https://a.corp.example/x'],
    ['https://corp.example/x', '/'],
    ['https://user@a.corp.example/x', '/'],
  ])('keeps the return target %s as %s', async (wish, target) => {
    const links = linksOf(await asked(signOn, `/oidc/login?return_to=${encodeURIComponent(wish)}`));
    expect(links[1]).toBe(`/oidc/login?provider=corp&return_to=${encodeURIComponent(target)}`);
    const chosen = await asked(signOn, links[1] ?? '');
    expect(urlOf(chosen)).toBe(`https://corp.idp.example/?to=${encodeURIComponent(target)}`);
  });

  it('is skipped if there is only one way', async () => {
    const answer = await asked(signOnOf(way('corp')), '/oidc/login?return_to=/x');
    expect(urlOf(answer)).toBe('https://corp.idp.example/?to=%2Fx');
  });
});

describe('the login path', () => {
  const signOn = signOnOf(way('saml'), way('corp'));

  it.each([
    '/oidc/login?provider=other',
    '/oidc/login?provider=',
    '/oidc/login?provider=corp&provider=saml',
    '/oidc/login?return_to=/a&return_to=/b',
    '/oidc/login?return_to=%ff',
    '/oidc/login?return_to=%',
  ])('refuses %s', async (uri) => {
    const { decision } = await asked(signOn, uri);
    expect(decision).toMatchObject({ kind: 'block', status: 400, body: expect.stringContaining('sign_on_malformed') });
  });

  it('accepts GET and HEAD only', async () => {
    expect((await asked(signOn, '/oidc/login', 'HEAD')).decision).toMatchObject({ status: 200 });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { decision } = await asked(signOn, '/oidc/login?provider=corp', method);
      expect(decision).toMatchObject({ status: 405, headers: expect.arrayContaining(['Allow', 'GET, HEAD']) });
    }
  });

  it('is listed once', () => {
    expect(signOn.paths).toEqual(['/oidc/login', '/other/login']);
  });
});

describe('a page that requires more of a session', () => {
  const corp = way('corp', ['/'], [], { acrValues: ['mfa', 'pwd'] });
  const partner = way('partner', ['/'], [], { acrValues: ['pwd'] });
  const third = way('third', ['/elsewhere']);
  const signOn = signOnWith(
    [
      { path: '/admin', ...required({ acrValues: ['mfa'] }) },
      { path: '/partner', ...required({ provider: 'partner', maxAgeSecs: 60 }) },
      { path: '/third', ...required({ provider: 'third' }) },
    ],
    corp,
    partner,
    third,
  );

  it('begins the way that it names, or the only one that can meet it, without a page to choose', async () => {
    expect(urlOf(await begun(signOn, '/partner/x?y=1'))).toBe('https://partner.idp.example/?to=%2Fpartner%2Fx%3Fy%3D1');
    expect(urlOf(await begun(signOn, '/admin'))).toBe('https://corp.idp.example/?to=%2Fadmin');
    expect(urlOf(await begun(signOn, '/third'))).toBe('https://third.idp.example/?to=%2Fthird');
    expect(urlOf(await begun(signOn, '/x'))).toBe('/oidc/login?return_to=%2Fx');
  });

  it('is kept at the login path, whatever provider a link names', async () => {
    for (const provider of ['', 'provider=partner&', 'provider=corp&']) {
      const answer = await asked(signOn, `/oidc/login?${provider}return_to=/partner`);
      expect(urlOf(answer)).toBe('https://partner.idp.example/?to=%2Fpartner');
    }
    const elsewhere = encodeURIComponent('https://a.corp.example/ADMIN/x');
    const answer = await asked(signOn, `/oidc/login?provider=partner&return_to=${elsewhere}`);
    expect(linksOf(answer).map((href) => /provider=(\w+)/.exec(href)?.[1])).toEqual(['corp', 'third']);
  });

  it('offers only the ways that can meet it', async () => {
    const answer = await asked(signOn, '/oidc/login?return_to=/admin');
    expect(linksOf(answer).map((href) => /provider=(\w+)/.exec(href)?.[1])).toEqual(['corp', 'third']);
    expect(linksOf(await asked(signOn, '/oidc/login?return_to=/x'))).toHaveLength(3);
  });
});

describe('a host at which some ways cannot begin', () => {
  const away = (name: string): SignOnWay => ({
    ...way(name, ['/a']),
    beginsAt: () => false,
    begin: async () => undecidedAnswer(event('/a')),
  });

  it('gets no link to these ways', async () => {
    const signOn = signOnOf(way('saml', ['/a']), way('corp', ['/a']), away('partner'));
    expect(linksOf(await asked(signOn, '/oidc/login'))).toHaveLength(2);
  });

  it('begins the only way that can', async () => {
    const signOn = signOnOf(way('saml', ['/a']), away('partner'));
    expect(urlOf(await begun(signOn, '/a'))).toContain('https://saml.idp.example/');
    expect(urlOf(await asked(signOn, '/oidc/login'))).toContain('https://saml.idp.example/');
  });

  it('is refused by a way in place of a page whose links are refused', async () => {
    const signOn = signOnOf(away('corp'), away('partner'));
    for (const answer of [await begun(signOn, '/a'), await signOn.answer(event('/oidc/login'), '/oidc/login')]) {
      expect(answer.decision).toMatchObject({ kind: 'block', status: 503 });
    }
  });
});
