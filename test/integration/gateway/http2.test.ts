import { createHash, randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import type {
  ListenerConfiguration,
  RouteConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type Echo, echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { endHeaders, fieldBlock, frame, frameTypes, getRequest } from '../../support/gateway/http2-frames.js';
import { http2Answer, http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { testConfiguration, testLimits, testRoute, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { RawHttp2Client } from '../../support/gateway/raw-http2-client.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { curl } from '../../support/shared/curl.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { decide, type GatewayWithAgents, startGatewayWithAgents } from '../../support/shared/gateway-with-agents.js';

let upstream: HttpUpstream;

it.beforeEach(async ({ cleanUp }) => {
  upstream = await startHttpUpstream((request, response) => {
    if (request.url === '/sum') {
      const hash = createHash('sha256');
      request.on('data', (piece: Buffer) => hash.update(piece));
      request.on('end', () => response.end(hash.digest('hex')));
    } else if (request.url === '/large') response.end(large);
    else if (request.url === '/trailers') {
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('body');
      response.addTrailers({ 'X-Sum': 'abc' });
      response.end();
    } else if (request.url === '/cut') {
      response.write('begun');
      setTimeout(() => response.destroy(), 20);
    } else echo(request, response);
  });
  cleanUp.add(() => upstream.close());
});

const large = randomBytes(5_000_000);

const listeners = (): ListenerConfiguration[] =>
  testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true }));

const matches: RouteConfiguration['matches'] = testRoute().matches;

const start = async (
  cleanUp: CleanUp,
  changes: Parameters<typeof startGatewayWithAgents>[3] = {},
): Promise<GatewayWithAgents> =>
  startGatewayWithAgents(cleanUp, upstream.port, [{ name: 'judge' }], { listeners: listeners(), ...changes });

const session = (cleanUp: CleanUp, gateway: GatewayWithAgents) => http2Session(cleanUp, gateway.url);

describe('an HTTP/2 request through the gateway', () => {
  it('reaches the upstream, and is logged with its version', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const { status, headers, body } = await http2Call(
      session(cleanUp, gateway),
      { ':method': 'POST', ':path': '/a/../b?c', 'x-a': 'ä' },
      'text',
    );
    expect(status).toBe(200);
    expect(headers).toContain('x-correlation-id');
    const seen = JSON.parse(body.toString()) as Echo;
    expect(seen).toMatchObject({ method: 'POST', url: '/b?c', body: 'text' });
    expect(seen.rawHeaders.join('\n').toLowerCase()).toContain(`host\n${gateway.url.slice(7)}`);
    expect(seen.rawHeaders.some((field) => field.startsWith(':'))).toBe(false);
    await eventually(() => gateway.accessRecords.length === 1);
    expect(gateway.accessRecords[0]).toMatchObject({
      protocol: 'HTTP/2.0',
      status: 200,
      method: 'POST',
      requestBytes: 4,
    });
  });

  it('is routed by its authority', async ({ cleanUp }) => {
    const byHost = testRoute({
      id: 'host',
      matches: { ...matches, pathPrefixes: [], hosts: ['b.example'] },
      builtinHandler: 'version',
      upstream: null,
    });
    const gateway = await start(cleanUp, { routes: [byHost] });
    const client = session(cleanUp, gateway);
    expect((await http2Call(client, { ':authority': 'b.example' })).status).toBe(200);
    expect((await http2Call(client, { ':authority': 'a.example' })).status).toBe(404);
    const raw = new RawHttp2Client(gateway.address);
    cleanUp.add(() => raw.socket.destroy());
    raw.send(getRequest(1, [['host', 'b.example']]));
    await eventually(() => gateway.accessRecords.length === 3);
    expect(gateway.accessRecords[2]).toMatchObject({ status: 400, errorType: 'invalid_host' });
  });

  it('is decided by agents, which get its version', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const service = gateway.service();
    const blocked = decide({ kind: 'block', status: 403, body: 'blocked', headers: [] });
    service.answer = () => blocked;
    const answer = await http2Call(session(cleanUp, gateway), { cookie: 'a=1' });
    expect([answer.status, answer.body.toString()]).toEqual([403, 'blocked']);
    const [event] = service.events;
    expect(JSON.stringify(event)).toContain('HTTP/2.0');
    expect(JSON.stringify(event)).not.toContain(':authority');
  });

  it('has limits for its head', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, { limits: { ...testLimits, maxHeaderCount: 10 } });
    const fields = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x-${index}`, '1']));
    expect((await http2Call(session(cleanUp, gateway), fields)).status).toBe(431);
    expect((await http2Call(session(cleanUp, gateway), { ':path': `/${'a'.repeat(9_000)}` })).status).toBe(414);
    expect((await http2Call(session(cleanUp, gateway))).status).toBe(200);
  });

  it('has a limit for its body', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, { limits: { ...testLimits, maxBodySizeBytes: 100_000 } });
    const stream = session(cleanUp, gateway).request({ ':method': 'POST', ':path': '/sum' });
    const answered = http2Answer(stream);
    stream.write(Buffer.alloc(400_000));
    expect((await answered).status).toBe(413);
  });

  it('carries large bodies both ways', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const client = session(cleanUp, gateway);
    const [sum, back] = await Promise.all([
      http2Call(client, { ':method': 'POST', ':path': '/sum' }, large),
      http2Call(client, { ':path': '/large' }),
    ]);
    expect(sum.body.toString()).toBe(createHash('sha256').update(large).digest('hex'));
    expect(back.body.equals(large)).toBe(true);
  });

  it('gets the trailers of the response', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const { body, trailers, code } = await http2Call(session(cleanUp, gateway), {
      ':path': '/trailers',
      te: 'trailers',
    });
    expect([body.toString(), trailers, code]).toEqual(['body', ['x-sum', 'abc'], 0]);
  });

  it('gets a visibly truncated response', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const { status, body, code } = await http2Call(session(cleanUp, gateway), { ':path': '/cut' });
    expect([status, body.toString(), code]).toEqual([200, 'begun', 2]);
  });

  it('for a tunnel is refused', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const client = new RawHttp2Client(gateway.address);
    cleanUp.add(() => client.socket.destroy());
    client.send(
      frame(
        frameTypes.headers,
        endHeaders,
        1,
        fieldBlock([
          [':method', 'CONNECT'],
          [':authority', 'a.example:80'],
        ]),
      ),
    );
    await eventually(() => gateway.accessRecords.length === 1);
    expect(gateway.accessRecords[0]).toMatchObject({ status: 501, errorType: 'method_not_implemented' });
  });

  it('works from curl', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const { status, body } = await curl('--http2-prior-knowledge', '-d', 'text', `${gateway.url}/x`);
    expect([status, (JSON.parse(body) as Echo).body]).toEqual([200, 'text']);
  });
});

it('a reload changes the protocols of new connections', async ({ cleanUp }) => {
  const gateway = await start(cleanUp, { listeners: testConfiguration([]).listeners });
  expect((await curl('--http2-prior-knowledge', gateway.url)).status).toBe(0);
  const changed = testConfiguration([testUpstream(upstream.port)], { listeners: listeners() });
  expect((await gateway.reload(changed)).ok).toBe(true);
  expect((await curl('--http2-prior-knowledge', gateway.url)).status).toBe(200);
});
