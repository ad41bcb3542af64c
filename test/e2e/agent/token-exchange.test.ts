import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { decodeJwt, decodeProtectedHeader, importPKCS8, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeEach, describe, expect } from 'vitest';
import {
  clientSecrets,
  type ExchangeCompany,
  exchangeGrant,
  formText,
  partnerIssuer,
  privatePem,
  startExchangeCompany,
  tokenType,
} from '../../support/agent/exchange-company.js';
import { exchangeAssertion } from '../../support/agent/saml-exchange.js';
import { pairFor } from '../../support/agent/test-tokens.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';

/** The tests speak to loopback without TLS. */
const options = { [oauth.allowInsecureRequests]: true };

const discover = async ({ issuer }: ExchangeCompany): Promise<oauth.AuthorizationServer> => {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' }));
};

interface Wanted {
  readonly subject: string;
  readonly subjectType?: string;
  readonly actor?: string;
  readonly audience: string;
  readonly scope?: string;
}

/** An exchange by a client that somebody else wrote. */
const exchanged = async (
  server: oauth.AuthorizationServer,
  clientId: string,
  authentication: oauth.ClientAuth,
  { subject, subjectType = 'jwt', actor, audience, scope }: Wanted,
): Promise<oauth.TokenEndpointResponse> => {
  const client = { client_id: clientId };
  const parameters = {
    subject_token: subject,
    subject_token_type: tokenType(subjectType),
    audience,
    ...(scope !== undefined && { scope }),
    ...(actor !== undefined && { actor_token: actor, actor_token_type: tokenType('jwt') }),
  };
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    authentication,
    exchangeGrant,
    new URLSearchParams(parameters),
    options,
  );
  return oauth.processGenericTokenEndpointResponse(server, client, response);
};

/** What a resource server of that library takes of the token, for an audience; it fetches our keys by our metadata. */
const validated = (server: oauth.AuthorizationServer, token: string, audience: string) =>
  oauth.validateJwtAccessToken(
    server,
    new Request('http://orders.example/', { headers: { authorization: `Bearer ${token}` } }),
    audience,
    {
      ...options,
      signingAlgorithms: ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'],
    } as oauth.ValidateJWTAccessTokenOptions,
  );

const auditLines = (log: string): Record<string, unknown>[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"token exchange"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a line of the shell prints. */
const shell = (line: string, environment: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...environment, no_proxy: '*' }, timeout: 40_000 };
    execFile('/bin/sh', ['-c', line], options, (error, output) => (error === null ? resolve(output) : reject(error)));
  });

const bodyOf = ({ body }: { readonly body: string }): Record<string, unknown> => JSON.parse(body);

describe('a standard OAuth client, agent embedded', () => {
  let company: ExchangeCompany;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    company = await startExchangeCompany(cleanUp, { transport: 'embedded' });
  });
  beforeEach(() => void company.stack.upstream.received.splice(0));

  it('discovers the endpoint, exchanges a token, and verifies it with the published keys', async () => {
    const server = await discover(company);
    const subject = await company.partnerToken();
    const answer = await exchanged(server, 'service-a', oauth.ClientSecretBasic(clientSecrets['service-a']), {
      subject,
      audience: 'service-b',
      scope: 'orders:read',
    });
    expect(answer).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'orders:read' });
    const claims = await validated(server, answer.access_token, 'service-b');
    expect(claims).toMatchObject({ sub: 'ada', client_id: 'service-a', scope: 'orders:read' });
    await expect(validated(server, answer.access_token, 'service-c')).rejects.toThrow(/aud/);
  });

  it('has its exchanges counted on /metrics of the gateway, also over a reload', async () => {
    const counted = (result: string): Promise<number> =>
      company.stack.metric('gateway_agent_token_exchanges_total', 'agent="auth"', `result="${result}"`);
    const issued = await counted('issued');
    const refused = await counted('scope_not_allowed');
    await company.exchange();
    await company.stack.reload();
    await company.exchange();
    await company.exchange({ audience: 'service-b', scope: 'no:such' });
    expect([await counted('issued'), await counted('scope_not_allowed')]).toEqual([issued + 2, refused + 1]);
  });

  it('authenticates with each method of the metadata', async () => {
    const server = await discover(company);
    const key = await importPKCS8(privatePem(company.clientKey), 'ES256');
    const odd = 'odd:client +%';
    for (const [id, authentication, audience] of [
      ['service-b', oauth.ClientSecretBasic(clientSecrets['service-b']), 'service-c'],
      ['service-b', oauth.ClientSecretPost(clientSecrets['service-b']), 'service-c'],
      [odd, oauth.ClientSecretBasic(clientSecrets[odd]), 'service-b'],
      [odd, oauth.ClientSecretPost(clientSecrets[odd]), 'service-b'],
      ['service-k', oauth.PrivateKeyJwt(key as CryptoKey), 'service-b'],
    ] as const) {
      const subject = await company.partnerToken();
      const answer = await exchanged(server, id, authentication, { subject, audience });
      expect(await validated(server, answer.access_token, audience)).toMatchObject({ client_id: id });
    }
  });

  it('gets standard errors', async () => {
    const server = await discover(company);
    const subject = await company.partnerToken();
    const refusal = exchanged(server, 'service-a', oauth.ClientSecretBasic(clientSecrets['service-a']), {
      subject,
      audience: 'payroll',
    });
    await expect(refusal).rejects.toMatchObject({ error: 'invalid_target', status: 400 });
    const wrong = exchanged(server, 'service-a', oauth.ClientSecretBasic('wrong'), { subject, audience: 'orders' });
    await expect(wrong).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  });

  it('delegates a user along services; each token names actor and audience', async () => {
    const server = await discover(company);
    const asA = oauth.ClientSecretBasic(clientSecrets['service-a']);
    const asB = oauth.ClientSecretBasic(clientSecrets['service-b']);
    const user = await company.partnerToken();
    const actor = (sub: string) => company.partnerToken({ sub, scope: undefined, client_id: sub });

    const first = await exchanged(server, 'service-a', asA, {
      subject: user,
      actor: await actor('svc-a'),
      audience: 'service-b',
      scope: 'orders:read profile',
    });
    expect(await validated(server, first.access_token, 'service-b')).toMatchObject({
      sub: 'ada',
      scope: 'orders:read profile',
      client_id: 'service-a',
      act: { iss: partnerIssuer, sub: 'svc-a' },
    });

    const second = await exchanged(server, 'service-b', asB, {
      subject: first.access_token,
      subjectType: 'access_token',
      actor: await actor('svc-b'),
      audience: 'service-c',
      scope: 'orders:read',
    });
    const claims = await validated(server, second.access_token, 'service-c');
    expect(claims).toMatchObject({
      sub: 'ada',
      scope: 'orders:read',
      client_id: 'service-b',
      act: { iss: partnerIssuer, sub: 'svc-b', act: { iss: partnerIssuer, sub: 'svc-a' } },
    });
    // What is ours is never prolonged, and what was given up does not come back.
    expect(claims.exp).toBeLessThanOrEqual(decodeJwt(first.access_token).exp ?? 0);
    const wider = exchanged(server, 'service-b', asB, {
      subject: first.access_token,
      subjectType: 'access_token',
      audience: 'service-c',
      scope: 'orders:write',
    });
    await expect(wider).rejects.toMatchObject({ error: 'invalid_scope' });
    // A token for service-b is of no use to another client.
    const stolen = exchanged(server, 'service-a', asA, {
      subject: first.access_token,
      subjectType: 'access_token',
      audience: 'orders',
    });
    await expect(stolen).rejects.toMatchObject({ error: 'invalid_request' });
  });

  it('refuses a chain of more than four actors', async () => {
    const chain = (length: number): object => ({ sub: `svc-${length}`, ...(length > 1 && { act: chain(length - 1) }) });
    const exchange = async (length: number) =>
      (await company.exchange({ subject_token: await company.partnerToken({ act: chain(length) }) })).status;
    expect(await exchange(4)).toBe(200);
    expect(await exchange(5)).toBe(400);
    expect(await exchange(1000)).toBe(400);
  });

  it('exchanges a SAML assertion once for a token that another route accepts as bearer token', async () => {
    const assertion = exchangeAssertion(company.endpointUrl, {
      attributes: { email: ['ada@example.com'], unit: ['x'] },
    });
    const server = await discover(company);
    const asA = oauth.ClientSecretBasic(clientSecrets['service-a']);
    const wanted = { subject: assertion, subjectType: 'saml2', audience: 'orders' };
    const { access_token: token } = await exchanged(server, 'service-a', asA, wanted);
    const claims = await validated(server, token, 'orders');
    expect(claims).toMatchObject({ sub: 'ada@example.com', email: 'ada@example.com', client_id: 'service-a' });
    expect(claims).not.toHaveProperty('unit');
    expect(claims).not.toHaveProperty('scope');

    const page = await company.stack.ask({ path: '/orders/1', headers: { authorization: `Bearer ${token}` } });
    expect(page.status).toBe(200);
    const [received] = company.stack.upstream.received;
    if (received === undefined) throw new Error('nothing reached the upstream');
    expect(valuesOf(received, 'x-user-id')).toEqual(['ada@example.com']);
    expect(valuesOf(received, 'x-auth-method')).toEqual(['oidc']);
    // For somebody else's audience it is good nowhere else.
    const { access_token: other } = await exchanged(server, 'service-a', asA, {
      ...wanted,
      subject: exchangeAssertion(company.endpointUrl),
      audience: 'service-b',
    });
    expect((await company.stack.ask({ headers: { authorization: `Bearer ${other}` } })).status).toBe(401);

    await expect(exchanged(server, 'service-a', asA, wanted)).rejects.toMatchObject({ error: 'invalid_request' });
  });

  describeWithPeers(['curl'], 'with curl', () => {
    it('runs the command of the guide', async () => {
      const guide = readFileSync(new URL('../../../docs/guides/token-exchange.md', import.meta.url), 'utf8');
      const [, line = ''] = /```sh\n(curl [^`]+)```/.exec(guide) ?? [];
      const secret = randomBytes(32).toString('hex');
      await company.replan({
        clients: `clients { client "orders" { secret "sha256:${sha256(secret)}"; allowed-audiences "billing" } }`,
      });
      const token = await company.partnerToken({ scope: 'invoices:read invoices:write' });
      const answer = bodyOf({
        body: await shell(line.replaceAll('https://gateway.example.com', company.issuer), {
          ORDERS_SECRET: secret,
          TOKEN: token,
        }),
      });
      expect(answer).toMatchObject({ token_type: 'Bearer', scope: 'invoices:read' });
      expect(decodeJwt(answer['access_token'] as string)).toMatchObject({ aud: 'billing', client_id: 'orders' });
      await company.replan({});
    });
  });

  it('gets tokens of each algorithm, and old tokens stay valid while their key is published', async () => {
    const first = pairFor('RS256');
    const before = bodyOf(await company.exchange())['access_token'] as string;
    for (const algorithm of ['ES256', 'PS256', 'EdDSA'] as const) {
      await company.replan({ algorithm, keyTexts: [privatePem(pairFor(algorithm)), privatePem(first)] });
      const token = bodyOf(await company.exchange())['access_token'] as string;
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: algorithm, typ: 'at+jwt' });
      expect(await validated(await discover(company), token, 'service-b')).toMatchObject({ sub: 'ada' });
    }
    // A key that is gone is good for nothing any more, at whoever asks for the keys now.
    await expect(validated(await discover(company), before, 'service-b')).rejects.toThrow();

    await company.replan({ algorithm: 'RS256', keyTexts: [privatePem(first)] });
    const old = bodyOf(await company.exchange())['access_token'] as string;
    await company.replan({ algorithm: 'RS256', keyTexts: [privatePem(pairFor('RS256')), privatePem(first)] });
    const server = await discover(company);
    const young = bodyOf(await company.exchange())['access_token'] as string;
    expect(decodeProtectedHeader(old).kid).not.toBe(decodeProtectedHeader(young).kid);
    for (const token of [old, young]) expect(await validated(server, token, 'service-b')).toMatchObject({ sub: 'ada' });
  });

  it('gets HS256 tokens with a shared secret, and no key is published', async () => {
    const secret = randomBytes(48).toString('base64');
    await company.replan({ algorithm: 'HS256', keyTexts: [`${secret}\n`] });
    const { access_token: token } = bodyOf(await company.exchange());
    const { payload } = await jwtVerify(token as string, Buffer.from(secret), { typ: 'at+jwt', audience: 'service-b' });
    expect(payload.sub).toBe('ada');
    expect(bodyOf(await company.stack.ask({ path: '/token/jwks' }))).toEqual({ keys: [] });
    expect(await discover(company)).not.toHaveProperty('jwks_uri');
  });
});

describe('token exchange, agent on its socket', () => {
  let company: ExchangeCompany;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    company = await startExchangeCompany(cleanUp, {
      transport: 'socket',
      clients: '',
      members:
        'limit-lifetime-to-subject #true; allowed-scopes "orders:read"; rate-limit { requests-per-second 1; burst 12 }',
    });
  });

  const anonymous = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };

  it('warns at the start that every holder of a token can exchange it', async () => {
    await expect.poll(() => company.stack.agent().output()).toContain('anyone with a token may exchange it');
  });

  it('needs no client and accepts any audience if no client is configured', async () => {
    const answer = await company.exchange({ audience: 'anything' }, anonymous);
    expect(answer.status).toBe(200);
    const claims = decodeJwt(bodyOf(answer)['access_token'] as string);
    expect(claims).toMatchObject({ aud: 'anything', client_id: 'the-app', scope: 'orders:read' });
  });

  it('never outlives the subject token with limit-lifetime-to-subject', async () => {
    const subject = await company.partnerToken({ exp: Math.floor(Date.now() / 1000) + 100 });
    const answer = await company.exchange({ subject_token: subject }, anonymous);
    expect(bodyOf(answer)['expires_in']).toBeLessThanOrEqual(100);
    expect(decodeJwt(bodyOf(answer)['access_token'] as string).exp).toBeLessThanOrEqual(decodeJwt(subject).exp ?? 0);
  });

  it('reads a form in chunks of any size', async () => {
    const form = formText({
      grant_type: exchangeGrant,
      subject_token: await company.partnerToken(),
      subject_token_type: tokenType('jwt'),
    });
    const socket = connect(company.stack.port, '127.0.0.1');
    let answer = '';
    const ended = new Promise<void>((resolve, reject) => socket.on('end', resolve).on('error', reject));
    socket.on('data', (piece) => {
      answer += piece.toString();
    });
    socket.write(
      'POST /token/exchange HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n' +
        'Content-Type: application/x-www-form-urlencoded\r\n\r\n',
    );
    for (let at = 0; at < form.length; ) {
      const piece = form.slice(at, at + 1 + (at % 7));
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      at += piece.length;
      if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write('0\r\n\r\n');
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"issued_token_type":"urn:ietf:params:oauth:token-type:access_token"');
  });

  it('writes one audit line per exchange with client, subject, token types and decision', async () => {
    const answer = await company.exchange({ audience: 'audited', scope: 'orders:read' }, anonymous);
    const token = decodeJwt(bodyOf(answer)['access_token'] as string);
    await company.exchange({ audience: 'audited', scope: 'admin' }, anonymous);
    const lines = (): Record<string, unknown>[] =>
      auditLines(company.stack.agent().output()).filter(({ audience }) => String(audience) === 'audited');
    await untilTrue('both lines', () => lines().length === 2);
    expect(lines()).toMatchObject([
      {
        audit: 'token_exchange',
        decision: 'issued',
        client_id: 'the-app',
        client_ip: '127.0.0.1',
        subject: 'ada',
        subject_issuer: partnerIssuer,
        subject_token_type: 'jwt',
        issued_token_type: 'access_token',
        jti: token.jti,
      },
      { audit: 'token_exchange', decision: 'refused', reason: 'scope_not_allowed' },
    ]);
  });

  it('has its own rate limit with Retry-After', async () => {
    let last = await company.exchange({}, anonymous);
    for (let asked = 0; asked < 20 && last.status === 200; asked += 1) last = await company.exchange({}, anonymous);
    expect(last.status).toBe(429);
    expect(Number(last.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(last.headers['cache-control']).toBe('no-store');
    expect(bodyOf(last)).toMatchObject({ error: 'temporarily_unavailable' });
    // Nothing else is slowed down by it.
    const bearer = await company.stack.ask({ headers: { authorization: `Bearer ${await company.partnerToken()}` } });
    expect(bearer.status).toBe(200);
  });
});
