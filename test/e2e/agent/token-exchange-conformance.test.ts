import { decodeJwt } from 'jose';
import { describe, expect } from 'vitest';
import { basicFor, clientSecrets, exchangeGrant, startExchangeCompany } from '../../support/agent/exchange-company.js';
import { answerRows } from '../../support/agent/exchange-rows/answer-rows.js';
import { clientAssertionRows } from '../../support/agent/exchange-rows/client-assertion-rows.js';
import { withAssertion } from '../../support/agent/exchange-rows/client-assertions.js';
import { clientRows } from '../../support/agent/exchange-rows/client-rows.js';
import { delegationRows } from '../../support/agent/exchange-rows/delegation-rows.js';
import {
  type ExchangeGround,
  expectRow,
  json,
  type Row,
  refused,
} from '../../support/agent/exchange-rows/exchange-row.js';
import { issuedTokenRows } from '../../support/agent/exchange-rows/issued-token-rows.js';
import { requestRows } from '../../support/agent/exchange-rows/request-rows.js';
import { withAssertionOfIdp } from '../../support/agent/exchange-rows/shown-tokens.js';
import { tokenRows } from '../../support/agent/exchange-rows/token-rows.js';
import { LiveOidcProvider } from '../../support/agent/live-oidc-provider.js';
import { it } from '../../support/shared/fixtures.js';

const rooms: Readonly<Record<string, readonly Row[]>> = {
  'the request': requestRows,
  'the tokens': tokenRows,
  'the answer': answerRows,
  clients: clientRows,
  'assertions of clients': clientAssertionRows,
  'the token': issuedTokenRows,
  delegation: delegationRows,
};

describe('the token endpoint conforms to its specifications', () => {
  const provider = new LiveOidcProvider();
  let company: ExchangeGround;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    await provider.start({ kid: 'first', algorithm: 'RS256' });
    cleanUp.add(() => provider.stop());
    const { issuer, jwksUrl } = provider;
    const started = await startExchangeCompany(cleanUp, {
      transport: 'embedded',
      members: 'rate-limit #null',
      agentMembers: `oidc "live" { enabled #true; issuer "${issuer}"; jwks-url "${jwksUrl}"; audience "api" }`,
    });
    company = { ...started, provider };
  });

  describe.each(Object.entries(rooms))('%s', (_room, rows) => {
    it.each(rows)('%s: %s', async (...row) => {
      await expectRow(company, row);
    });
  });

  it('RFC 7523, 3: a client assertion is accepted once', async () => {
    const { fields, call } = await withAssertion(company);
    expect((await company.exchange(fields, call)).status).toBe(200);
    refused('invalid_client', 401)(await company.exchange(fields, call));
  });

  it('RFC 7522, 3: an assertion of the identity provider is accepted once, with or without padding', async () => {
    // Of three lengths of a document two need padding.
    for (const unit of ['x', 'xx', 'xxx']) {
      const { fields } = withAssertionOfIdp(company, { attributes: { unit: [unit] } });
      const token = String(fields?.['subject_token']);
      const padded = token + '='.repeat((4 - (token.length % 4)) % 4);
      expect((await company.exchange({ ...fields, subject_token: padded })).status).toBe(200);
      refused('invalid_request')(await company.exchange(fields));
    }
  });

  it('RFC 9068, 2.2: jti is unique', async () => {
    const subject = await company.partnerToken();
    const exchanged = async (): Promise<unknown> =>
      decodeJwt(json(await company.exchange({ subject_token: subject }))['access_token'] as string).jti;
    expect(await exchanged()).not.toBe(await exchanged());
  });

  it('RFC 8414, 3: the metadata at its well-known path describe the endpoint', async () => {
    const { status, headers, body } = await company.stack.ask({ path: '/.well-known/oauth-authorization-server' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toMatchObject({
      issuer: company.issuer,
      token_endpoint: company.endpointUrl,
      jwks_uri: `${company.issuer}/token/jwks`,
      grant_types_supported: [exchangeGrant],
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ]),
    });
  });

  it('RFC 7517, 4 and 5: the key set has only public keys, is cacheable, and supports If-None-Match', async () => {
    const { status, headers, body } = await company.stack.ask({ path: '/token/jwks' });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=300');
    const { keys } = JSON.parse(body) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).toEqual({
      kty: 'RSA',
      use: 'sig',
      alg: 'RS256',
      kid: expect.any(String),
      n: expect.any(String),
      e: 'AQAB',
    });
    const etag = headers.etag ?? '';
    const again = await company.stack.ask({ path: '/token/jwks', headers: { 'if-none-match': etag } });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await company.stack.ask({ path: '/token/jwks', method: 'POST' })).status).toBe(405);
  });

  it('RFC 6749, 10.8: no log line contains a token or a secret', async () => {
    const subject = await company.partnerToken();
    const { access_token: token } = json(await company.exchange({ subject_token: subject }));
    await company.exchange({ subject_token: subject, scope: 'admin' });
    const log = company.stack.gateway.output();
    expect(log).toContain('token exchange');
    for (const secret of [subject, token as string, ...Object.values(clientSecrets), basicFor('service-a').slice(6)]) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(secret.split('.').at(-1));
    }
  });

  it('RFC 6585, 4: a client over its rate limit gets Retry-After', async () => {
    await company.replan({ members: 'rate-limit { requests-per-second 1; burst 2 }' });
    let last = await company.exchange();
    expect(last.status).toBe(200);
    for (let asked = 0; asked < 20 && last.status === 200; asked += 1) last = await company.exchange();
    refused('temporarily_unavailable', 429)(last);
    expect(last.headers['retry-after']).toBe('1');
  });
});
