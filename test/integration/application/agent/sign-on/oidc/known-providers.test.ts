import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import type { Changes, Lies, LyingOidcProvider } from '../../../../../support/agent/lying-oidc-provider.js';
import { loginConfig, type OidcBrowser, oidcPlace, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import { requestEvent, upstreamHeaders } from '../../../../../support/agent/test-agent.js';
import { publicJwk, rsaPair } from '../../../../../support/agent/test-tokens.js';
import { it } from '../../../../../support/shared/fixtures.js';

// Each provider is imitated as docs/guides/providers describes it: path of the issuer, metadata, claims, callback.

/** What distinguishes a provider. */
interface Imitation {
  readonly issuerPath?: string;
  readonly discovery?: (provider: LyingOidcProvider) => Changes;
  /** Claims of its ID tokens, besides those of every sign-on. Undefined removes one of them. */
  readonly claims?: Changes;
  readonly lies?: Lies;
  /** Parameters of the callback besides code and state. */
  readonly callback?: (provider: LyingOidcProvider) => Readonly<Record<string, string>>;
}

type CleanUp = Parameters<typeof oidcPlace>[0];

/** An agent with one login at an imitated provider. */
const place = async (
  cleanUp: CleanUp,
  { issuerPath = '', discovery, claims = {}, lies = {}, callback }: Imitation,
  login: JsonObject | ((provider: LyingOidcProvider) => JsonObject) = {},
  config: JsonObject = {},
) => {
  const made = await oidcPlace(
    cleanUp,
    (provider) => {
      provider.issuerPath = issuerPath;
      provider.lies = { ...lies, ...(discovery && { discovery: discovery(provider) }) };
      return [loginConfig(provider, typeof login === 'function' ? login(provider) : login)];
    },
    config,
  );
  const { agent, provider, newBrowser, logger } = made;
  const tell = (changes: Changes): void => {
    provider.lies = { ...provider.lies, claims: (standard) => ({ ...standard, ...claims, ...changes }) };
  };
  // Userinfo is about the same user.
  provider.user = Object.fromEntries(
    Object.entries({ ...provider.user, ...claims }).filter(([name]) => /^(?:sub|email(?:_verified)?)$/.test(name)),
  );
  tell({});
  const answer = (browser: OidcBrowser, location: string) =>
    browser.callback({ ...provider.authorize(location), ...callback?.(provider) });
  const signOn = async (uri = '/orders') => {
    const browser = newBrowser();
    const reply = await answer(browser, await browser.begin(uri));
    return { browser, reply };
  };
  const upstreamOf = async (browser: OidcBrowser): Promise<ReadonlyMap<string, string>> => {
    const headers = ['cookie', `${sessionCookie}=${browser.cookies.get(sessionCookie)}`];
    const event = { ...requestEvent(headers, 'shown'), uri: '/orders' };
    const shown = upstreamHeaders(headers, await agent.decide(event, Symbol('connection')));
    return new Map(
      shown.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), shown[index + 1] ?? '']] : [])),
    );
  };
  const reason = () => logger.lines.findLast(({ fields }) => 'reason' in fields)?.fields['reason'];
  return { ...made, tell, answer, signOn, upstreamOf, reason };
};

const groups = { groups: 'X-User-Groups' };

describe('Keycloak', () => {
  const keycloak: Imitation = {
    issuerPath: '/realms/company',
    discovery: ({ issuer }) => ({
      authorization_response_iss_parameter_supported: true,
      end_session_endpoint: `${issuer}/protocol/openid-connect/logout`,
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
    }),
    claims: {
      c_hash: undefined,
      typ: 'ID',
      azp: 'portal',
      sid: 'b1f3',
      acr: '1',
      preferred_username: 'ann',
      groups: ['/staff', '/staff/ops'],
    },
    callback: ({ issuer }) => ({ session_state: 'b1f3', iss: issuer }),
  };

  it('signs users on, and its groups are paths', async ({ cleanUp }) => {
    const { signOn, upstreamOf } = await place(cleanUp, keycloak, { 'claim-mapping': groups });
    const { browser, reply } = await signOn();
    expect(reply).toMatchObject({ status: 302, location: '/orders' });
    expect((await upstreamOf(browser)).get('x-user-groups')).toBe('/staff,/staff/ops');
  });

  it('must name itself in its answers, because its metadata says so', async ({ cleanUp }) => {
    const { signOn, reason } = await place(cleanUp, { ...keycloak, callback: () => ({ session_state: 'b1f3' }) });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'missing_iss']);
  });

  it('signs users out by all three channels', async ({ cleanUp }) => {
    const { provider, clock, signOn, newBrowser } = await place(cleanUp, keycloak);
    const [first, second, third] = [await signOn(), await signOn(), await signOn()];
    expect((await first.browser.get('/oidc/logout')).location).toContain(
      `${provider.issuer}/protocol/openid-connect/logout?id_token_hint=`,
    );
    const now = clock.seconds();
    const token = provider.sign(
      {
        ...{ iss: provider.issuer, aud: 'portal', sub: 'ann', sid: 'b1f3', typ: 'Logout', iat: now, exp: now + 120 },
        jti: '5c5b',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      },
      { typ: 'logout+jwt' },
    );
    expect((await newBrowser().post('/oidc/backchannel-logout', { logout_token: token })).status).toBe(200);
    for (const { browser } of [second, third]) expect((await browser.get('/orders')).status).toBe(302);
    const fourth = await signOn();
    const named = new URLSearchParams({ iss: provider.issuer, sid: 'b1f3' });
    expect((await newBrowser().get(`/oidc/frontchannel-logout?${named}`)).status).toBe(200);
    expect((await fourth.browser.get('/orders')).status).toBe(302);
  });

  it('confirms the level of authentication that was asked for', async ({ cleanUp }) => {
    const { tell, signOn, newBrowser, reason } = await place(cleanUp, keycloak, { 'acr-values': ['gold'] });
    expect(new URL(await newBrowser().begin()).searchParams.get('acr_values')).toBe('gold');
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'wrong_authentication_context']);
    tell({ acr: 'gold' });
    expect((await signOn()).reply.status).toBe(302);
  });
});

describe('Microsoft Entra ID', () => {
  const tenant = '8a6f7b1e-2f60-4c2c-9a0e-1f2d3c4b5a69';
  const rsa = rsaPair();
  const entra: Imitation = {
    issuerPath: `/${tenant}/v2.0`,
    discovery: ({ issuer }) => ({
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'].slice(
        0,
        2,
      ),
      end_session_endpoint: issuer.replace(/v2\.0$/, 'oauth2/v2.0/logout'),
      http_logout_supported: true,
      frontchannel_logout_supported: true,
    }),
    lies: {
      // Its keys have no alg.
      keys: [{ ...publicJwk(rsa.publicKey), kid: 'k1', use: 'sig', x5t: 'k1' }],
      idToken: (claims, provider) => provider.sign(claims, {}, rsa.privateKey, 'RS256'),
    },
    claims: {
      at_hash: undefined,
      c_hash: undefined,
      auth_time: undefined,
      email_verified: undefined,
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: tenant,
      ver: '2.0',
      sid: '007e3899-e104-731f-b675-0617c1f2dd72',
      preferred_username: 'ann@example.com',
    },
    callback: () => ({ session_state: '007e3899-e104-731f-b675-0617c1f2dd72' }),
  };
  const guids = (count: number) => Array.from({ length: count }, (_, index) => `${tenant.slice(0, -4)}${1000 + index}`);

  it('signs users on by their object id, and gets the client secret in the form', async ({ cleanUp }) => {
    const { provider, signOn, upstreamOf } = await place(cleanUp, entra, { 'user-id-claim': 'oid' });
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    expect((await upstreamOf(browser)).get('x-user-id')).toBe('00000000-0000-0000-66f3-3332eca7ea81');
    expect(provider.requests[0]?.authorization).toBeUndefined();
    expect(provider.requests[0]?.form.get('client_secret')).toBe(provider.clientSecret);
  });

  it('is unusable with the metadata of many tenants', async ({ cleanUp }) => {
    const { agent, newBrowser } = await place(cleanUp, {
      ...entra,
      issuerPath: '/common/v2.0',
      discovery: ({ issuer }) => ({ issuer: issuer.replace('common', '{tenantid}') }),
    });
    expect(agent.health()).toMatchObject({ state: 'degraded', message: expect.stringContaining('another issuer') });
    expect((await newBrowser().get('/orders')).status).toBe(503);
  });

  it('signs on no user of another tenant', async ({ cleanUp }) => {
    const { provider, tell, signOn, reason } = await place(cleanUp, entra);
    tell({ iss: provider.issuer.replace(tenant, tenant.replace('8a', '8b')) });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'unknown_issuer']);
  });

  it('verifies no address, so an address is no user id', async ({ cleanUp }) => {
    const byAddress = { 'user-id-claim': 'email' };
    const { signOn, reason } = await place(cleanUp, entra, byAddress);
    const { reply } = await signOn();
    expect([reply.status, reason()]).toEqual([403, 'email_not_verified']);
    const trusting = await place(cleanUp, entra, { ...byAddress, 'trust-unverified-email': true });
    expect((await trusting.signOn()).reply.status).toBe(302);
  });

  it('names no groups of a user with too many of them', async ({ cleanUp }) => {
    const { tell, signOn, upstreamOf } = await place(cleanUp, entra, { 'claim-mapping': groups });
    tell({
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.windows.net/x/users/y/getMemberObjects' } },
    });
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    const headers = await upstreamOf(browser);
    expect(headers.get('x-user-groups')).toBeUndefined();
    expect(headers.get('x-auth-claim-_claim_names-groups')).toBe('src1');
  });

  it('has longer lists of groups than a header carries by default', async ({ cleanUp }) => {
    const { tell, signOn, upstreamOf } = await place(cleanUp, entra, { 'claim-mapping': groups });
    tell({ groups: guids(200) });
    const omitted = await upstreamOf((await signOn()).browser);
    expect(omitted.get('x-user-groups')).toBeUndefined();
    expect(omitted.get('x-auth-claims-omitted')).toContain('groups');
    const wide = await place(
      cleanUp,
      entra,
      { 'claim-mapping': groups },
      { 'max-claim-bytes': 8192, 'forward-claims': ['sub'] },
    );
    wide.tell({ groups: guids(200) });
    const headers = await wide.upstreamOf((await wide.signOn()).browser);
    expect(headers.get('x-user-groups')).toBe(guids(200).join(','));
    expect(headers.get('x-auth-claims-omitted')).toBeUndefined();
  });

  it('ends no session by its front channel, which does not name the issuer', async ({ cleanUp }) => {
    const { provider, signOn, newBrowser } = await place(cleanUp, entra);
    const { browser } = await signOn();
    const sid = '007e3899-e104-731f-b675-0617c1f2dd72';
    expect((await newBrowser().get(`/oidc/frontchannel-logout?sid=${sid}`)).status).toBe(400);
    expect((await browser.get('/orders')).status).toBe(200);
    const named = new URLSearchParams({ iss: provider.issuer, sid });
    expect((await newBrowser().get(`/oidc/frontchannel-logout?${named}`)).status).toBe(200);
    expect((await browser.get('/orders')).status).toBe(302);
  });

  it('gets the client id at a sign-out if the ID token is long', async ({ cleanUp }) => {
    const { tell, signOn } = await place(cleanUp, entra, {
      'post-logout-url': 'https://portal.example.com/oidc/callback/corp',
    });
    tell({ groups: guids(120) });
    const { browser } = await signOn();
    const { location } = await browser.get('/oidc/logout');
    const url = new URL(location ?? '');
    expect(url.pathname).toBe(`/${tenant}/oauth2/v2.0/logout`);
    expect([...url.searchParams.keys()]).toEqual(['client_id', 'post_logout_redirect_uri', 'state']);
  });

  it('states no age and no context of an authentication unless they are added', async ({ cleanUp }) => {
    const aged = await place(cleanUp, entra, { 'max-age-secs': 300 });
    expect([(await aged.signOn()).reply.status, aged.reason()]).toEqual([403, 'authentication_not_fresh']);
    aged.tell({ auth_time: aged.clock.seconds() });
    expect((await aged.signOn()).reply.status).toBe(302);
    const context = await place(cleanUp, entra, { 'acr-values': ['c1'] });
    context.tell({ acrs: ['c1'] });
    expect([(await context.signOn()).reply.status, context.reason()]).toEqual([403, 'wrong_authentication_context']);
  });
});

describe('Okta', () => {
  const okta: Imitation = {
    issuerPath: '/oauth2/default',
    discovery: ({ issuer }) => ({ end_session_endpoint: `${issuer}/v1/logout` }),
    claims: {
      c_hash: undefined,
      sub: '00u1gx8zkHJSH5Ei30g7',
      ver: 1,
      jti: 'ID.Xk',
      amr: ['pwd'],
      idp: '00o1gx8zkHJSH5Ei30g7',
    },
  };

  it('signs users on, and its groups may be at userinfo only', async ({ cleanUp }) => {
    const { provider, signOn, upstreamOf } = await place(cleanUp, okta, { 'claim-mapping': groups });
    provider.userinfo = { groups: ['Everyone', 'Staff'] };
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    const headers = await upstreamOf(browser);
    expect([headers.get('x-user-id'), headers.get('x-user-groups')]).toEqual([
      '00u1gx8zkHJSH5Ei30g7',
      'Everyone,Staff',
    ]);
  });

  it('signs users out with its ID token, and ends sessions by the front channel, with GET only', async ({
    cleanUp,
  }) => {
    const { provider, tell, signOn, newBrowser } = await place(cleanUp, okta);
    tell({ sid: '102c' });
    const [first, second] = [await signOn(), await signOn()];
    expect((await first.browser.get('/oidc/logout')).location).toContain('/v1/logout?id_token_hint=');
    const named = { iss: provider.issuer, sid: '102c' };
    expect((await newBrowser().post('/oidc/frontchannel-logout', named)).status).toBe(405);
    expect((await second.browser.get('/orders')).status).toBe(200);
    expect((await newBrowser().get(`/oidc/frontchannel-logout?${new URLSearchParams(named)}`)).status).toBe(200);
    expect((await second.browser.get('/orders')).status).toBe(302);
  });

  it('needs no hash of the access token', async ({ cleanUp }) => {
    const { tell, signOn } = await place(cleanUp, okta);
    tell({ at_hash: undefined });
    expect((await signOn()).reply.status).toBe(302);
  });

  it('has two issuers: that of the organization is another one', async ({ cleanUp }) => {
    const { provider, tell, signOn, reason } = await place(cleanUp, okta);
    tell({ iss: provider.issuer.replace('/oauth2/default', '') });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'unknown_issuer']);
  });

  it('confirms two factors', async ({ cleanUp }) => {
    const twoFactors = 'urn:okta:loa:2fa:any';
    const { tell, signOn, reason } = await place(cleanUp, okta, { 'acr-values': [twoFactors] });
    tell({ acr: 'urn:okta:loa:1fa:any' });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'wrong_authentication_context']);
    tell({ acr: twoFactors, amr: ['pwd', 'mfa', 'otp'] });
    expect((await signOn()).reply.status).toBe(302);
  });
});

describe('Google', () => {
  const google: Imitation = {
    discovery: () => ({
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    }),
    claims: {
      auth_time: undefined,
      c_hash: undefined,
      azp: 'portal',
      sub: '10769150350006150715113082367',
      hd: 'example.com',
    },
    callback: ({ issuer }) => ({
      iss: issuer,
      scope: 'email openid',
      authuser: '0',
      hd: 'example.com',
      prompt: 'none',
    }),
  };

  it('signs on users of one domain, whose addresses it verifies', async ({ cleanUp }) => {
    const { tell, signOn, upstreamOf, reason } = await place(cleanUp, google, { 'allowed-domains': ['example.com'] });
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    expect((await upstreamOf(browser)).get('x-auth-claim-hd')).toBe('example.com');
    tell({ email: 'ann@gmail.com', hd: undefined });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'domain_not_allowed']);
  });

  it('admits one organization with a policy', async ({ cleanUp }) => {
    const authz = {
      enabled: true,
      'strict-policies': true,
      'policy-inline':
        'permit (principal, action, resource) when { context.claims has hd && context.claims.hd == "example.com" };',
    };
    const { tell, signOn } = await place(cleanUp, google, {}, { authz });
    expect((await (await signOn()).browser.get('/orders')).status).toBe(200);
    tell({ hd: undefined });
    expect((await (await signOn()).browser.get('/orders')).status).toBe(403);
  });

  it('has one spelling of its issuer here, that with https', async ({ cleanUp }) => {
    const { provider, tell, signOn, reason } = await place(cleanUp, google);
    tell({ iss: new URL(provider.issuer).host });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'unknown_issuer']);
  });

  it('gets further parameters from the query of authorization-url', async ({ cleanUp }) => {
    const { answer, newBrowser } = await place(cleanUp, google, ({ issuer }) => ({
      'authorization-url': `${issuer}/authorize?access_type=offline&hd=example.com`,
      prompt: ['consent'],
    }));
    const browser = newBrowser();
    const location = await browser.begin();
    const query = new URL(location).searchParams;
    expect([query.get('access_type'), query.get('hd'), query.get('prompt')]).toEqual([
      'offline',
      'example.com',
      'consent',
    ]);
    expect(query.get('response_type')).toBe('code');
    expect((await answer(browser, location)).status).toBe(302);
  });

  it('has no sign-out, so its own session goes on', async ({ cleanUp }) => {
    const { signOn } = await place(cleanUp, google);
    const { browser } = await signOn();
    const signedOut = await browser.get('/oidc/logout');
    expect([signedOut.status, signedOut.location]).toEqual([200, null]);
    expect((await browser.get('/orders')).status).toBe(302);
  });

  it('states no age of an authentication', async ({ cleanUp }) => {
    const { signOn, reason } = await place(cleanUp, google, { 'max-age-secs': 300 });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'authentication_not_fresh']);
  });
});

describe('Auth0', () => {
  const namespaced = 'https://portal.example.com/groups';
  const auth0: Imitation = {
    issuerPath: '/',
    discovery: ({ issuer }) => ({ end_session_endpoint: `${issuer}oidc/logout` }),
    claims: {
      at_hash: undefined,
      c_hash: undefined,
      auth_time: undefined,
      sub: 'auth0|602e93db83fa6f00749a23e6',
      sid: '375UIp_ID5mCTClIeBEHpXfGwq51tF_L',
      updated_at: '2026-11-27T02:40:00.000Z',
      [namespaced]: ['staff', 'ops'],
    },
  };

  it('signs users on with the slash at the end of its issuer', async ({ cleanUp }) => {
    const { provider, signOn, upstreamOf } = await place(cleanUp, auth0);
    expect(provider.issuer).toMatch(/\/$/);
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    expect((await upstreamOf(browser)).get('x-user-id')).toBe('auth0|602e93db83fa6f00749a23e6');
    expect((await browser.get('/oidc/logout')).location).toContain(`${provider.issuer}oidc/logout?id_token_hint=`);
  });

  it('cannot be discovered without the slash', async ({ cleanUp }) => {
    const { newBrowser, agent } = await place(cleanUp, auth0, ({ issuer }) => ({ issuer: issuer.slice(0, -1) }));
    expect(agent.health()).toMatchObject({ message: expect.stringContaining('another issuer') });
    expect((await newBrowser().get('/orders')).status).toBe(503);
  });

  it('maps a claim whose name is a URL, and asks no userinfo for it', async ({ cleanUp }) => {
    const { provider, signOn, upstreamOf } = await place(
      cleanUp,
      { ...auth0, lies: { userinfo: (response) => void response.writeHead(500).end() } },
      { 'claim-mapping': { [namespaced]: 'X-User-Groups' } },
    );
    expect(provider.lies.userinfo).toBeDefined();
    const { browser, reply } = await signOn();
    expect(reply.status).toBe(302);
    expect((await upstreamOf(browser)).get('x-user-groups')).toBe('staff,ops');
  });

  it('has roles in a claim whose name is a URL, and methods for policies', async ({ cleanUp }) => {
    const authz = {
      enabled: true,
      'strict-policies': true,
      'roles-claim': namespaced,
      'policy-inline':
        'permit (principal in Role::"ops", action, resource) when { context.claims has amr && context.claims.amr.contains("mfa") };',
    };
    const { tell, signOn } = await place(cleanUp, auth0, {}, { authz });
    expect((await (await signOn()).browser.get('/orders')).status).toBe(403);
    tell({ amr: ['mfa'] });
    expect((await (await signOn()).browser.get('/orders')).status).toBe(200);
    tell({ amr: ['mfa'], [namespaced]: ['staff'] });
    expect((await (await signOn()).browser.get('/orders')).status).toBe(403);
  });

  it('names methods and no context of an authentication', async ({ cleanUp }) => {
    const multiFactor = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
    const { tell, signOn, reason } = await place(cleanUp, auth0, { 'acr-values': [multiFactor] });
    tell({ amr: ['mfa'] });
    expect([(await signOn()).reply.status, reason()]).toEqual([403, 'wrong_authentication_context']);
  });

  it('ends sessions by its back channel', async ({ cleanUp }) => {
    const { provider, clock, signOn, newBrowser } = await place(cleanUp, auth0);
    const { browser } = await signOn();
    const now = clock.seconds();
    const token = provider.sign({
      ...{ iss: provider.issuer, aud: 'portal', sub: 'auth0|602e93db83fa6f00749a23e6', iat: now, exp: now + 120 },
      ...{ jti: '44a91215', sid: '375UIp_ID5mCTClIeBEHpXfGwq51tF_L', trace_id: '81b336a94a4a5707' },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect((await newBrowser().post('/oidc/backchannel-logout', { logout_token: token })).status).toBe(200);
    expect((await browser.get('/orders')).status).toBe(302);
  });
});
