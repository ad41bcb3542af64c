import { describe, expect } from 'vitest';
import { type OidcBrowser, oidcPlace, sessionCookie } from '../../../../support/agent/oidc-agent.js';
import { redirectedTo, samlConfig, sentMessage } from '../../../../support/agent/saml-agent.js';
import { idpEntityId, logoutRequestXml, signedResponse } from '../../../../support/agent/saml-documents.js';
import { idpKey } from '../../../../support/agent/saml-keys.js';
import { it } from '../../../../support/shared/fixtures.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

type CleanUp = Parameters<typeof oidcPlace>[0];

const event = 'http://schemas.openid.net/event/backchannel-logout';
const endSessionUrl = 'https://id.example/end';
/** The names of the user and of the session, equal at both providers. */
const [name, index] = ['ann', 's1'];

interface Plan {
  /** The entity id of the SAML provider, made from the issuer of the OpenID provider. */
  readonly entityId?: (issuer: string) => string;
}

/** An agent with one SAML provider and one OpenID provider. */
const place = async (cleanUp: CleanUp, { entityId = () => idpEntityId }: Plan = {}) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const certificateFile = folder.write('idp.pem', idpKey().certificatePem);
  let samlProvider = '';
  const saml: Record<string, string[] | string> = { 'protected-paths': ['/s'] };
  const config = samlConfig(certificateFile, saml);
  const made = await oidcPlace(
    cleanUp,
    (provider) => {
      samlProvider = entityId(provider.issuer);
      (config['saml'] as Record<string, string>)['idp-entity-id'] = samlProvider;
      return [
        {
          name: 'corp',
          issuer: provider.issuer,
          'client-id': 'portal',
          'client-secret': provider.clientSecret,
          'public-url': 'https://portal.example.com',
          'protected-paths': ['/o'],
          'end-session-url': endSessionUrl,
        },
      ];
    },
    { sessions: { store: 'memory', 'cookie-name': sessionCookie }, ...config },
  );
  const { provider, clock, newBrowser } = made;
  provider.user = { sub: name, sid: index };
  let last = 0;
  const byOidc = async (): Promise<OidcBrowser> => {
    const browser = newBrowser();
    expect((await browser.callback(provider.authorize(await browser.begin('/o/x')))).location).toBe('/o/x');
    return browser;
  };
  const bySaml = async (): Promise<OidcBrowser> => {
    const browser = newBrowser();
    const { id, relayState } = sentMessage(await browser.get('/s/x'));
    last += 1;
    const assertion = { id: `_a${last}`, issuer: samlProvider, nameId: name, sessionIndex: index };
    const xml = signedResponse({ nowMs: clock.wallMs(), inResponseTo: id, issuer: samlProvider, assertion });
    expect((await browser.browser.respond(xml, relayState)).location).toBe('/s/x');
    return browser;
  };
  /** The SAML provider ends the sessions that it names. */
  const samlLogout = async (sessionIndexes: readonly string[]) => {
    last += 1;
    const request = { id: `_l${last}`, nowMs: clock.wallMs(), issuer: samlProvider, nameId: name, sessionIndexes };
    const answer = await newBrowser().get(
      redirectedTo('/saml/logout', 'SAMLRequest', logoutRequestXml(request), idpKey()),
    );
    expect(answer.location).toMatch(/SAMLResponse=/);
  };
  /** The OpenID provider ends the sessions that it names. */
  const oidcLogout = async (names: Readonly<Record<string, string>>) => {
    last += 1;
    const now = clock.seconds();
    const claims = { iss: provider.issuer, aud: 'portal', iat: now, exp: now + 120, jti: `j${last}`, ...names };
    const token = provider.sign({ ...claims, events: { [event]: {} } }, { typ: 'logout+jwt' });
    const answer = await newBrowser().post('/oidc/backchannel-logout', { logout_token: token });
    expect(answer.status).toBe(200);
  };
  const isSignedOn = async (browser: OidcBrowser) => (await browser.get('/o/x')).status === 200;
  return { ...made, byOidc, bySaml, samlLogout, oidcLogout, isSignedOn };
};

/** A second browser with the same session cookie. */
const copyOf = (browser: OidcBrowser, newBrowser: () => OidcBrowser): OidcBrowser => {
  const copy = newBrowser();
  copy.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) ?? '');
  return copy;
};

describe('SAML beside an OpenID provider', () => {
  it('offers both on a page, and each begins by its link', async ({ cleanUp }) => {
    const { newBrowser } = await place(cleanUp);
    const page = await newBrowser().get('/oidc/login?return_to=/o/x');
    expect(page.status).toBe(200);
    expect(page.body).toContain('provider=saml&amp;return_to=%2Fo%2Fx');
    expect(page.body).toContain('provider=corp&amp;return_to=%2Fo%2Fx');
    expect((await newBrowser().get('/oidc/login?provider=saml')).location).toMatch(
      /^https:\/\/idp\.example\/sso\?SAML/,
    );
    expect((await newBrowser().get('/oidc/login?provider=corp')).location).toMatch(/\/authorize\?/);
  });

  it('opens the protected paths of both with a session of either', async ({ cleanUp }) => {
    const { newBrowser, byOidc, bySaml } = await place(cleanUp);
    for (const path of ['/o/x', '/s/x']) expect((await newBrowser().get(path)).status).toBe(302);
    for (const browser of [await byOidc(), await bySaml()]) {
      for (const path of ['/o/x', '/s/x']) expect((await browser.get(path)).status).toBe(200);
    }
  });

  it('replaces a session of one kind by a sign-on of the other', async ({ cleanUp }) => {
    const { newBrowser, provider, bySaml, isSignedOn } = await place(cleanUp);
    const browser = await bySaml();
    const copy = copyOf(browser, newBrowser);
    const begun = await browser.get('/oidc/login?provider=corp&return_to=/o/y');
    expect((await browser.callback(provider.authorize(begun.location ?? ''))).location).toBe('/o/y');
    expect(await isSignedOn(browser)).toBe(true);
    expect(await isSignedOn(copy)).toBe(false);
  });
});

describe('a logout of one provider', () => {
  const plans: readonly (readonly [string, Plan])[] = [
    ['another name', {}],
    ['the issuer of the other one', { entityId: (issuer) => issuer }],
  ];
  it.for(plans)('ends only its own sessions, if the SAML provider has %s', async ([, plan], { cleanUp }) => {
    const { byOidc, bySaml, samlLogout, oidcLogout, isSignedOn } = await place(cleanUp, plan);
    for (const indexes of [[index], []]) {
      const [oidc, saml] = [await byOidc(), await bySaml()];
      await samlLogout(indexes);
      expect([await isSignedOn(oidc), await isSignedOn(saml)]).toEqual([true, false]);
    }
    for (const names of [{ sub: name, sid: index }, { sub: name }, { sid: index }]) {
      const [oidc, saml] = [await byOidc(), await bySaml()];
      await oidcLogout(names);
      expect([await isSignedOn(oidc), await isSignedOn(saml)]).toEqual([false, true]);
    }
  });
});

describe('a sign-out at either logout path', () => {
  it.for(['/oidc/logout', '/saml/logout'])('ends the session at its own provider: %s', async (path, { cleanUp }) => {
    const { newBrowser, byOidc, bySaml, isSignedOn } = await place(cleanUp);
    const oidc = await byOidc();
    const oidcCopy = copyOf(oidc, newBrowser);
    const atOidc = await oidc.get(path);
    expect([atOidc.status, atOidc.location]).toEqual([302, expect.stringContaining(`${endSessionUrl}?id_token_hint=`)]);
    expect(oidc.cookies.size).toBe(0);
    expect(await isSignedOn(oidcCopy)).toBe(false);
    const saml = await bySaml();
    const samlCopy = copyOf(saml, newBrowser);
    const atSaml = await saml.get(path);
    expect([atSaml.status, atSaml.location]).toEqual([
      302,
      expect.stringMatching(/^https:\/\/idp\.example\/slo\?SAML/),
    ]);
    expect(saml.cookies.size).toBe(0);
    expect(await isSignedOn(samlCopy)).toBe(false);
    // Without a session there is nobody to sign out elsewhere.
    expect(await newBrowser().get(path)).toMatchObject({ status: 200, location: null });
  });
});
