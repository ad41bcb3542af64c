import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect } from 'vitest';
import type { ListenerConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { testConfiguration, testLimits } from '../../support/gateway/in-process-gateway.js';
import {
  type EchoingUpstream,
  fieldNamesOf,
  fieldsOf,
  type MirroredPlan,
  startEchoing,
  startMirror,
  startMirrored,
} from '../../support/gateway/mirrored-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { decide } from '../../support/shared/gateway-with-agents.js';
import { call } from '../../support/shared/http-call.js';

const start = async (cleanUp: CleanUp, plan: MirroredPlan = {}) => {
  const [main, shadow] = [await startEchoing(cleanUp), await startEchoing(cleanUp)];
  return { main, shadow, gateway: await startMirrored(cleanUp, main.port, shadow.port, plan) };
};

/** Waits for the copy that belongs to the only request so far. */
const copyOf = async (shadow: EchoingUpstream) => {
  await eventually(() => shadow.received.length > 0);
  const [copy] = shadow.received;
  if (copy === undefined) throw new Error('no copy');
  return copy;
};

const credentials = {
  Authorization: 'Bearer a.b.c',
  'Proxy-Authorization': 'Basic eDp5',
  Cookie: 'session=secret',
  'X-API-Key': 'key',
  X_API_Key: 'key',
  DPoP: 'proof',
};

/** What proxies that authenticate users send. */
const fromProxies = {
  'X-Forwarded-Access-Token': 'token',
  'X-Forwarded-User': 'alice',
  'X-Forwarded-Email': 'alice@example.com',
  'X-Forwarded-Groups': 'admins',
  'X-Forwarded-Preferred-Username': 'alice',
  'X-Forwarded-Tls-Client-Cert': 'pem',
  'X-Forwarded-Tls-Client-Cert-Info': 'subject',
};

describe('the copy of a request', () => {
  it('is the request as its upstream gets it, without credentials', async ({ cleanUp }) => {
    const { main, shadow, gateway } = await start(cleanUp);
    const headers = { ...credentials, 'X-Tenant': 'acme', 'X-Mirrored': '0', Accept: 'text/plain' };
    const answer = await call(gateway.port, { path: '/a/../b?c=1', method: 'PUT', headers, body: 'hello' });
    expect(answer.status).toBe(200);
    const copy = await copyOf(shadow);
    const [original] = main.received;
    if (original === undefined) throw new Error('no request');
    expect(copy).toMatchObject({ method: 'PUT', url: '/b?c=1', body: 'hello' });
    expect(fieldsOf(copy, 'x-mirrored')).toEqual(['1']);
    expect(fieldsOf(original, 'x-mirrored')).toEqual(['0']);
    const secret = Object.keys(credentials).map((name) => name.toLowerCase());
    expect(fieldNamesOf(copy)).toEqual(fieldNamesOf(original).filter((name) => !secret.includes(name)));
    for (const name of ['host', 'x-tenant', 'x-forwarded-for', 'x-correlation-id', 'content-length']) {
      expect(fieldsOf(copy, name)).toEqual(fieldsOf(original, name));
    }
    await expect.poll(() => gateway.results()).toEqual({ answered: 1 });
  });

  it('has no identity and no token of a trusted proxy', async ({ cleanUp }) => {
    const [listener] = testConfiguration([]).listeners;
    const { main, shadow, gateway } = await start(cleanUp, {
      changes: { listeners: [{ ...listener, trustedProxies: ['127.0.0.1/32'] } as ListenerConfiguration] },
    });
    await call(gateway.port, { headers: { ...fromProxies, 'X-Forwarded-Port': '443' } });
    const copy = await copyOf(shadow);
    const names = Object.keys(fromProxies).map((name) => name.toLowerCase());
    expect(fieldNamesOf(main.received[0] as never)).toEqual(expect.arrayContaining(names));
    expect(fieldNamesOf(copy).filter((name) => names.includes(name))).toEqual([]);
    expect(fieldsOf(copy, 'x-forwarded-port')).toEqual(['443']);
  });

  it.each([false, true])('has a header that a rule takes from a secret: %s', async (keepsCredentials) => {
    const cleanUp = new CleanUp();
    const value = { parts: ['secret'] };
    const requestHeaders = {
      remove: [],
      set: [
        { name: 'X-Backend-Key', value, isSecret: true },
        { name: 'X-Plain', value },
      ],
      add: [{ name: 'X-Added-Key', value, isSecret: true }],
    };
    const { main, shadow, gateway } = await start(cleanUp, {
      rules: { keepsCredentials },
      route: { policies: { ...plainPolicies, requestHeaders } },
    });
    await call(gateway.port, {});
    const copy = await copyOf(shadow);
    for (const name of ['x-backend-key', 'x-added-key']) {
      expect(fieldsOf(main.received[0] as never, name)).toEqual(['secret']);
      expect(fieldsOf(copy, name)).toEqual(keepsCredentials ? ['secret'] : []);
    }
    expect(fieldsOf(copy, 'x-plain')).toEqual(['secret']);
    await cleanUp.run();
  });

  it('keeps credentials with credentials #true', async ({ cleanUp }) => {
    const { shadow, gateway } = await start(cleanUp, { rules: { keepsCredentials: true } });
    await call(gateway.port, { headers: credentials });
    const copy = await copyOf(shadow);
    const { 'Proxy-Authorization': hopByHop, ...kept } = credentials;
    for (const [name, value] of Object.entries(kept)) expect(fieldsOf(copy, name)).toContain(value);
    expect(JSON.stringify(copy)).not.toContain(hopByHop);
  });

  it('has what agents change, but no identity and no header of API keys', async ({ cleanUp }) => {
    const { main, shadow, gateway } = await start(cleanUp, {
      agents: [{ name: 'judge', config: { 'api-key-header': 'X-Team-Key', 'user-id-header': 'X-Login' } }],
    });
    gateway.service().answer = () => ({
      ...decide({ kind: 'allow' }),
      requestHeaders: [
        { kind: 'set', name: 'X-Plan', value: 'gold' },
        { kind: 'set', name: 'X-Login', value: 'alice' },
        { kind: 'set', name: 'X-User-Id', value: 'alice' },
        { kind: 'set', name: 'X-Auth-Claim-Email', value: 'a@example.com' },
        { kind: 'set', name: 'X-Identity-Token', value: 'signed' },
      ],
    });
    await call(gateway.port, { headers: { 'X-Team-Key': 'k', X_Team_Key: 'k' } });
    const copy = await copyOf(shadow);
    expect(fieldsOf(copy, 'x-plan')).toEqual(['gold']);
    for (const name of ['x-login', 'x-user-id', 'x-auth-claim-email', 'x-identity-token', 'x-team-key', 'x_team_key']) {
      expect(fieldsOf(copy, name)).toEqual([]);
    }
    expect(fieldsOf(main.received[0] ?? copy, 'x-user-id')).toEqual(['alice']);
  });

  it('has the body that an agent makes of it', async ({ cleanUp }) => {
    const { main, shadow, gateway } = await start(cleanUp, { agents: [{ name: 'judge' }] });
    gateway.service().answer = (event) => {
      if (event.kind === 'request_headers') return { ...decide({ kind: 'allow' }), needsMore: true };
      if (event.kind !== 'request_body_chunk') return decide({ kind: 'allow' });
      const { chunkIndex, isLast } = event;
      const requestBodyMutation = { chunkIndex, data: Buffer.from('changed') };
      return { ...decide({ kind: 'allow' }), needsMore: !isLast, requestBodyMutation };
    };
    expect((await call(gateway.port, { method: 'POST', body: 'plain' })).status).toBe(200);
    const copy = await copyOf(shadow);
    expect(copy.body).toContain('changed');
    expect(copy.body).toBe(main.received[0]?.body);
  });

  it('does not exist for a request that an agent refuses', async ({ cleanUp }) => {
    const { shadow, gateway } = await start(cleanUp, { agents: [{ name: 'judge' }] });
    gateway.service().answer = () => decide({ kind: 'block', status: 403, headers: [], body: null });
    expect((await call(gateway.port, { method: 'POST', body: 'x' })).status).toBe(403);
    expect(await gateway.results()).toEqual({});
    expect(shadow.received).toEqual([]);
  });

  it.each([
    ['empty', 0],
    ['of one piece', 100],
    ['of many pieces', 400_000],
    ['of exactly max-body-buffer-bytes', 1_048_576],
  ])('has a body %s, over HTTP/1.1 and HTTP/2, with and without a length', async (_, octets) => {
    const cleanUp = new CleanUp();
    try {
      const { main, shadow, gateway } = await start(cleanUp);
      const body = 'abcdefghij'.repeat(Math.ceil(octets / 10)).slice(0, octets);
      await call(gateway.port, { method: 'POST', headers: { 'Content-Length': octets }, body });
      await call(gateway.port, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body });
      const session = http2Session(cleanUp, gateway.url);
      expect((await http2Call(session, { ':method': 'POST' }, body)).status).toBe(200);
      expect((await http2Call(session, { ':method': 'POST', 'content-length': octets }, body)).status).toBe(200);
      await eventually(() => shadow.received.length === 4);
      for (const copy of [...shadow.received, ...main.received]) expect(copy.body).toBe(body);
      await expect.poll(() => gateway.results()).toEqual({ answered: 4 });
    } finally {
      await cleanUp.run();
    }
  });

  it('exists once, whatever the retries of the request', async ({ cleanUp }) => {
    const { shadow, gateway, main } = await start(cleanUp, {
      main: {
        targets: [
          { address: { host: '127.0.0.1', port: 1 }, weight: 1 },
          { address: { host: '127.0.0.1', port: 1 }, weight: 1 },
        ],
      },
    });
    expect(main.received).toEqual([]);
    expect((await call(gateway.port)).status).toBe(502);
    await expect.poll(() => gateway.results()).toEqual({ answered: 1 });
    expect(shadow.received).toHaveLength(1);
  });

  it('exists with buffered requests', async ({ cleanUp }) => {
    const { main, shadow, gateway } = await start(cleanUp, {
      route: { policies: { ...plainPolicies, bufferRequests: true } },
    });
    const body = 'x'.repeat(300_000);
    await call(gateway.port, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body });
    const copy = await copyOf(shadow);
    expect(copy.body).toBe(body);
    expect(main.received[0]?.body).toBe(body);
  });

  it.each([
    [0, 0, 0],
    [50, 60, 140],
    [100, 200, 200],
  ])('exists for %d percent of the requests', async (percent, atLeast, atMost) => {
    const cleanUp = new CleanUp();
    try {
      const { main, shadow, gateway } = await start(cleanUp, { rules: { percent } });
      for (let count = 0; count < 200; count += 1) await call(gateway.port);
      await eventually(() => gateway.state.requestsInFlight() === 0);
      expect(main.received).toHaveLength(200);
      await expect.poll(() => shadow.received.length).toBeGreaterThanOrEqual(atLeast);
      expect(shadow.received.length).toBeLessThanOrEqual(atMost);
    } finally {
      await cleanUp.run();
    }
  });
});

describe('no copy', () => {
  it.each([
    ['with a length', { 'Content-Length': 5_000 }],
    ['without a length', { 'Transfer-Encoding': 'chunked' }],
  ])('is made of a body above max-body-buffer-bytes %s, which its upstream gets whole', async (_, headers) => {
    const cleanUp = new CleanUp();
    try {
      const { main, shadow, gateway } = await start(cleanUp, {
        changes: { limits: { ...testLimits, maxBodyBufferBytes: 4_096 } },
      });
      const body = 'y'.repeat(5_000);
      expect((await call(gateway.port, { method: 'POST', headers, body })).status).toBe(200);
      expect(main.received[0]?.body).toBe(body);
      expect(await gateway.results()).toEqual({ body_too_large: 1 });
      expect(shadow.received).toEqual([]);
    } finally {
      await cleanUp.run();
    }
  });

  it('is made of an upgrade', async ({ cleanUp }) => {
    const { shadow, gateway } = await start(cleanUp);
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const head = `GET / HTTP/1.1\r\nHost: a\r\n${upgrade.join('\r\n')}\r\n${key}\r\n\r\n`;
    await rawExchange(gateway.address, head, { endsAfter: '}' });
    expect(await gateway.results()).toEqual({});
    expect(shadow.received).toEqual([]);
  });

  it('is made of a request that its upstream does not get', async ({ cleanUp }) => {
    const { shadow, gateway } = await start(cleanUp, {
      main: { targets: [{ address: { host: 'nowhere.invalid', port: 1 }, weight: 1 }] },
    });
    expect((await call(gateway.port, { method: 'POST', body: 'abc' })).status).toBe(502);
    expect(await gateway.results()).toEqual({});
    expect(shadow.received).toEqual([]);
  });

  it('is sent if the client leaves before the end of its body', async ({ cleanUp }) => {
    const { shadow, gateway } = await start(cleanUp);
    const sent = httpRequest({ port: gateway.port, method: 'POST', headers: { 'Content-Length': 100 } });
    sent.on('error', () => undefined);
    sent.write('begun');
    await eventually(() => gateway.state.requestsInFlight() === 1);
    sent.destroy();
    await expect.poll(() => gateway.results()).toEqual({ body_incomplete: 1 });
    expect(shadow.received).toEqual([]);
  });

  it('is sent if the upstream answers without reading the body', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const early = await startMirror(cleanUp, (_, response) => void response.writeHead(413).end('no'));
    const gateway = await startMirrored(cleanUp, early, main.port);
    const sent = httpRequest({ port: gateway.port, method: 'POST', headers: { 'Content-Length': 1_000_000 } });
    sent.on('error', () => undefined);
    sent.write('begun');
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(413);
    response.resume();
    sent.destroy();
    await expect.poll(() => gateway.results()).toEqual({ body_incomplete: 1 });
    expect(main.received).toEqual([]);
  });
});
