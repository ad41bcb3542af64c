import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { SpentAssertions } from '../../../../../src/application/agent/exchange-token/spent-assertions.js';
import { noOtherProcesses } from '../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../src/application/agent/sessions/session-store-leases.js';
import type { SessionStoreOpener } from '../../../../../src/application/ports/agent/session-stores.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { basicOf, privatePem, tokenType } from '../../../../support/agent/exchange-company.js';
import {
  allowed,
  deskSecret,
  exchangeConfig,
  oauthHeader,
  subjectSecret,
  subjectToken,
  TokenClient,
  tokenIssuer,
  tokenUrl,
} from '../../../../support/agent/exchanging-agent.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { judgeOf, samlConfig } from '../../../../support/agent/saml-agent.js';
import { exchangeAssertion } from '../../../../support/agent/saml-exchange.js';
import { idpKey } from '../../../../support/agent/saml-keys.js';
import {
  type AgentServiceOverrides,
  requestEvent,
  startedTestAgent,
  upstreamHeaders,
} from '../../../../support/agent/test-agent.js';
import { ecPair, publicPem, signToken } from '../../../../support/agent/test-tokens.js';
import { openTransport, transportNames } from '../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const first = ecPair();
const second = ecPair();
const clientPair = ecPair();

/** A folder with a signing key, and agents that are configured with it. */
const place = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const clock = new ManualClock();
  const keyFile = folder.write('signing.pem', privatePem(first));
  const start = async (exchange: JsonObject = {}, config: JsonObject = {}, parts: AgentServiceOverrides = {}) => {
    const made = await startedTestAgent(exchangeConfig([keyFile], exchange, config), { clock, ...parts });
    cleanUp.add(() => made.agent.stop());
    const connection = Symbol('connection');
    return { ...made, connection, client: new TokenClient((event) => made.agent.decide(event, connection)) };
  };
  return { folder, clock, keyFile, start, token: (claims = {}) => subjectToken(clock.seconds(), claims) };
};

/** Verifies a token as a service does that knows the issuer by its documents alone. */
const verified = async (client: TokenClient, token: unknown, clock: ManualClock) => {
  const metadata = await client.get('/.well-known/oauth-authorization-server');
  expect(metadata.body).toMatchObject({ issuer: tokenIssuer, token_endpoint: tokenUrl });
  const keys = await client.get(new URL(String(metadata.body['jwks_uri'])).pathname);
  const keySet = createLocalJWKSet(keys.body as unknown as JSONWebKeySet);
  const currentDate = new Date(clock.wallMs());
  return jwtVerify(String(token), keySet, { issuer: tokenIssuer, typ: 'at+jwt', currentDate });
};

describe.each(transportNames)('token exchange with transport %s', (transport) => {
  const connected = async (cleanUp: CleanUp) => {
    const here = place(cleanUp);
    const { clock } = here;
    const made = await startedTestAgent({}, { clock });
    cleanUp.add(() => made.agent.stop());
    const opened = await openTransport(transport, made.agent, { config: exchangeConfig([here.keyFile]) });
    cleanUp.add(() => opened.close());
    opened.client.start();
    await opened.ready();
    return { ...here, ...made, client: new TokenClient(judgeOf(opened.client)) };
  };

  it.for([0, 1, 7, 64, 1_000])('issues a token for a form in pieces of %i octets', async (pieceOctets, { cleanUp }) => {
    const { client, clock, token } = await connected(cleanUp);
    const reply = await client.exchange(token(), { scope: 'read' }, { pieceOctets });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        issued_token_type: tokenType('access_token'),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'read',
      },
    });
    expect(oauthHeader(reply, 'cache-control')).toBe('no-store');
    const { payload } = await verified(client, reply.body['access_token'], clock);
    expect(payload).toMatchObject({
      sub: 'ann',
      aud: 'orders',
      scope: 'read',
      client_id: 'desk',
      iat: clock.seconds(),
    });
  });

  it('refuses invalid requests, and forwards nothing', async ({ cleanUp }) => {
    const { client, token } = await connected(cleanUp);
    for (const pieceOctets of [0, 9]) {
      expect(await client.exchange(token(), { scope: 'delete' }, { pieceOctets })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      });
    }
    expect(await client.exchange(token(), {}, { authorization: null })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  it('answers many concurrently, each with its own token', async ({ cleanUp }) => {
    const { client, clock, token } = await connected(cleanUp);
    const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
    const replies = await Promise.all(users.map((sub) => client.exchange(token({ sub }), {}, { pieceOctets: 50 })));
    const tokens = await Promise.all(replies.map(({ body }) => verified(client, body['access_token'], clock)));
    expect(tokens.map(({ payload }) => payload.sub)).toEqual(users);
    expect(new Set(tokens.map(({ payload }) => payload.jti)).size).toBe(users.length);
  });
});

describe('an agent with token exchange', () => {
  it('needs no authentication method for its endpoints, and refuses other paths', async ({ cleanUp }) => {
    const { client } = await place(cleanUp).start();
    expect((await client.get('/token/jwks')).status).toBe(200);
    expect((await client.get('/orders')).status).toBe(401);
    expect((await client.post({}, { path: '/token/exchange/more' })).status).toBe(401);
    expect((await client.get('/token/exchange')).status).toBe(405);
    expect((await client.get('/token//exchange')).status).toBe(405);
  });

  it('counts exchanges by result', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const { agent, client, logger } = await here.start();
    const token = here.token();
    await client.exchange(token);
    await client.exchange(token);
    await client.exchange(`${token}x`);
    await client.exchange(token, { audience: 'payroll' });
    await client.get('/token/exchange');
    const counts = agent
      .metrics()
      .counters.filter(({ name }) => name === 'token_exchanges_total')
      .map(({ labels, value }) => `${labels['result']} ${value}`);
    expect(counts.sort()).toEqual([
      'invalid_subject_token 1',
      'issued 2',
      'method_not_allowed 1',
      'target_not_allowed 1',
    ]);
    const lines = logger.lines.filter(({ fields }) => fields['audit'] === 'token_exchange');
    expect(lines.map(({ fields }) => fields['decision']).sort()).toEqual([
      'issued',
      'issued',
      'refused',
      'refused',
      'refused',
    ]);
  });

  it.for(['cancelled', 'disconnected'] as const)(
    'issues nothing for a form that is %s',
    async (ending, { cleanUp }) => {
      const here = place(cleanUp);
      const { agent, logger, connection } = await here.start();
      for (const when of ['before its last piece', 'while it is judged']) {
        const impatient = new TokenClient((event) => {
          const end = () =>
            ending === 'cancelled'
              ? agent.cancel(event.correlationId, 'timeout', connection)
              : agent.disconnected(connection);
          const isLast = event.kind === 'request_body_chunk' && event.isLast;
          if (isLast && when === 'before its last piece') end();
          const answer = agent.decide(event, connection);
          if (isLast && when === 'while it is judged') end();
          return answer;
        });
        const reply = await impatient.exchange(here.token(), {}, { pieceOctets: 100 });
        expect(JSON.stringify(reply)).not.toContain('access_token');
        // A piece that nobody awaits changes nothing; nobody gets the other answer either.
        expect(reply.status).toBe(when === 'while it is judged' ? 503 : 200);
      }
      expect(logger.lines.filter(({ fields }) => fields['decision'] === 'issued')).toEqual([]);
      expect(logger.lines.flatMap(({ fields }) => fields['reason'] ?? [])).toEqual(['cancelled']);
    },
  );

  it('logs no secret', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const clientKey = here.folder.write('client.pem', publicPem(clientPair.publicKey));
    const clients = {
      client: [
        { name: 'desk', secret: deskSecret, 'allowed-audiences': ['orders'] },
        { name: 'robot', 'public-key-file': clientKey, 'allowed-audiences': ['orders'] },
      ],
    };
    const { agent, client, logger } = await here.start({ clients }, { 'basic-auth-users': 'x:the password of x' });
    const subject = here.token();
    const actor = here.token({ sub: 'svc' });
    const wrongSecret = 'a secret that somebody has guessed';
    const assertion = signToken('ES256', clientPair.privateKey, {
      iss: 'robot',
      sub: 'robot',
      aud: tokenUrl,
      jti: randomUUID(),
      exp: here.clock.seconds() + 60,
    });
    const asRobot = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    };
    const replies = [
      await client.exchange(subject),
      await client.exchange(subject, { actor_token: actor, actor_token_type: tokenType('jwt') }),
      await client.exchange(`${subject}x`),
      await client.exchange(subject, { subject_token_type: tokenType('id_token') }),
      await client.exchange(subject, { actor_token: `${actor}x`, actor_token_type: tokenType('jwt') }),
      await client.exchange(subject, {}, { authorization: basicOf('desk', wrongSecret) }),
      await client.exchange(subject, { client_id: 'desk', client_secret: deskSecret }, { authorization: null }),
      await client.exchange(subject, { client_id: 'desk', client_secret: wrongSecret }, { authorization: null }),
      await client.exchange(subject, asRobot, { authorization: null }),
      await client.exchange(subject, asRobot, { authorization: null }),
      await client.exchange(subject, {}, { path: `/token/exchange?subject_token=${subject}` }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 400, 400, 400, 401, 200, 401, 200, 401, 400]);
    here.folder.write('signing.pem', privatePem(first).replace(/[A-Z]/, '!'));
    expect((await agent.reload()).ok).toBe(false);
    const told = JSON.stringify(logger.lines);
    const issued = replies.flatMap(({ body }) => body['access_token'] ?? []).map(String);
    const keyLine = privatePem(first).split('\n')[1] as string;
    const secrets = [
      deskSecret,
      wrongSecret,
      subjectSecret,
      keyLine,
      Buffer.from(`desk:${deskSecret}`).toString('base64'),
    ];
    for (const token of [subject, actor, assertion, ...issued]) secrets.push(...token.split('.').slice(1));
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    expect(told).toContain('"client_id":"robot"');
  });
});

describe('own tokens', () => {
  it('are bearer tokens on other routes if its keys are configured as a provider', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const keySetSource = new FakeKeySetSource();
    const scheduler = new ManualScheduler(here.clock);
    keySetSource.goDown();
    const own = { enabled: true, issuer: tokenIssuer, 'jwks-url': `${tokenIssuer}/token/jwks`, audience: 'orders' };
    const { agent, client, connection } = await here.start({}, { oidc: own }, { keySetSource, scheduler });
    const reply = await client.exchange(here.token());
    const headers = ['authorization', `Bearer ${reply.body['access_token']}`];
    const ask = async () => agent.decide(requestEvent(headers, randomUUID()), connection);
    expect((await ask()).decision).toMatchObject({ kind: 'block', status: 503 });
    // Whoever waits for it to be ready may wait for the keys that it publishes itself.
    expect(agent.health().state).toBe('degraded');

    keySetSource.answerWith((await client.get('/token/jwks')).body as JsonObject);
    await scheduler.advance(10_000);
    const answer = await ask();
    expect(upstreamHeaders(headers, answer)).toEqual(
      expect.arrayContaining(['X-User-Id', 'ann', 'X-Auth-Method', 'oidc']),
    );
  });
});

describe('a reload', () => {
  /** An agent whose second key file may hold the key before. */
  const rotating = async (cleanUp: CleanUp) => {
    const here = place(cleanUp);
    const previousFile = here.folder.write('previous.pem', publicPem(first.publicKey));
    const files = [here.keyFile, previousFile];
    const made = await here.start({ 'signing-key-file': files, 'allowed-audiences': ['orders'], clients: null });
    const ask = async (token: string, kind: string) => {
      const reply = await made.client.exchange(token, { subject_token_type: tokenType(kind) }, { authorization: null });
      return { status: reply.status, token: String(reply.body['access_token']) };
    };
    const kidOf = async (token: string) => (await verified(made.client, token, here.clock)).protectedHeader.kid;
    const published = async () => {
      const { keys } = (await made.client.get('/token/jwks')).body as unknown as JSONWebKeySet;
      return keys.map(({ kid }) => kid);
    };
    return { ...here, ...made, ask, kidOf, published, previousFile };
  };

  it('loads new keys, and old tokens stay valid while their key is published', async ({ cleanUp }) => {
    const { folder, agent, ask, kidOf, published, token } = await rotating(cleanUp);
    const old = await ask(token(), 'jwt');
    const oldKid = await kidOf(old.token);
    expect(await published()).toEqual([oldKid]);

    folder.write('signing.pem', privatePem(second));
    expect(await agent.reload()).toEqual({ ok: true, value: undefined });
    const renewed = await ask(token(), 'jwt');
    const newKid = await kidOf(renewed.token);
    expect(newKid).not.toBe(oldKid);
    expect(await published()).toEqual([newKid, oldKid]);
    expect(await kidOf(old.token)).toBe(oldKid);
    const again = await ask(old.token, 'access_token');
    expect([again.status, await kidOf(again.token)]).toEqual([200, newKid]);

    folder.write('previous.pem', publicPem(second.publicKey));
    expect((await agent.reload()).ok).toBe(true);
    expect(await published()).toEqual([newKid]);
    expect((await ask(old.token, 'access_token')).status).toBe(400);
    expect((await ask(renewed.token, 'access_token')).status).toBe(200);
  });

  it('changes nothing if a file is invalid, and names it', async ({ cleanUp }) => {
    const { folder, agent, ask, published, token, keyFile, previousFile } = await rotating(cleanUp);
    const before = await published();
    for (const [name, file] of [
      ['signing.pem', keyFile],
      ['previous.pem', previousFile],
    ] as const) {
      folder.write(name, 'no key');
      expect(await agent.reload()).toMatchObject({
        ok: false,
        error: expect.stringContaining(`token-exchange: signing-key-file: the file ${file} `),
      });
      expect(await published()).toEqual(before);
      expect((await ask(token(), 'jwt')).status).toBe(200);
    }
  });

  it('reports two files with the same key', async ({ cleanUp }) => {
    const { logger, keyFile, previousFile } = await rotating(cleanUp);
    expect(logger.lines.map(({ message }) => message)).toContain(
      `token-exchange: signing-key-file: the file ${previousFile} holds the same key as the file ${keyFile}, and is ignored`,
    );
  });

  it('does not make a used client assertion valid again', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const clientKey = here.folder.write('client.pem', publicPem(clientPair.publicKey));
    const client = { name: 'robot', 'public-key-file': clientKey, 'allowed-audiences': ['orders'] };
    const { agent, client: caller } = await here.start({ clients: { client } });
    const exp = here.clock.seconds() + 60;
    const claims = { iss: 'robot', sub: 'robot', aud: tokenIssuer, jti: 'j-1', exp };
    const fields = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signToken('ES256', clientPair.privateKey, claims),
    };
    const show = () => caller.exchange(here.token(), fields, { authorization: null });
    expect((await show()).status).toBe(200);
    expect((await show()).status).toBe(401);
    expect((await agent.reload()).ok).toBe(true);
    expect((await show()).status).toBe(401);
  });

  it('does not do so with another issuer or with single sign-on', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const certificateFile = here.folder.write('idp.pem', idpKey().certificatePem);
    const clientKey = here.folder.write('client.pem', publicPem(clientPair.publicKey));
    const clients = { client: { name: 'robot', 'public-key-file': clientKey, 'allowed-audiences': ['orders'] } };
    const spentAssertions = new SpentAssertions(here.clock);
    const block = { clients, 'public-url': tokenIssuer };
    const plain = await here.start(block, {}, { spentAssertions });
    const renamed = await here.start({ ...block, issuer: 'https://other.example' }, {}, { spentAssertions });
    const saml = samlConfig(certificateFile, { 'session-store': 'memory' });
    const withSaml = await here.start(block, saml, { spentAssertions });
    const agents = [plain, renamed, withSaml];
    for (const [index, { client: first }] of agents.entries()) {
      const exp = here.clock.seconds() + 60;
      const claims = { iss: 'robot', sub: 'robot', aud: tokenUrl, jti: `j-${index}`, exp };
      const fields = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signToken('ES256', clientPair.privateKey, claims),
      };
      const show = async (caller: TokenClient) =>
        (await caller.exchange(here.token(), fields, { authorization: null })).status;
      expect(await show(first)).toBe(200);
      for (const { client } of agents) expect(await show(client)).toBe(401);
    }
  });
});

describe('single sign-on beside token exchange', () => {
  it.for([
    ['memory', [200, 200, 401]],
    ['redis', [200, 503, 401]],
  ] as const)('records client assertions in its store only if it is shared: %s', async ([kind, told], { cleanUp }) => {
    const here = place(cleanUp);
    const { clock } = here;
    // Whatever the store is said to be, one id fits into it.
    const full = new MemoryStoreOpener({ replays: 1 });
    const opener: SessionStoreOpener = { open: () => full.open({ kind: 'memory' }) };
    const stores = new SessionStoreLeases({
      opener,
      clock,
      logger: new RecordingLogger(),
      endings: noOtherProcesses,
    });
    const url = kind === 'redis' ? { 'session-store-url': 'redis://127.0.0.1:6379' } : {};
    const certificateFile = here.folder.write('idp.pem', idpKey().certificatePem);
    const clientKey = here.folder.write('client.pem', publicPem(clientPair.publicKey));
    const clients = { client: { name: 'robot', 'public-key-file': clientKey, 'allowed-audiences': ['orders'] } };
    const saml = samlConfig(certificateFile, { 'session-store': kind, ...url });
    const { client } = await here.start({ clients }, saml, { sessions: { stores } });
    const statuses: number[] = [];
    for (const jti of ['j-1', 'j-2', 'j-1']) {
      const claims = { iss: 'robot', sub: 'robot', aud: tokenIssuer, jti, exp: clock.seconds() + 60 };
      const fields = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signToken('ES256', clientPair.privateKey, claims),
      };
      statuses.push((await client.exchange(here.token(), fields, { authorization: null })).status);
    }
    expect(statuses).toEqual(told);
  });

  it('accepts assertions for the token endpoint once, also after a reload', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const certificateFile = here.folder.write('idp.pem', idpKey().certificatePem);
    const saml = samlConfig(certificateFile, { 'session-store': 'memory' });
    const { agent, client } = await here.start({ 'allowed-exchanges': [allowed('saml2')] }, saml);
    const show = (assertion: string) => client.exchange(assertion, { subject_token_type: tokenType('saml2') });
    const assertion = exchangeAssertion(tokenUrl, { nowMs: here.clock.wallMs() });
    const reply = await show(assertion);
    expect(reply.status).toBe(200);
    const { payload } = await verified(client, reply.body['access_token'], here.clock);
    expect(payload).toMatchObject({ sub: 'ada@example.com', aud: 'orders' });
    const again = { status: 400, body: { error: 'invalid_request' } };
    expect(await show(assertion)).toMatchObject(again);
    expect((await agent.reload()).ok).toBe(true);
    expect(await show(assertion)).toMatchObject(again);
    expect((await show(exchangeAssertion(tokenUrl, { nowMs: here.clock.wallMs() }))).status).toBe(200);
    expect((await client.post({}, { path: '/saml/acs' })).body).toMatchObject({ code: 'sign_on_refused' });
  });
});
