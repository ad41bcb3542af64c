import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import {
  askIntrospecting,
  introspectedIssuer,
  introspectedKeys,
  introspectingAgent,
  introspectionResults,
} from '../../../../support/agent/introspecting-agent.js';
import { LiveOidcProvider, opaqueResource } from '../../../../support/agent/live-oidc-provider.js';
import {
  answering,
  type IntrospectionAnswer,
  LyingIntrospection,
} from '../../../../support/agent/lying-introspection.js';
import { requestEvent } from '../../../../support/agent/test-agent.js';
import { signToken } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

describe('opaque tokens of a real provider', () => {
  const provider = new LiveOidcProvider();
  beforeAll(() => provider.start({ kid: 'one', algorithm: 'ES256' }));
  afterAll(() => provider.stop());

  const made = (more: JsonObject = {}) =>
    introspectingAgent(
      provider.introspection,
      {
        issuer: provider.issuer,
        'jwks-url': provider.jwksUrl,
        audience: 'opaque',
        'required-scopes': 'read',
        ...more,
      },
      new ManualClock(Date.now()),
    );

  it('are accepted until they are revoked', async () => {
    const agent = await made();
    const token = await provider.token({ resource: opaqueResource });
    expect(token).not.toContain('.');
    expect(await askIntrospecting(agent, token)).toMatchObject({ status: 200, user: 'orders-service' });
    await provider.revoke(token);
    // The answer is kept for 30 seconds.
    expect((await askIntrospecting(agent, token)).status).toBe(200);
    agent.clock.advance(31_000);
    expect(await askIntrospecting(agent, token)).toMatchObject({ status: 401, reason: 'inactive' });
    expect(introspectionResults(agent)).toEqual({ active: 1, inactive: 1 });
  });

  it('are refused if the provider does not know them, or they are for another audience or lack a scope', async () => {
    const agent = await made();
    expect(await askIntrospecting(agent, 'unknown')).toMatchObject({ status: 401, reason: 'inactive' });
    const weak = await provider.token({ resource: opaqueResource, scope: 'write' });
    expect(await askIntrospecting(agent, weak)).toMatchObject({ status: 403, reason: 'insufficient_scope' });
    const other = await made({ audience: 'other' });
    const token = await provider.token({ resource: opaqueResource });
    expect(await askIntrospecting(other, token)).toMatchObject({ status: 401, reason: 'wrong_audience' });
  });

  it('are 503 if the provider does not accept the client', async () => {
    const agent = await introspectingAgent({ ...provider.introspection, 'client-secret': 'wrong' });
    expect(await askIntrospecting(agent, 'token')).toMatchObject({ status: 503, reason: 'introspection_unavailable' });
    expect(introspectionResults(agent)).toEqual({ failure: 1 });
  });
});

describe('introspection', () => {
  const endpoint = new LyingIntrospection();
  beforeAll(() => endpoint.start());
  afterAll(() => endpoint.stop());
  beforeEach(() => {
    endpoint.asked.length = 0;
    endpoint.faults.length = 0;
    endpoint.answer = answering({ active: true, sub: 'carol', aud: 'api' });
  });
  afterEach(() => expect(endpoint.faults).toEqual([]));

  it.each<[string, IntrospectionAnswer]>([
    ['answers late', () => undefined],
    [
      'sends a head and no end',
      (response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"active":true'),
    ],
    ['closes the connection', (_response, _form, request) => void request.socket.destroy()],
    [
      'sends 10 MB',
      (response) => {
        response.setHeader('Content-Type', 'application/json');
        response.write('{"active":true,"sub":"carol","aud":"api","x":"');
        response.end(`${'x'.repeat(10 * 1024 * 1024)}"}`);
      },
    ],
    [
      'sends 64 KiB and one octet',
      (response) => {
        const text = '{"active":true,"sub":"carol","aud":"api"}';
        response.setHeader('Content-Type', 'application/json').end(text.padEnd(64 * 1024 + 1));
      },
    ],
    ['redirects', (response) => void response.writeHead(302, { Location: endpoint.url }).end()],
    [
      'redirects with a body',
      (response, form, request) => {
        response.statusCode = 307;
        response.setHeader('Location', '/introspect');
        answering({ active: true, sub: 'carol', aud: 'api' })(response, form, request);
      },
    ],
    [
      'answers 401',
      (response) => void response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"active":true}'),
    ],
    [
      'answers in HTML',
      (response) => void response.setHeader('Content-Type', 'text/html').end('{"active":true,"sub":"carol"}'),
    ],
    [
      'answers with a JWT',
      (response) => void response.setHeader('Content-Type', 'application/token-introspection+jwt').end('e30.e30.'),
    ],
    ['names no type', (response) => void response.end('{"active":true,"sub":"carol","aud":"api"}')],
    [
      'answers a list',
      (response) => void response.setHeader('Content-Type', 'application/json').end('[{"active":true}]'),
    ],
    ['says active in a string', answering({ active: 'true', sub: 'carol', aud: 'api' })],
    ['says active in a number', answering({ active: 1, sub: 'carol', aud: 'api' })],
    ['does not say active', answering({ sub: 'carol', aud: 'api' })],
    [
      'says active twice',
      (response) =>
        void response
          .setHeader('Content-Type', 'application/json')
          .end('{"active":false,"active":true,"sub":"carol","aud":"api"}'),
    ],
    [
      'says sub twice',
      (response) =>
        void response
          .setHeader('Content-Type', 'application/json')
          .end('{"active":true,"sub":"carol","sub":"mallory","aud":"api"}'),
    ],
    [
      'answers compressed',
      (response) =>
        void response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end('x'),
    ],
  ])('is 503 if the endpoint %s, and is asked again', async (_, answer) => {
    const agent = await introspectingAgent(endpoint.block);
    endpoint.answer = answer;
    const failed = await askIntrospecting(agent, 'opaque');
    expect(failed).toMatchObject({ status: 503, reason: 'introspection_unavailable' });
    expect(JSON.stringify(failed.answer.decision)).toContain('Retry-After');
    endpoint.answer = answering({ active: true, sub: 'carol', aud: 'api' });
    expect(await askIntrospecting(agent, 'opaque')).toMatchObject({ status: 200, user: 'carol' });
    expect(introspectionResults(agent)).toEqual({ failure: 1, active: 1 });
  });

  it.each<[JsonObject, string, number]>([
    [{ active: false }, 'inactive', 401],
    [{ active: true, aud: 'api' }, 'unusable_subject', 401],
    [{ active: true, aud: 'api', sub: ' carol' }, 'unusable_subject', 401],
    [{ active: true, sub: 'carol' }, 'wrong_audience', 401],
    [{ active: true, sub: 'carol', aud: ['other'] }, 'wrong_audience', 401],
    [{ active: true, sub: 'carol', aud: 'api', iss: 'https://other.example' }, 'wrong_issuer', 401],
    [{ active: true, sub: 'carol', aud: 'api', exp: 1 }, 'expired', 401],
    [{ active: true, sub: 'carol', aud: 'api', exp: '4000000000' }, 'malformed', 401],
    [{ active: true, sub: 'carol', aud: 'api', nbf: 4_000_000_000 }, 'not_yet_valid', 401],
    [{ active: true, sub: 'carol', aud: 'api', token_type: 'refresh_token' }, 'wrong_type', 401],
    [{ active: true, sub: 'carol', aud: 'api', typ: 'Refresh' }, 'wrong_type', 401],
    [{ active: true, sub: 'carol', aud: 'api', cnf: {} }, 'unknown_confirmation', 401],
    [{ active: true, sub: 'carol', aud: 'api', cnf: { other: 'x' } }, 'unknown_confirmation', 401],
    [
      { active: true, sub: 'carol', aud: 'api', cnf: { 'x5t#S256': createHash('sha256').digest('base64url') } },
      'missing_certificate',
      401,
    ],
    [{ active: true, sub: 'carol', aud: 'api', scope: 'write' }, 'insufficient_scope', 403],
  ])('refuses %j as %s', async (members, reason, status) => {
    const agent = await introspectingAgent(
      endpoint.block,
      reason === 'insufficient_scope' ? { 'required-scopes': 'read' } : {},
    );
    endpoint.answer = answering(members);
    expect(await askIntrospecting(agent, 'opaque')).toMatchObject({ status, reason });
    endpoint.answer = answering({ active: true, sub: 'carol', aud: 'api', scope: 'read' });
    agent.clock.advance(4_000);
    expect(await askIntrospecting(agent, 'opaque')).toMatchObject({ status, reason });
    if (reason === 'missing_certificate') return;
    agent.clock.advance(1_001);
    expect(await askIntrospecting(agent, 'opaque')).toMatchObject({ status: 200 });
    expect(endpoint.asked).toEqual(['opaque', 'opaque']);
  });

  it('keeps an active token until it expires, at most for cache-secs', async () => {
    const agent = await introspectingAgent({ ...endpoint.block, 'cache-secs': 60 });
    const nowSecs = Math.floor(agent.clock.wallMs() / 1000);
    endpoint.answer = answering({ active: true, sub: 'carol', aud: 'api', iss: introspectedIssuer, exp: nowSecs + 20 });
    expect((await askIntrospecting(agent, 'opaque')).status).toBe(200);
    agent.clock.advance(19_000);
    expect((await askIntrospecting(agent, 'opaque')).status).toBe(200);
    expect(endpoint.asked).toHaveLength(1);
    agent.clock.advance(1_000);
    endpoint.answer = answering({ active: false });
    expect((await askIntrospecting(agent, 'opaque')).status).toBe(401);
  });

  it('asks each time with cache-secs 0', async () => {
    const agent = await introspectingAgent({ ...endpoint.block, 'cache-secs': 0 });
    for (let time = 0; time < 3; time += 1) expect((await askIntrospecting(agent, 'opaque')).status).toBe(200);
    expect(endpoint.asked).toHaveLength(3);
  });

  it('asks once for concurrent requests with one token', async () => {
    const agent = await introspectingAgent(endpoint.block);
    const answers = await Promise.all(Array.from({ length: 100 }, () => askIntrospecting(agent, 'opaque')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(endpoint.asked).toHaveLength(1);
  });

  it('has 64 calls at a time, and is 503 for more', async () => {
    const agent = await introspectingAgent(endpoint.block);
    endpoint.answer = () => undefined;
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, index) => askIntrospecting(agent, `opaque-${index}`)),
    );
    expect(answers.every(({ status }) => status === 503)).toBe(true);
    expect(endpoint.asked).toHaveLength(64);
    expect(introspectionResults(agent)).toEqual({ failure: 64, overloaded: 6 });
  });

  it('has 256 requests that wait for one question, and is 503 for more', async () => {
    const agent = await introspectingAgent(endpoint.block);
    endpoint.answer = (response, form, request) =>
      void setTimeout(() => answering({ active: true, sub: 'carol', aud: 'api' })(response, form, request), 300);
    const answers = await Promise.all(Array.from({ length: 300 }, () => askIntrospecting(agent, 'opaque')));
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(44);
    expect(endpoint.asked).toHaveLength(1);
    expect(introspectionResults(agent)).toEqual({ active: 1, overloaded: 44 });
  });

  it('never asks about a JWT, whatever is wrong with it', async () => {
    const agent = await introspectingAgent(endpoint.block);
    const claims = { iss: introspectedIssuer, sub: 'carol', aud: 'api', exp: 4_000_000_000 };
    const good = signToken('ES256', introspectedKeys.privateKey, claims, { kid: 'one' });
    expect(await askIntrospecting(agent, good)).toMatchObject({ status: 200, user: 'carol' });
    const tokens = [
      signToken('ES256', introspectedKeys.privateKey, { ...claims, exp: 1 }, { kid: 'one' }),
      signToken('ES256', introspectedKeys.privateKey, { ...claims, iss: 'https://other.example' }, { kid: 'one' }),
      signToken('HS256', 'a-secret-of-more-than-thirty-two-octets', claims),
      `${good.slice(0, -4)}AAAA`,
    ];
    for (const token of tokens) expect((await askIntrospecting(agent, token)).status).toBe(401);
    expect(endpoint.asked).toEqual([]);
  });

  it('is for the places of its block too', async () => {
    const agent = await introspectingAgent(endpoint.block, { 'token-header': 'X-Token', 'token-cookie': 'token' });
    const decide = async (...headers: string[]) => {
      const answer = await agent.agent.decide({ ...requestEvent(headers), method: 'POST' }, Symbol());
      return answer.decision.kind === 'block' ? answer.decision.status : 200;
    };
    expect(await decide('X-Token', 'opaque')).toBe(200);
    expect(await decide('Cookie', 'token=opaque')).toBe(200);
    expect(await decide('Cookie', 'token=opaque', 'Host', 'a.example', 'Origin', 'https://evil.example')).toBe(403);
  });

  it('logs a failure once in ten seconds, without the token or the answer', async () => {
    const agent = await introspectingAgent({
      ...endpoint.block,
      url: `${endpoint.url}?key=hidden`.replace('?key=hidden', ''),
    });
    endpoint.answer = answering({ active: 'a-secret-of-the-answer' });
    for (const token of ['opaque-1', 'opaque-2']) await askIntrospecting(agent, token);
    const lines = agent.logger.lines.filter(({ message }) => message === 'a token could not be introspected');
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/opaque|a-secret/);
    expect(JSON.stringify(lines)).toContain('\\"active\\" is not a boolean');
  });
});
