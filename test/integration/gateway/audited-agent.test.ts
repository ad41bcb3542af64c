import { describe, expect } from 'vitest';
import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { XmlCryptoDocumentVerifier } from '../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { agentTokens } from '../../../src/bootstrap/agent/agent-tokens.js';
import { gatewayContainer, startGateway } from '../../../src/bootstrap/gateway/start-gateway.js';
import { addAgentModule } from '../../../src/bootstrap/shared/embedded-agents.js';
import { basicOf, exchangeGrant, formText, privatePem, tokenType } from '../../support/agent/exchange-company.js';
import { LiveSamlProvider, newSamlKey } from '../../support/agent/live-saml-provider.js';
import { introduce, SamlBrowser } from '../../support/agent/saml-browser.js';
import { ecPair, signToken } from '../../support/agent/test-tokens.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { RecordingAuditLog } from '../../support/gateway/recording-audit-log.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const subjectSecret = 'the secret that subject tokens are signed with, long enough';
const clientSecret = 'the secret of the front desk, which is long';

const configuration = (ports: { readonly own: number; readonly upstream: number }, agent: string): string => `
audit
listeners { listener "main" { address "127.0.0.1:${ports.own}" } }
routes { route "all" { matches { path-prefix "/" }; upstream "back"; agents "auth" } }
upstreams { upstream "back" { target "127.0.0.1:${ports.upstream}" } }
agents {
  agent "auth" {
    transport "embedded"
    events "request_headers" "request_body_chunk"
    config { ${agent} }
  }
}
`;
const audit = new RecordingAuditLog();
const logger = new RecordingLogger();
let provider: LiveSamlProvider;
let port: number;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  provider = new LiveSamlProvider();
  await provider.start();
  cleanUp.add(() => provider.stop());
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  port = await freePort();
  const serviceProvider = newSamlKey('service provider');
  const agent = `
    jwt-secret "${subjectSecret}"
    saml {
      enabled #true
      entity-id "urn:example:portcullis"
      acs-url "http://127.0.0.1:${port}/saml/acs"
      idp-metadata-url "${provider.origin}/metadata"
      sp-key-file "${folder.write('sp.key', serviceProvider.key)}"
      sp-cert-file "${folder.write('sp.crt', serviceProvider.certificate)}"
      session-store "memory"
      protected-paths "/app"
    }
    token-exchange {
      enabled #true
      issuer "http://127.0.0.1:${port}"
      signing-key-file "${folder.write('signing.pem', privatePem(ecPair()))}"
      signing-algorithm "ES256"
      allowed-exchanges { subject-token-type "jwt"; issued-token-type "access_token" }
      clients { client "desk" { secret "${clientSecret}"; allowed-audiences "orders" } }
    }`;
  const file = folder.write('gateway.kdl', configuration({ own: port, upstream: upstream.port }, agent));
  const container = gatewayContainer(
    file,
    new KdlConfigurationSource(file, { environment: {}, patterns: re2PathPatterns }),
    {
      logger,
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => audit,
    },
  );
  await addAgentModule(container);
  container.rebind(agentTokens.samlDocumentVerifier).toConstantValue(new XmlCryptoDocumentVerifier());
  const started = await startGateway(container);
  if (!started.ok) throw new Error(started.error.reason ?? JSON.stringify(started.error.problems));
  cleanUp.add(() => started.value.stop(0));
  await introduce(provider, port);
});

const recordsOf = async (act: () => Promise<unknown>) => {
  const before = audit.lines.length;
  await act();
  return audit.records.slice(before);
};

/** What has gone over the wire and is worth something to a thief. */
const shown = new Set<string>();

const show = <Text extends string | undefined>(text: Text): string => {
  if (text === undefined || text === '') throw new Error('there is nothing to hide');
  shown.add(text);
  return text;
};

describe('the audit log of an agent', () => {
  it('records a sign-on from start to session, a failed one, and the use of a session', async () => {
    const browser = new SamlBrowser(port);
    let page = { action: '', fields: {} as Readonly<Record<string, string>> };
    const begun = await recordsOf(async () => {
      page = await browser.pageFor('/app/orders?token=in-the-query');
    });
    expect(begun).toMatchObject([
      {
        event: 'sign_on',
        outcome: 'begun',
        agent: 'auth',
        route: 'all',
        client_ip: '127.0.0.1',
        http_method: 'GET',
        path: '/app/orders',
      },
    ]);
    shown.add('in-the-query');
    for (const name of browser.cookieNames()) show(browser.cookie(name));
    for (const value of Object.values(page.fields)) show(value);

    expect(await recordsOf(() => browser.post(page))).toMatchObject([
      { event: 'sign_on', outcome: 'succeeded', subject: 'ada@example.com', session: expect.any(String) },
    ]);
    show(browser.cookie('gateway_saml_session'));
    expect(await recordsOf(() => browser.post(page))).toMatchObject([
      { event: 'sign_on', outcome: 'failed', reason_codes: [expect.any(String)] },
    ]);
    expect(await recordsOf(() => browser.visit('/app/orders'))).toMatchObject([
      { event: 'authentication', outcome: 'allowed', subject: 'ada@example.com', auth_method: 'saml' },
    ]);
  });

  it('records a sign-out here and at the provider', async () => {
    const browser = new SamlBrowser(port);
    await browser.signOn('/app');
    show(browser.cookie('gateway_saml_session'));
    let away = '';
    const begun = await recordsOf(async () => {
      away = (await browser.visit('/saml/logout')).headers.location ?? '';
    });
    expect(begun).toMatchObject([{ event: 'sign_out', outcome: 'begun', subject: 'ada@example.com' }]);
    show(new URL(away).searchParams.get('SAMLRequest') ?? undefined);
    show(new URL(away).searchParams.get('Signature') ?? undefined);
    const back = await fetch(away, { redirect: 'manual' });
    const { pathname, search } = new URL(back.headers.get('location') ?? '');
    expect(await recordsOf(() => browser.visit(pathname + search))).toMatchObject([
      { event: 'sign_out', outcome: 'succeeded' },
    ]);
    expect(await recordsOf(() => browser.visit('/app'))).toMatchObject([{ event: 'sign_on', outcome: 'begun' }]);
  });

  it('records token exchanges with subject, client and audience, issued or refused', async () => {
    const nowSecs = Math.floor(Date.now() / 1000);
    const token = show(signToken('HS256', subjectSecret, { sub: 'ann', exp: nowSecs + 300, scope: 'read write' }));
    const authorization = show(basicOf('desk', clientSecret));
    const exchange = (audience: string, subjectToken = token) =>
      call(port, {
        path: '/token/exchange',
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: formText({
          grant_type: exchangeGrant,
          subject_token: subjectToken,
          subject_token_type: tokenType('jwt'),
          audience,
          scope: 'read',
        }),
      });
    const issued = await recordsOf(async () => {
      const { status, body } = await exchange('orders');
      expect(status).toBe(200);
      show((JSON.parse(body) as { access_token?: string }).access_token);
    });
    expect(issued).toMatchObject([
      {
        event: 'token_exchange',
        outcome: 'issued',
        subject: 'ann',
        client_id: 'desk',
        audience: 'orders',
        scope: 'read',
        jti: expect.any(String),
      },
    ]);
    expect(await recordsOf(() => exchange('payroll'))).toMatchObject([
      { event: 'token_exchange', outcome: 'refused', client_id: 'desk' },
    ]);
    const forged = show(signToken('HS256', 'another secret, as long as it has to be for that', { sub: 'root' }));
    expect(await recordsOf(() => exchange('orders', forged))).toMatchObject([
      { event: 'token_exchange', outcome: 'refused', client_id: 'desk' },
    ]);
  });

  it.each([
    ['the key set of token exchange', 'GET', '/token/jwks'],
    ['the metadata of token exchange', 'GET', '/.well-known/oauth-authorization-server'],
    ['the metadata of single sign-on', 'GET', '/saml/metadata'],
  ])('records that the agent answered a request for %s', async (_document, method, path) => {
    const records = await recordsOf(async () => {
      expect((await call(port, { method, path: `${path}?x=1` })).status).toBe(200);
    });
    expect(records).toMatchObject([{ event: 'endpoint', outcome: 'answered', http_method: method, path }]);
    expect(logger.lines.filter(({ message }) => /authentication|credential/.test(message))).toEqual([]);
  });

  it('records that the agent refused a request at its own path', async () => {
    const records = await recordsOf(() => call(port, { method: 'POST', path: '/token/jwks' }));
    expect(records).toMatchObject([
      { event: 'endpoint', outcome: 'refused', http_method: 'POST', path: '/token/jwks' },
    ]);
  });

  it('records method and normalised path without the query', async () => {
    const records = await recordsOf(() => call(port, { method: 'PUT', path: '/a/../app//orders?code=in-the-query' }));
    expect(records).toMatchObject([
      { event: 'authentication', outcome: 'failed', http_method: 'PUT', path: '/app/orders' },
    ]);
  });

  it('records a request with an ended session, not as a failed authentication', async () => {
    const browser = new SamlBrowser(port);
    await browser.signOn('/app');
    const cookie = `gateway_saml_session=${show(browser.cookie('gateway_saml_session'))}`;
    await browser.visit('/saml/logout');
    const before = logger.lines.length;
    const records = await recordsOf(async () => {
      expect((await call(port, { method: 'POST', path: '/app', headers: { cookie } })).status).toBe(401);
    });
    expect(records).toMatchObject([{ event: 'authentication', outcome: 'failed', auth_method: 'saml' }]);
    const messages = logger.lines.slice(before).map(({ message }) => message);
    expect(messages).toContain('the session of the request has ended');
    expect(messages).not.toContain('authentication failed');
  });

  it('contains no credential', () => {
    const text = audit.lines.join('');
    expect(shown.size).toBeGreaterThan(10);
    const secrets = [...shown, subjectSecret, clientSecret].filter((secret) => secret !== '');
    const found = secrets.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
    expect(found).toEqual([]);
    // Nor any part of one that would do as well: the signature of a token is what makes it good.
    const signatures = secrets.filter((secret) => secret.split('.').length === 3).map((secret) => secret.split('.')[2]);
    expect(signatures.length).toBeGreaterThan(1);
    expect(signatures.filter((signature) => text.includes(signature ?? ''))).toEqual([]);
  });
});
