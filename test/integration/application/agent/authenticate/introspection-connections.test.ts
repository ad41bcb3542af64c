import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  askIntrospecting,
  introspectingAgent,
  introspectionResults,
} from '../../../../support/agent/introspecting-agent.js';
import { answering, LyingIntrospection } from '../../../../support/agent/lying-introspection.js';
import type { TestAgent } from '../../../../support/agent/test-agent.js';

describe('connections to an introspection endpoint', () => {
  const endpoint = new LyingIntrospection();
  const honest = answering({ active: true, sub: 'carol', aud: 'api' });
  beforeAll(() => endpoint.start());
  afterAll(() => endpoint.stop());
  beforeEach(() => {
    endpoint.answer = honest;
  });

  const askAll = async (agent: TestAgent, tokens: readonly string[]) =>
    new Set((await Promise.all(tokens.map((token) => askIntrospecting(agent, token)))).map(({ status }) => status));

  it('stay open between calls, at most 64', async () => {
    const agent = await introspectingAgent(endpoint.block);
    for (let call = 0; call < 20; call += 1) expect((await askIntrospecting(agent, `opaque-${call}`)).status).toBe(200);
    expect(endpoint.connections).toBeLessThanOrEqual(4);
    for (const crowd of ['one', 'two', 'three']) {
      const tokens = Array.from({ length: 64 }, (_, index) => `${crowd}-${index}`);
      expect(await askAll(agent, tokens)).toEqual(new Set([200]));
    }
    expect(endpoint.connections).toBeLessThanOrEqual(64);
  });

  it('are replaced if the endpoint closes them while idle, or with the next request', async () => {
    const agent = await introspectingAgent(endpoint.block);
    for (let time = 0; time < 3; time += 1) {
      expect((await askIntrospecting(agent, `idle-${time}`)).status).toBe(200);
      endpoint.endIdleConnections();
    }
    const used = new WeakSet<object>();
    let closed = 0;
    endpoint.answer = (response, form, request) => {
      if (!used.has(request.socket)) {
        used.add(request.socket);
        honest(response, form, request);
        return;
      }
      closed += 1;
      request.socket.destroy();
    };
    for (let time = 0; time < 10; time += 1) expect((await askIntrospecting(agent, `used-${time}`)).status).toBe(200);
    expect(closed).toBeGreaterThan(0);
    expect(introspectionResults(agent)).toEqual({ active: 13 });
  });

  it('never takes the rest of one answer for another', async () => {
    const agent = await introspectingAgent(endpoint.block);
    endpoint.answer = (response, form, request) => {
      const body = JSON.stringify({
        active: true,
        sub: form.get('token') === 'evil' ? 'mallory' : 'carol',
        aud: 'api',
      });
      const head = (text: string) =>
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
      const second = JSON.stringify({ active: true, sub: 'root', aud: 'api' });
      if (form.get('token') === 'evil') request.socket.write(head(body) + head(second));
      else response.setHeader('Content-Type', 'application/json').end(body);
    };
    expect(await askIntrospecting(agent, 'evil')).toMatchObject({ status: 200, user: 'mallory' });
    for (const token of ['one', 'two', 'three']) expect((await askIntrospecting(agent, token)).user).not.toBe('root');
  });
});
