import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type AgentAnswer, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { ok } from '../../../src/domain/shared/result.js';
import { textConfiguration } from '../../support/gateway/configured-gateway.js';
import { type InProcessGateway, startInProcess } from '../../support/gateway/in-process-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { ScriptedAgentClient } from '../../support/gateway/scripted-agent-client.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';

const started = async (cleanUp: CleanUp): Promise<RecordingUpstream & { port: number }> => {
  const upstream = new RecordingUpstream();
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  return Object.assign(upstream, { port });
};

const gatewayFor = async (
  cleanUp: CleanUp,
  route: string,
  upstreams: string,
  agent: ScriptedAgentClient | null = null,
): Promise<InProcessGateway> => {
  const agents =
    agent === null
      ? ''
      : 'agents { agent "auth" { transport "embedded"; events "request_headers"; config { api-keys "key:alice" } } }';
  const text = `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "api" { matches { path-prefix "/api" }; ${agent === null ? 'agents #null' : 'agents "auth"'}; ${route} } }
upstreams { ${upstreams} }
${agents}`;
  const gateway = await startInProcess(textConfiguration(text), agent === null ? {} : { createAgent: () => agent });
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const rewrite = 'policies { rewrite { strip-prefix "/api"; add-prefix "/v1" } }';

describe('a route with a rewrite', () => {
  it('rewrites for each side of a split and for its mirror', async ({ cleanUp }) => {
    const [one, other, shadow] = [await started(cleanUp), await started(cleanUp), await started(cleanUp)];
    const gateway = await gatewayFor(
      cleanUp,
      `split { upstream "one" weight=1; upstream "other" weight=1 }; mirror "shadow" { percent 100 }; ${rewrite}`,
      `upstream "one" { target "127.0.0.1:${one.port}" }
       upstream "other" { target "127.0.0.1:${other.port}"; host-header "target" }
       upstream "shadow" { target "127.0.0.1:${shadow.port}" }`,
    );
    for (const upstream of [one, other]) {
      upstream.answer = (request, response) => {
        request.resume();
        response.writeHead(302, { Location: `http://127.0.0.1:${upstream.port}/v1/next` }).end();
      };
    }
    for (let round = 0; round < 30; round += 1) {
      const { headers } = await call(gateway.address.port, { path: '/api/x?q', headers: { Host: 'shop.example' } });
      expect(headers.location).toBe('http://shop.example/api/next');
    }
    expect(one.received.length).toBeGreaterThan(0);
    expect(other.received.length).toBeGreaterThan(0);
    await expect.poll(() => shadow.received.length).toBe(30);
    for (const { received } of [one, other, shadow]) {
      for (const request of received) {
        expect(request.url).toBe('/v1/x?q');
        expect(valuesOf(request, 'x-forwarded-prefix')).toEqual(['/api']);
      }
    }
  });

  it('rewrites the path of a WebSocket, and turns back the cookie of its answer', async ({ cleanUp }) => {
    const upstream = await started(cleanUp);
    const sockets = new WebSocketServer({ server: upstream.server, path: '/v1/live' });
    sockets.on('headers', (headers) => headers.push('Set-Cookie: a=1; Path=/v1'));
    sockets.on('connection', (socket, request) => socket.send(request.url ?? ''));
    const gateway = await gatewayFor(
      cleanUp,
      `upstream "u"; ${rewrite}`,
      `upstream "u" { target "127.0.0.1:${upstream.port}" }`,
    );
    const client = new WebSocket(`ws://127.0.0.1:${gateway.address.port}/api/live`);
    cleanUp.add(() => client.terminate());
    const cookies = new Promise((resolve) => client.once('upgrade', ({ headers }) => resolve(headers['set-cookie'])));
    const message = new Promise((resolve) => client.once('message', (data) => resolve(String(data))));
    expect(await message).toBe('/v1/live');
    expect(await cookies).toEqual(['a=1; Path=/api']);
  });

  it('leaves the cookies of agents and of the balancer as they are', async ({ cleanUp }) => {
    const upstream = await started(cleanUp);
    upstream.answer = (request, response) => {
      request.resume();
      response
        .writeHead(
          302,
          [
            ['Set-Cookie', 'app=1; Path=/'],
            ['Location', '/v1/next'],
          ].flat(),
        )
        .end();
    };
    const agent = new ScriptedAgentClient();
    const session = 'session=1; Path=/; Secure; HttpOnly';
    const answer: AgentAnswer = {
      ...allowAnswer,
      responseHeaders: [{ kind: 'add', name: 'Set-Cookie', value: session }],
    };
    agent.answer = () => ok(answer);
    const gateway = await gatewayFor(
      cleanUp,
      `upstream "u"; ${rewrite}`,
      `upstream "u" { target "127.0.0.1:${upstream.port}"; sticky-cookie { name "stick" } }`,
      agent,
    );
    const { headers } = await call(gateway.address.port, { path: '/api/x' });
    const [app, own, stick] = headers['set-cookie'] ?? [];
    expect([app, own]).toEqual(['app=1; Path=/api', session]);
    expect(stick).toMatch(/^stick=[^;]+; Path=\/;/);
    expect(agent.events.at(0)).toMatchObject({ uri: '/api/x' });
  });

  it('answers a path that it refuses with the CORS fields of the route', async ({ cleanUp }) => {
    const upstream = await started(cleanUp);
    const gateway = await gatewayFor(
      cleanUp,
      'upstream "u"; policies { cors { allow-origins "https://app.example.com" }; allow-encoded-slash #true; rewrite { strip-prefix "/api" } }',
      `upstream "u" { target "127.0.0.1:${upstream.port}" }`,
    );
    for (const path of ['/api/a%2F..%2Fb', '/api/%252e%252e/b']) {
      const { status, headers, body } = await call(gateway.address.port, {
        path,
        headers: { Origin: 'https://app.example.com' },
      });
      expect([status, headers['access-control-allow-origin']]).toEqual([400, 'https://app.example.com']);
      expect(JSON.parse(body)).toMatchObject({ code: 'unsafe_path' });
    }
    expect(upstream.received).toEqual([]);
  });
});
