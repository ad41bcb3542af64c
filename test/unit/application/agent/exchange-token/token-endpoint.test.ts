import { describe, expect, it } from 'vitest';
import type { AllowedExchange } from '../../../../../src/domain/agent/token-exchange/exchange-policy.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import {
  actorFields,
  basicOf,
  ExchangeWorld,
  exchangeFields,
  exchangeOptions,
  samlFields,
  seen,
} from '../../../../support/agent/fake-token-exchange.js';

const type = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`;
const payloadOf = (world: ExchangeWorld, index = 0) => parseClaims(world.signed[index]?.payload ?? '') ?? {};

describe('a granted exchange', () => {
  it('answers with the token, its type, its lifetime and its scope (RFC 8693, section 2.2.1)', async () => {
    const world = new ExchangeWorld();
    const { status, body, headers } = seen(await world.exchange());
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: `key-1.${Buffer.from(world.signed[0]?.payload ?? '').toString('base64url')}.at+jwt`,
      issued_token_type: type('access_token'),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'read write',
    });
    expect(headers).toEqual({
      'content-type': ['application/json'],
      'cache-control': ['no-store'],
      pragma: ['no-cache'],
    });
  });

  it('signs the claims that the rules grant', async () => {
    const world = new ExchangeWorld();
    await world.exchange({ audience: 'billing', resource: 'https://orders.example', scope: 'read', ...actorFields });
    const nowSecs = world.clock.seconds();
    expect(payloadOf(world)).toEqual({
      iss: 'https://gateway.example',
      sub: 'ann',
      aud: ['billing', 'https://orders.example'],
      exp: nowSecs + 600,
      nbf: nowSecs,
      iat: nowSecs,
      jti: '0199a0e2-8a2c-4d4e-9d55-2f6f2c1f7b10',
      client_id: 'https://gateway.example',
      scope: 'read',
      roles: ['clerk'],
      act: { iss: 'https://partner.example', sub: 'the desk' },
    });
  });

  it('omits scope for a token without one, and returns the requested type', async () => {
    const world = new ExchangeWorld();
    world.tokens.set('the-token-of-ann', world.token('ann'));
    const { body } = seen(await world.exchange({ requested_token_type: type('jwt') }));
    expect(body).toMatchObject({ issued_token_type: type('jwt'), token_type: 'Bearer' });
    expect(body).not.toHaveProperty('scope');
    expect(world.signed[0]?.type).toBe('JWT');
  });

  it('logs one line with actor, subject and audience', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    await world.exchangeAsClient({ audience: 'billing', scope: 'read', ...actorFields });
    expect(world.results).toEqual(['issued']);
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'token exchange',
        fields: {
          audit: 'token_exchange',
          decision: 'issued',
          reason: null,
          client_id: 'desk',
          client_ip: '192.0.2.7',
          subject: 'ann',
          subject_issuer: 'https://partner.example',
          subject_token_type: 'jwt',
          issued_token_type: 'access_token',
          audience: ['billing'],
          scope: ['read'],
          actor: ['the desk'],
          jti: '0199a0e2-8a2c-4d4e-9d55-2f6f2c1f7b10',
          expires_in: 600,
          trace_id: 'request-1',
          correlation_id: 'request-1',
        },
      },
    ]);
  });

  it('accepts an assertion once, until it expires', async () => {
    const world = new ExchangeWorld();
    expect(seen(await world.exchange(samlFields)).status).toBe(200);
    expect([...world.replays.held]).toEqual([['assertion-1', world.clock.wallMs() + 900_000]]);
    expect(seen(await world.exchange(samlFields)).status).toBe(400);
    expect(world.results).toEqual(['issued', 'subject_token_replayed']);
    expect(world.signed).toHaveLength(1);
  });

  it('accepts only one of two concurrent exchanges of one assertion', async () => {
    const world = new ExchangeWorld();
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.exchange(samlFields)));
    expect(answers.filter((answer) => seen(answer).status === 200)).toHaveLength(1);
    expect(world.signed).toHaveLength(1);
  });

  it('does not store an assertion of a refused exchange', async () => {
    const world = new ExchangeWorld();
    await world.exchange({ ...samlFields, audience: 'payroll' });
    await world.exchange({ ...samlFields, scope: 'read' });
    expect(world.replays.held.size).toBe(0);
    expect(seen(await world.exchange(samlFields)).status).toBe(200);
  });
});

describe('clients', () => {
  it('must authenticate before any other check of the request', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    const steps: string[] = [];
    world.before = (step) => void steps.push(step);
    expect(seen(await world.exchange({ grant_type: 'password', scope: '"' })).status).toBe(401);
    expect(steps).toEqual(['authenticate']);
  });

  it('are named in their issued token, regardless of the subject token', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    world.tokens.set('the-token-of-ann', world.token('ann', { client_id: 'another', azp: 'another' }));
    await world.exchangeAsClient();
    expect(payloadOf(world)['client_id']).toBe('desk');
  });

  it('need no credentials if none are configured, and any credentials are ignored', async () => {
    const world = new ExchangeWorld();
    const headers = ['authorization', 'Basic !!!', 'authorization', basicOf('a', 'b')];
    expect(seen(await world.exchange({ client_id: 'x', client_secret: 'y' }, { headers })).status).toBe(200);
    expect(payloadOf(world)['client_id']).toBe('https://gateway.example');
  });

  it('have a separate rate, counted after authentication', async () => {
    const rateLimit = { requestsPerSecond: 1, burst: 2 };
    const world = new ExchangeWorld({ hasClient: true, options: { rateLimit } });
    const ask = async (clientIp: string, secret = 'the secret of the front desk') => {
      const event = world.event();
      const headers = ['authorization', basicOf('desk', secret)];
      return seen(await world.exchange({}, { headers, metadata: { ...event.metadata, clientIp } })).status;
    };
    // Whoever guesses uses up the share of their address, and not that of the client.
    expect([await ask('192.0.2.1', 'no'), await ask('192.0.2.1', 'no'), await ask('192.0.2.1', 'no')]).toEqual([
      401, 401, 429,
    ]);
    expect([await ask('192.0.2.2'), await ask('192.0.2.3'), await ask('192.0.2.4')]).toEqual([200, 200, 429]);
    world.clock.advance(1_000);
    expect(await ask('192.0.2.5')).toBe(200);
  });
});

describe('the head of a request', () => {
  it('is enough for a refusal: no body is requested', () => {
    const world = new ExchangeWorld();
    const heads = [
      world.event({ method: 'PUT' }),
      world.event({ headers: [] }),
      world.event({ headers: ['content-type', 'application/x-www-form-urlencoded', 'content-encoding', 'gzip'] }),
      world.event({ headers: ['content-type', 'application/x-www-form-urlencoded', 'content-length', '1048577'] }),
      world.event({ uri: '/token/exchange?client_secret=abc' }),
      world.event({ uri: '/token/exchange?audience' }),
      world.event({ uri: '/token/../token/exchange?client%5Fassertion=abc&client%5Fassertion=abc' }),
    ];
    const answers = heads.map((event) => world.answer(event));
    expect(answers.map(({ needsMore }) => needsMore)).not.toContain(true);
    expect(answers.map((answer) => seen(answer).status)).toEqual([405, 400, 400, 413, 400, 400, 400]);
  });

  it('can announce a form as large as an assertion if one may be in it, otherwise as two tokens', () => {
    const jwt = { subjectKind: 'jwt', issuedKind: 'access_token' } as const;
    const saml2 = { subjectKind: 'saml2', issuedKind: 'access_token' } as const;
    const client = { ...exchangeOptions, id: 'desk', secrets: [], publicKeyFiles: [], subjectAudiences: ['desk'] };
    const largest = (block: readonly AllowedExchange[], clients: readonly (readonly AllowedExchange[])[] | null) => {
      const named = clients?.map((allowedExchanges) => ({ ...client, allowedExchanges })) ?? null;
      const world = new ExchangeWorld({ options: { allowedExchanges: block, clients: named } });
      const { formOctets } = world.endpoint;
      const announced = (octets: number) =>
        world.answer(
          world.event({
            headers: ['content-type', 'application/x-www-form-urlencoded', 'content-length', `${octets}`],
          }),
        );
      expect(announced(formOctets).needsMore).toBe(true);
      expect(seen(announced(formOctets + 1)).status).toBe(413);
      return formOctets;
    };
    expect(largest([jwt], null)).toBe(65_536);
    expect(largest([jwt, saml2], null)).toBe(1_048_576);
    expect(largest([jwt], [[jwt], [saml2]])).toBe(1_048_576);
    expect(largest([saml2], [[jwt]])).toBe(65_536);
  });

  it('can have a query that has no meaning here', () => {
    const world = new ExchangeWorld();
    for (const uri of ['/token/exchange?', '/token/exchange?trace=1&Subject_Token=2', '/token/exchange?%zz']) {
      expect(world.answer(world.event({ uri }))).toMatchObject({
        decision: { kind: 'allow' },
        needsMore: true,
      });
    }
    expect(world.results).toEqual([]);
  });

  it("counts against the client's address group: an IPv6 /64 is one group", () => {
    const world = new ExchangeWorld({ options: { rateLimit: { requestsPerSecond: 0.1, burst: 2 } } });
    const ask = (clientIp: string) => {
      const event = world.event();
      return world.answer({ ...event, metadata: { ...event.metadata, clientIp } });
    };
    const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.9'];
    const answers = addresses.map(ask);
    expect(answers.map(({ needsMore }) => needsMore)).toEqual([true, true, false, true, true]);
    const refused = answers[2];
    expect(refused === undefined ? null : seen(refused).headers['retry-after']).toEqual(['10']);
    expect(world.logger.lines.map(({ fields }) => fields['detail'])).toEqual(['of the address']);
  });

  it('is not limited if no limit is configured', () => {
    const world = new ExchangeWorld();
    const answers = Array.from({ length: 500 }, () => world.answer(world.event()));
    expect(answers.every(({ needsMore }) => needsMore)).toBe(true);
  });
});

it('the paths follow the configuration', () => {
  expect(new ExchangeWorld().endpoint.paths).toEqual([
    exchangeOptions.endpointPath,
    exchangeOptions.jwksPath,
    exchangeOptions.metadataPath,
  ]);
});

it('a form for a path that changed in the meantime is not an exchange', async () => {
  const world = new ExchangeWorld();
  const form = new TextEncoder().encode(new URLSearchParams(exchangeFields).toString());
  for (const uri of ['/token/jwks', '/elsewhere']) {
    const answer = await world.endpoint.answerForm(world.event({ uri }), uri, form, {
      onCancel: () => () => undefined,
    });
    expect(seen(answer)).toMatchObject({ status: 503, headers: { 'cache-control': ['no-store'] } });
  }
  expect(world.signed).toEqual([]);
});

it('foreign texts are cut in the log', async () => {
  const world = new ExchangeWorld({ policy: { allowedAudiences: null } });
  world.tokens.set('the-token-of-ann', world.token('a'.repeat(300)));
  await world.exchange({
    audience: 'b'.repeat(1_000),
    scope: Array.from({ length: 40 }, (_, index) => index).join(' '),
  });
  const fields = world.logger.lines[0]?.fields ?? {};
  expect(fields['subject']).toBe(`${'a'.repeat(256)}...`);
  expect(fields['audience']).toEqual([`${'b'.repeat(256)}...`]);
  expect(fields['scope']).toHaveLength(16);
});
