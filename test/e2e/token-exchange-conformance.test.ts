import { createHmac } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import {
  basicFor,
  basicOf,
  clientSecrets,
  type ExchangeCompany,
  exchangeGrant,
  type FormFields,
  nowSecs,
  partnerAudience,
  partnerIssuer,
  signedToken,
  startExchangeCompany,
  tokenType,
} from '../support/exchange-company.js';
import type { HttpAnswer, HttpCall } from '../support/http-call.js';
import { rsaPair, tokenPart } from '../support/test-tokens.js';

/** What a row asks for: fields over those of an exchange that is in order, and what differs in the request itself. */
interface Asked {
  readonly fields?: FormFields;
  readonly call?: HttpCall;
}

type Expectation = (answer: HttpAnswer, company: ExchangeCompany) => void | Promise<void>;

/** One row: a sentence of a specification, a request, and the answer that it asks for. */
type Row = readonly [
  section: string,
  says: string,
  asked: Asked | ((company: ExchangeCompany) => Asked | Promise<Asked>),
  expected: Expectation,
];

const json = ({ body }: HttpAnswer): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

/** RFC 6749, section 5.2: characters that error and error_description may have. */
const errorText = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const refused =
  (error: string, status = 400): ((answer: HttpAnswer) => void) =>
  (answer) => {
    const body = json(answer);
    expect(body).toMatchObject({ error });
    expect(answer.status).toBe(status);
    expect(body['error_description']).toMatch(errorText);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['pragma']).toBe('no-cache');
    expect(body).not.toHaveProperty('access_token');
  };

const claimsOf = (answer: HttpAnswer): Record<string, unknown> => {
  expect(answer.body).toContain('access_token');
  return decodeJwt(json(answer)['access_token'] as string);
};

const issued =
  (
    check: (claims: Record<string, unknown>, answer: HttpAnswer, company: ExchangeCompany) => void = () => {},
  ): Expectation =>
  (answer, company) => {
    const claims = claimsOf(answer);
    expect(answer.status).toBe(200);
    check(claims, answer, company);
  };

const anonymous: HttpCall = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const as = (authorization: string): HttpCall => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded', authorization },
});

/** A token of the identity provider, of a service that acts. */
const serviceToken = (company: ExchangeCompany, claims: object = {}): Promise<string> =>
  company.partnerToken({ sub: 'svc-a', scope: undefined, client_id: 'svc-a', ...claims });

const stranger = rsaPair();
const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const clientAssertion = (company: ExchangeCompany, changes: object = {}, header: object = {}): Promise<string> =>
  signedToken(
    company.clientKey.privateKey,
    'ES256',
    {
      iss: 'service-k',
      sub: 'service-k',
      aud: company.endpointUrl,
      jti: `jti-${Math.random()}`,
      iat: nowSecs(),
      exp: nowSecs() + 60,
      ...changes,
    },
    { ...header },
  );

const withAssertion = async (company: ExchangeCompany, changes: object = {}, header: object = {}): Promise<Asked> => ({
  fields: {
    client_assertion_type: clientAssertionType,
    client_assertion: await clientAssertion(company, changes, header),
  },
  call: anonymous,
});

const rows: readonly Row[] = [
  // The request.
  ['RFC 8693, 2.1', 'an exchange is a POST of a form to the token endpoint', {}, issued()],
  [
    'RFC 6749, 3.2',
    'the client MUST use POST',
    { call: { method: 'GET', body: '' } },
    (answer) => {
      refused('invalid_request', 405)(answer);
      expect(answer.headers['allow']).toBe('POST');
    },
  ],
  [
    'RFC 8693, 2.1',
    'parameters are sent as application/x-www-form-urlencoded',
    (company) => ({
      call: {
        headers: { 'content-type': 'application/json', authorization: basicFor('service-a') },
        body: JSON.stringify({ grant_type: exchangeGrant, issuer: company.issuer }),
      },
    }),
    refused('invalid_request'),
  ],
  ['RFC 8693, 2.1', 'grant_type is REQUIRED', { fields: { grant_type: undefined } }, refused('invalid_request')],
  [
    'RFC 6749, 5.2',
    'a grant type that is not supported has an error of its own',
    { fields: { grant_type: 'client_credentials' } },
    refused('unsupported_grant_type'),
  ],
  ['RFC 8693, 2.1', 'subject_token is REQUIRED', { fields: { subject_token: '' } }, refused('invalid_request')],
  [
    'RFC 8693, 2.1',
    'subject_token_type is REQUIRED',
    { fields: { subject_token_type: undefined } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 3',
    'a token type that is not known is refused',
    { fields: { subject_token_type: tokenType('refresh_token') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 3',
    'token types are URIs: their last part alone is none',
    { fields: { subject_token_type: 'jwt' } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'actor_token_type is REQUIRED with actor_token',
    async (company) => ({ fields: { actor_token: await serviceToken(company) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'actor_token_type MUST NOT be there without actor_token',
    { fields: { actor_token_type: tokenType('jwt') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'requested_token_type is OPTIONAL',
    { fields: { requested_token_type: undefined } },
    (answer) => void expect(json(answer)).toMatchObject({ issued_token_type: tokenType('access_token') }),
  ],
  [
    'RFC 8693, 2.1',
    'what is issued is what requested_token_type asks for',
    { fields: { requested_token_type: tokenType('jwt') } },
    (answer) => void expect(json(answer)).toMatchObject({ issued_token_type: tokenType('jwt'), token_type: 'Bearer' }),
  ],
  [
    'RFC 8693, 2.2.2',
    'a type that is not issued here is refused',
    { fields: { requested_token_type: tokenType('saml2') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'several audience parameters name several targets',
    { fields: { audience: ['service-b', 'orders'] } },
    issued((claims) => void expect(claims['aud']).toEqual(['service-b', 'orders'])),
  ],
  [
    'RFC 8693, 2.1',
    'resource is an absolute URI, and becomes an audience',
    { fields: { audience: undefined, resource: 'https://b.example/api' } },
    issued((claims) => void expect(claims['aud']).toBe('https://b.example/api')),
  ],
  [
    'RFC 8693, 2.1',
    'resource and audience may be used together',
    { fields: { resource: 'https://b.example/api' } },
    issued((claims) => void expect(claims['aud']).toEqual(['service-b', 'https://b.example/api'])),
  ],
  ['RFC 8693, 2.1', 'resource MUST be absolute', { fields: { resource: '/api' } }, refused('invalid_target')],
  [
    'RFC 8693, 2.1',
    'resource MUST NOT have a fragment',
    { fields: { resource: 'https://b.example/api#x' } },
    refused('invalid_target'),
  ],
  [
    'RFC 8693, 2.2.2',
    'a target for which no token is issued is invalid_target',
    { fields: { audience: 'payroll' } },
    refused('invalid_target'),
  ],
  [
    'RFC 8693, 2.2.2',
    'one such target among others is enough',
    { fields: { audience: ['service-b', 'payroll'] } },
    refused('invalid_target'),
  ],
  [
    'RFC 6749, 3.2',
    'a parameter without a value is as if it were not there',
    { fields: { scope: '', resource: '', actor_token: '', actor_token_type: '', requested_token_type: '' } },
    issued((claims) => void expect(claims).not.toHaveProperty('act')),
  ],
  [
    'RFC 6749, 3.2',
    'parameters that are not known MUST be ignored',
    { fields: { colour: 'blue', state: 'x' } },
    issued(),
  ],
  ...(['grant_type', 'subject_token', 'subject_token_type', 'scope', 'requested_token_type', 'client_id'] as const).map(
    (name): Row => [
      'RFC 6749, 3.2',
      `parameters MUST NOT be there twice: ${name}`,
      { fields: { [name]: ['one', 'one'] } },
      refused('invalid_request'),
    ],
  ),
  [
    'RFC 6749, 2.3.1',
    'parameters MUST NOT be in the request URI',
    { call: { path: '/token/exchange?subject_token=x' } },
    refused('invalid_request'),
  ],
  ['RFC 3986, 2.1', 'a broken escape is no form', { call: { body: 'grant_type=%zz' } }, refused('invalid_request')],
  // The tokens.
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: signature',
    async () => ({
      fields: {
        subject_token: await signedToken(stranger.privateKey, 'RS256', {
          iss: partnerIssuer,
          aud: partnerAudience,
          sub: 'ada',
          exp: nowSecs() + 60,
        }),
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8725, 3.2',
    'a token without a signature is none',
    () => ({
      fields: {
        subject_token: `${tokenPart({ alg: 'none' })}.${tokenPart({ iss: partnerIssuer, aud: partnerAudience, sub: 'ada', exp: nowSecs() + 60 })}.`,
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8725, 3.1',
    'a public key is no shared secret',
    async (company) => {
      const jwks = JSON.parse((await company.stack.ask({ path: '/token/jwks' })).body) as {
        keys: { n: string; kid: string }[];
      };
      const [key] = jwks.keys;
      const input = `${tokenPart({ alg: 'HS256', kid: key?.kid, typ: 'at+jwt' })}.${tokenPart({ iss: company.issuer, aud: 'service-a', sub: 'ada', exp: nowSecs() + 60 })}`;
      const mac = createHmac('sha256', Buffer.from(key?.n ?? '', 'base64url'))
        .update(input)
        .digest('base64url');
      return { fields: { subject_token: `${input}.${mac}` } };
    },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: expiry',
    async (company) => ({ fields: { subject_token: await company.partnerToken({ exp: nowSecs() - 60 }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: audience',
    async (company) => ({ fields: { subject_token: await company.partnerToken({ aud: 'somebody-else' }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: issuer',
    async (company) => ({
      fields: { subject_token: await company.partnerToken({ iss: 'https://elsewhere.example' }) },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'validation is that of the indicated type: a JWT is no assertion',
    { fields: { subject_token_type: tokenType('saml2') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.2.2',
    'an actor token that is no good is invalid_request',
    { fields: { actor_token: 'e30.e30.e30', actor_token_type: tokenType('jwt') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8705, 3',
    'a token that is bound to a key is not made a bearer token',
    async (company) => ({ fields: { subject_token: await company.partnerToken({ cnf: { 'x5t#S256': 'x' } }) } }),
    refused('invalid_request'),
  ],
  // The answer.
  [
    'RFC 8693, 2.2.1',
    'access_token, issued_token_type and token_type are REQUIRED',
    {},
    (answer) => {
      const { access_token: token, ...rest } = json(answer);
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect(rest).toEqual({
        issued_token_type: tokenType('access_token'),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'orders:read orders:write profile',
      });
    },
  ],
  [
    'RFC 6749, 5.1',
    'the answer is JSON, and MUST be kept by no cache',
    {},
    ({ status, headers }) => {
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['pragma']).toBe('no-cache');
    },
  ],
  [
    'RFC 8693, 2.2.1',
    'scope is REQUIRED where it is not what was asked for',
    { fields: { scope: undefined } },
    (answer) => void expect(json(answer)['scope']).toBe('orders:read orders:write profile'),
  ],
  [
    'RFC 8693, 4.2',
    'scope is a text with spaces, in the answer and in the claim',
    { fields: { scope: 'orders:read profile' } },
    issued((claims, answer) => {
      expect(claims['scope']).toBe('orders:read profile');
      expect(json(answer)['scope']).toBe('orders:read profile');
    }),
  ],
  [
    'RFC 6749, 5.2',
    'a scope beyond what was granted is invalid_scope',
    { fields: { scope: 'orders:read admin' } },
    refused('invalid_scope'),
  ],
  [
    'RFC 6749, 3.3',
    'scopes are separated by one space',
    { fields: { scope: 'orders:read  profile' } },
    refused('invalid_scope'),
  ],
  ['RFC 6749, 3.3', 'a scope has no quotes', { fields: { scope: '"orders"' } }, refused('invalid_scope')],
  ['RFC 6749, 3.3', 'scopes are compared by case', { fields: { scope: 'Orders:read' } }, refused('invalid_scope')],
  // Clients.
  [
    'RFC 6749, 3.2.1',
    'a client that has credentials MUST authenticate',
    { call: anonymous },
    (answer) => {
      refused('invalid_client', 401)(answer);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="gateway"/);
    },
  ],
  [
    'RFC 6749, 5.2',
    'wrong credentials are invalid_client, with the scheme that was used',
    { call: as(basicOf('service-a', 'wrong')) },
    (answer) => {
      refused('invalid_client', 401)(answer);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="gateway"/);
    },
  ],
  [
    'RFC 6749, 5.2',
    'an unknown client is answered as one with wrong credentials',
    { call: as(basicOf('nobody', 'wrong')) },
    refused('invalid_client', 401),
  ],
  [
    'RFC 6749, 2.3.1',
    'id and secret are form-encoded in Basic',
    { call: as(basicFor('odd:client +%')) },
    issued((claims) => void expect(claims['client_id']).toBe('odd:client +%')),
  ],
  [
    'RFC 6749, 2.3.1',
    'credentials may be in the body',
    {
      fields: { client_id: 'service-b', client_secret: clientSecrets['service-b'], audience: 'service-c' },
      call: anonymous,
    },
    issued((claims) => void expect(claims['client_id']).toBe('service-b')),
  ],
  [
    'RFC 6749, 2.3',
    'a client MUST NOT use more than one method in a request',
    { fields: { client_id: 'service-a', client_secret: clientSecrets['service-a'] } },
    refused('invalid_request'),
  ],
  [
    'RFC 6749, 3.2.1',
    'client_id beside other credentials is that of the client',
    { fields: { client_id: 'service-b' } },
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'a client may sign an assertion',
    withAssertion,
    issued((claims) => void expect(claims['client_id']).toBe('service-k')),
  ],
  [
    'RFC 7523, 3',
    'iss and sub MUST be the client',
    (company) => withAssertion(company, { sub: 'service-a' }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'aud MUST be the authorization server',
    (company) => withAssertion(company, { aud: 'https://other.example' }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'aud MUST be us alone',
    (company) => withAssertion(company, { aud: [company.endpointUrl, 'https://other.example'] }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp is REQUIRED',
    (company) => withAssertion(company, { exp: undefined }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp MUST NOT be over',
    (company) => withAssertion(company, { exp: nowSecs() - 60 }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp MUST NOT be far away',
    (company) => withAssertion(company, { exp: nowSecs() + 3600 }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7521, 4.2',
    'the type of the assertion is this one',
    async (company) => ({
      ...(await withAssertion(company)),
      fields: { client_assertion: await clientAssertion(company), client_assertion_type: 'urn:x' },
    }),
    refused('invalid_client', 401),
  ],
  // The token.
  [
    'RFC 9068, 2.1',
    'typ is at+jwt, and the token is signed by a key that its header names',
    {},
    async (answer, company) => {
      const header = decodeProtectedHeader(json(answer)['access_token'] as string);
      const jwks = JSON.parse((await company.stack.ask({ path: '/token/jwks' })).body) as { keys: { kid: string }[] };
      expect(header).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: jwks.keys[0]?.kid });
    },
  ],
  [
    'RFC 9068, 2.2',
    'iss, exp, aud, sub, client_id, iat and jti are REQUIRED',
    {},
    issued((claims, _answer, company) => {
      const now = nowSecs();
      expect(claims).toEqual({
        iss: company.issuer,
        sub: 'ada',
        aud: 'service-b',
        client_id: 'service-a',
        scope: 'orders:read orders:write profile',
        email: 'ada@example.com',
        roles: ['editor'],
        iat: expect.any(Number),
        nbf: claims['iat'],
        exp: (claims['iat'] as number) + 3600,
        jti: expect.stringMatching(/^.{20,}$/),
      });
      expect(Math.abs((claims['iat'] as number) - now)).toBeLessThanOrEqual(5);
    }),
  ],
  [
    'RFC 9068, 3',
    'without a target the token is for the default one',
    { fields: { audience: undefined } },
    issued((claims, _answer, { issuer }) => void expect(claims['aud']).toBe(issuer)),
  ],
  [
    'RFC 9068, 2.2.2',
    'what the subject token says is not taken over but for what is configured',
    async (company) => ({
      fields: {
        subject_token: await company.partnerToken({ admin: true, nbf: nowSecs() - 9, jti: 'theirs', groups: ['x'] }),
      },
    }),
    issued((claims) => {
      expect(claims).not.toHaveProperty('admin');
      expect(claims).not.toHaveProperty('groups');
      expect(claims['jti']).not.toBe('theirs');
      expect(claims['nbf']).toBe(claims['iat']);
    }),
  ],
  // Delegation.
  [
    'RFC 8693, 4.1',
    'act names who acts',
    async (company) => ({ fields: { actor_token: await serviceToken(company), actor_token_type: tokenType('jwt') } }),
    issued((claims) => void expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-a' })),
  ],
  [
    'RFC 8693, 4.1',
    'who acted before is nested in who acts now',
    async (company) => ({
      fields: {
        subject_token: await company.partnerToken({ act: { sub: 'svc-0' } }),
        actor_token: await serviceToken(company),
        actor_token_type: tokenType('access_token'),
      },
    }),
    issued((claims) => {
      expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-a', act: { iss: partnerIssuer, sub: 'svc-0' } });
    }),
  ],
  [
    'RFC 8693, 4.1',
    'what act says besides who it is does not count',
    async (company) => ({
      fields: { subject_token: await company.partnerToken({ act: { sub: 'svc-0', exp: 1, aud: 'x' } }) },
    }),
    issued((claims) => void expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-0' })),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: whom it names may act',
    async (company) => ({
      fields: {
        subject_token: await company.partnerToken({ may_act: { sub: 'svc-a' } }),
        actor_token: await serviceToken(company),
        actor_token_type: tokenType('jwt'),
      },
    }),
    issued((claims) => {
      expect(claims['act']).toMatchObject({ sub: 'svc-a' });
      expect(claims).not.toHaveProperty('may_act');
    }),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: nobody else may',
    async (company) => ({
      fields: {
        subject_token: await company.partnerToken({ may_act: { sub: 'svc-z' } }),
        actor_token: await serviceToken(company),
        actor_token_type: tokenType('jwt'),
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: a client that is not named may not take the place of the subject',
    async (company) => ({ fields: { subject_token: await company.partnerToken({ may_act: { sub: 'service-b' } }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: a client that is named may',
    async (company) => ({
      fields: { subject_token: await company.partnerToken({ may_act: { iss: company.issuer, sub: 'service-a' } }) },
    }),
    issued(),
  ],
];

describe('the token endpoint keeps to its specifications', () => {
  const cleanUp = new CleanUp();
  let company: ExchangeCompany;
  beforeAll(async () => {
    company = await startExchangeCompany(cleanUp, {
      transport: 'embedded',
      members: 'rate-limit #null',
    });
  });
  afterAll(() => cleanUp.run());

  it.each(rows)('%s: %s', async (_section, _says, asked, expected) => {
    const { fields = {}, call = {} } = typeof asked === 'function' ? await asked(company) : asked;
    const answer = await company.exchange(fields, call);
    await expected(answer, company);
    expect(company.stack.upstream.received).toEqual([]);
  });

  it('RFC 7523, 3: an assertion of a client is taken once', async () => {
    const { fields, call } = await withAssertion(company);
    expect((await company.exchange(fields, call)).status).toBe(200);
    refused('invalid_client', 401)(await company.exchange(fields, call));
  });

  it('RFC 8414, 3: metadata is at its well-known place, and says what the endpoint does', async () => {
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

  it('RFC 7517, 4 and 5: the key set has public keys alone, may be cached, and is not sent again to who has it', async () => {
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

  it('RFC 6749, 10.8: neither token nor secret is in any log line', async () => {
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
});
