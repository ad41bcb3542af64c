import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { type Changes, LyingOidcProvider } from '../../../../support/agent/lying-oidc-provider.js';
import { startedTestAgent, upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { tokenPart } from '../../../../support/agent/test-tokens.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

// Access tokens as docs/guides/providers describes them.

interface AnsweredToken {
  readonly status: number;
  readonly userId: string | undefined;
  /** The last reason in the log. */
  readonly reason: unknown;
}

/** An agent with one `oidc` block for a provider whose issuer has this path. */
const place = async (cleanUp: CleanUp, issuerPath: string, block: JsonObject, config: JsonObject = {}) => {
  const clock = new ManualClock();
  const provider = new LyingOidcProvider(() => clock.seconds());
  provider.issuerPath = issuerPath;
  await provider.start();
  cleanUp.add(() => provider.stop());
  const { agent, logger, ask } = await startedTestAgent(
    { oidc: [{ name: 'api', enabled: true, issuer: provider.issuer, ...block }], ...config },
    { clock },
  );
  cleanUp.add(() => agent.stop());
  const now = clock.seconds();
  const times = { iat: now, nbf: now - 300, exp: now + 300 };
  const show = async (token: string): Promise<AnsweredToken> => {
    logger.lines.length = 0;
    const headers = ['authorization', `Bearer ${token}`];
    const answer = await ask(headers);
    const shown = upstreamHeaders(headers, answer);
    const { decision } = answer;
    return {
      status: decision.kind === 'allow' ? 200 : decision.kind === 'challenge' ? 401 : decision.status,
      userId: shown[shown.indexOf('X-User-Id') + 1],
      reason: logger.lines.findLast(({ fields }) => 'reason' in fields)?.fields['reason'],
    };
  };
  const showClaims = (claims: Changes, header: Changes = {}) =>
    show(provider.sign({ iss: provider.issuer, ...times, ...claims }, header));
  return { provider, show, showClaims };
};

describe('a token of GitHub Actions', () => {
  const audience = 'https://deploy.example.com';
  const claims = {
    aud: audience,
    sub: 'repo:octo-org/octo-repo:environment:prod',
    repository: 'octo-org/octo-repo',
    repository_owner: 'octo-org',
    ref: 'refs/heads/main',
    run_id: '6047812345',
  };
  const policies = {
    authz: {
      enabled: true,
      'strict-policies': true,
      'policy-inline':
        'permit (principal, action, resource) when { context.claims has repository && context.claims.repository == "octo-org/octo-repo" && context.claims has ref && context.claims.ref == "refs/heads/main" };',
    },
  };

  it('names its workflow', async ({ cleanUp }) => {
    const { showClaims } = await place(cleanUp, '', { audience });
    expect(await showClaims(claims, { typ: 'JWT', x5t: 'k1' })).toMatchObject({ status: 200, userId: claims.sub });
  });

  it('is refused with the default audience, the URL of the owner', async ({ cleanUp }) => {
    const { showClaims } = await place(cleanUp, '', { audience });
    const answer = await showClaims({ ...claims, aud: 'https://github.com/octo-org' });
    expect(answer).toMatchObject({ status: 401, reason: 'wrong_audience' });
  });

  it('of a repository or branch that no policy permits is refused', async ({ cleanUp }) => {
    const { showClaims } = await place(cleanUp, '', { audience }, policies);
    expect((await showClaims(claims)).status).toBe(200);
    expect((await showClaims({ ...claims, repository: 'evil/octo-repo' })).status).toBe(403);
    expect((await showClaims({ ...claims, ref: 'refs/heads/feature' })).status).toBe(403);
  });
});

describe('an access token', () => {
  it('of Keycloak has the audience of a mapper, not only "account"', async ({ cleanUp }) => {
    const { showClaims } = await place(cleanUp, '/realms/company', { audience: 'orders-api' });
    const claims = { sub: 'f:1:ann', typ: 'Bearer', azp: 'portal', scope: 'openid email', sid: 'b1f3' };
    expect(await showClaims({ ...claims, aud: ['orders-api', 'account'] })).toMatchObject({ status: 200 });
    expect(await showClaims({ ...claims, aud: 'account' })).toMatchObject({ status: 401, reason: 'wrong_audience' });
  });

  it('of Entra has version 2 and its scopes in scp; version 1 has another issuer', async ({ cleanUp }) => {
    const tenant = '/8a6f7b1e-2f60-4c2c-9a0e-1f2d3c4b5a69';
    const { provider, showClaims } = await place(cleanUp, `${tenant}/v2.0`, {
      audience: '66666666-7777-8888-9999-000000000000',
      'required-scopes': 'orders.read',
    });
    const claims = { sub: 'AAA', aud: '66666666-7777-8888-9999-000000000000', scp: 'orders.read', ver: '2.0' };
    expect(await showClaims(claims)).toMatchObject({ status: 200 });
    expect(await showClaims({ ...claims, iss: provider.issuer.replace('v2.0', '') })).toMatchObject({
      status: 401,
      reason: 'unknown_issuer',
    });
    const graph = { ...claims, aud: '00000003-0000-0000-c000-000000000000' };
    expect(await showClaims(graph)).toMatchObject({ status: 401, reason: 'wrong_audience' });
    const { scp: _scopes, ...ofApplication } = claims;
    expect((await showClaims({ ...ofApplication, roles: ['orders.read'] })).status).toBe(403);
  });

  it('of Okta has a list of scopes, and the audience of its authorization server', async ({ cleanUp }) => {
    const { showClaims } = await place(cleanUp, '/oauth2/default', {
      audience: 'api://default',
      'required-scopes': 'orders.read',
    });
    const claims = { ver: 1, sub: 'ann@example.com', uid: '00u1', cid: 'portal', scp: ['openid', 'orders.read'] };
    expect(await showClaims({ ...claims, aud: 'api://default' })).toMatchObject({ status: 200 });
    expect(await showClaims({ ...claims, aud: 'https://company.okta.com' })).toMatchObject({
      status: 401,
      reason: 'wrong_audience',
    });
  });

  it('of Auth0 has the audience of the API; without one it is encrypted or opaque', async ({ cleanUp }) => {
    const { show, showClaims } = await place(cleanUp, '/', { audience: 'https://orders.example/api' });
    const aud = ['https://orders.example/api', 'https://shop.eu.auth0.com/userinfo'];
    expect(await showClaims({ sub: 'auth0|1', aud, scope: 'openid read:orders' }, { typ: 'at+jwt' })).toMatchObject({
      status: 200,
    });
    const encrypted = `${tokenPart({ alg: 'dir', enc: 'A256GCM' })}..aaaa.bbbb.cccc`;
    expect(await show(encrypted)).toMatchObject({ status: 401, reason: 'malformed' });
  });

  it('of Google is opaque, and an ID token counts instead', async ({ cleanUp }) => {
    const { show, showClaims } = await place(cleanUp, '', { audience: '1-x.apps.googleusercontent.com' });
    expect(await show('ya29.a0AfH6SMBx')).toMatchObject({ status: 401, reason: 'malformed' });
    const claims = { sub: '10769150350006150715113082367', azp: '1-x.apps.googleusercontent.com' };
    expect(await showClaims({ ...claims, aud: '1-x.apps.googleusercontent.com' })).toMatchObject({ status: 200 });
  });
});
