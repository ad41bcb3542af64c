import { describe, expect } from 'vitest';
import { agentContainer, startAgent } from '../../../src/bootstrap/agent/start-agent.js';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const page = 'docs/guides/agents.md';
const folder = temporaryFolder();
const upstream = new RecordingUpstream();
let running: DocumentedGateway;
let upstreamPort: number;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => folder.remove());
  cleanUp.add(() => upstream.close());
  upstreamPort = await upstream.listen();
  running = await startDocumented(cleanUp, mainExample(page), {
    ports: { 3001: upstreamPort },
    texts: {
      '/run/portcullis/partners.sock': folder.file('partners.sock'),
      '/run/secrets/partners': folder.write('partners', 'acme:the-password\n'),
    },
    environment: { API_KEYS: 'the-key:reports' },
  });
});

const forged = { 'X-User-Id': 'root', x_caller: 'root', 'X.Auth.Method': 'root', 'X-Auth-Claim-Role': 'root' };
const key = { 'X-API-Key': 'the-key' };
const password = { Authorization: `Basic ${Buffer.from('acme:the-password').toString('base64')}` };
const code = (body: string): string => JSON.parse(body).code;
const last = () => {
  const request = upstream.received.at(-1);
  if (request === undefined) throw new Error('the upstream has got nothing');
  return request;
};

/** These build on each other: the second agent comes, goes and comes again. */
describe('the guide to agents', () => {
  it('describes the first agent', async () => {
    const refused = await running.ask(8080, { path: '/api', headers: forged });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="gateway"']);
    expect(upstream.received).toEqual([]);
    expect((await running.ask(8080, { path: '/api', headers: { ...forged, ...key } })).status).toBe(200);
    expect(valuesOf(last(), 'X-Caller')).toEqual(['reports']);
    expect(valuesOf(last(), 'X-Auth-Method')).toEqual(['api_key']);
    expect(valuesOf(last(), 'X-API-Key')).toEqual([]);
    expect(last().rawHeaders).not.toContain('root');
  });

  it('says that a route without agents checks nothing, and still removes identity headers', async () => {
    const headers = { ...forged, 'X-Partner': 'root', 'X-Client-Cert': 'root', 'X-Other': 'other' };
    expect((await running.ask(8080, { path: '/', headers })).status).toBe(200);
    expect(last().rawHeaders).not.toContain('root');
    expect(valuesOf(last(), 'X-Other')).toEqual(['other']);
    await running.ask(8080, { path: '/api', headers: { ...key, 'X-Partner': 'root' } });
    expect(valuesOf(last(), 'X-Partner')).toEqual([]);
  });

  it('shows the route that passes identity headers of clients', async ({ cleanUp }) => {
    const example = fencedBlocks(documentationPage(page)).find(({ text }) => text.includes('forward-identity-headers'));
    const text = `listeners { listener "http" { address "127.0.0.1:8080" } }\n${example?.text}`;
    const other = await startDocumented(cleanUp, text, { ports: { 3001: upstreamPort } });
    await other.ask(8080, { path: '/internal', headers: forged });
    expect(valuesOf(last(), 'X-User-Id')).toEqual(['root']);
    await other.ask(8080, { path: '/', headers: forged });
    expect(valuesOf(last(), 'X-User-Id')).toEqual([]);
  });

  it('describes an absent agent', async () => {
    const before = upstream.received.length;
    const { status, headers, body } = await running.ask(8080, { path: '/partners', headers: { ...key, ...password } });
    expect([status, headers['retry-after'], code(body)]).toEqual([503, '1', 'agent_unavailable']);
    expect(body).toContain('partners');
    expect(upstream.received).toHaveLength(before);
    expect(running.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'Agent unreachable' }),
    );
  });

  it('says that an agent is found, and found again, with its config', async () => {
    for (let run = 0; run < 2; run += 1) {
      const agent = await startAgent(agentContainer(new RecordingLogger()), {
        overrides: { socket: folder.file('partners.sock') },
        block: {},
      });
      if (!agent.ok) throw new Error(JSON.stringify(agent.error));
      const headers = { ...forged, ...key, ...password, 'X-PARTNER': 'root' };
      const answer = expect.poll(async () => (await running.ask(8080, { path: '/partners', headers })).status, {
        timeout: 15_000,
      });
      await answer.toBe(200);
      expect(valuesOf(last(), 'X-Caller')).toEqual(['reports']);
      expect(valuesOf(last(), 'X-Partner')).toEqual(['acme']);
      expect(valuesOf(last(), 'X-Auth-Method')).toEqual(['basic']);
      expect(last().rawHeaders).not.toContain('root');
      expect((await running.ask(8080, { path: '/partners', headers: key })).status).toBe(401);
      await agent.value.stop();
      expect((await running.ask(8080, { path: '/partners', headers })).status).toBe(503);
    }
  });
});
