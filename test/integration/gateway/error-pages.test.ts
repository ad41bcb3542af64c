import { describe, expect } from 'vitest';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ok } from '../../../src/domain/shared/result.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { ScriptedAgentClient } from '../../support/gateway/scripted-agent-client.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call, type HttpAnswer } from '../../support/shared/http-call.js';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const policy = expect.stringMatching(/^default-src 'none'; /);

const ask = (gateway: InProcessGateway, path: string, headers = {}, method = 'GET'): Promise<HttpAnswer> =>
  call(gateway.address.port, { path, method, headers });

describe('an error of the gateway', () => {
  it('is a page for a browser, and a problem document for others', async ({ cleanUp }) => {
    const gateway = await startInProcess(testConfiguration([testUpstream(await freePort())]));
    cleanUp.add(() => gateway.stop());
    const page = await ask(gateway, '/a', browser);
    expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      vary: 'Accept',
      'content-security-policy': policy,
    });
    expect(page.body).toContain(String(page.headers['x-correlation-id']));
    expect(page.body).toContain('Try again in a few minutes.');
    const problem = await ask(gateway, '/a');
    expect([problem.status, problem.headers['content-type']]).toEqual([502, 'application/problem+json']);
    expect(problem.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept' });
    expect(problem.headers).not.toHaveProperty('content-security-policy');
    expect(JSON.parse(problem.body)).toMatchObject({ status: 502, code: 'upstream_unreachable' });
  });

  it('has no body for HEAD, with the length of the page', async ({ cleanUp }) => {
    const gateway = await startInProcess(testConfiguration([testUpstream(await freePort())]));
    cleanUp.add(() => gateway.stop());
    const page = await ask(gateway, '/a', browser);
    const head = await ask(gateway, '/a', browser, 'HEAD');
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(page.headers['content-length']);
  });

  it('escapes what the client sent', async ({ cleanUp }) => {
    const gateway = await startInProcess(testConfiguration([testUpstream(await freePort())]));
    cleanUp.add(() => gateway.stop());
    const id = '<script>alert(1)</script>';
    const { body } = await ask(gateway, '/<script>?<script>', { ...browser, 'X-Correlation-Id': id });
    expect(body).not.toContain('<script');
  });
});

describe('a template of error pages', () => {
  it('replaces the page of the gateway; that of a route replaces it for the route', async ({ cleanUp, folder }) => {
    const errorPageFile = folder.write('all.html', '<h1>All: {status} {title}</h1>');
    const own = folder.write('own.html', '<h1>Own: {status} {detail} {correlation_id}</h1>');
    const configuration = (changes: Partial<GatewayConfiguration> = {}) =>
      testConfiguration([testUpstream(1)], {
        errorPageFile,
        routes: [
          testRoute({ id: 'one', matches: { ...testRoute().matches, pathPrefixes: ['/one'] } }),
          testRoute({
            id: 'two',
            matches: { ...testRoute().matches, pathPrefixes: ['/two'] },
            policies: { ...plainPolicies, errorPageFile: own },
          }),
        ],
        ...changes,
      });
    const gateway = await startInProcess(configuration());
    cleanUp.add(() => gateway.stop());
    const headers = { ...browser, 'X-Correlation-Id': 'c-77' };
    expect((await ask(gateway, '/one', headers)).body).toBe('<h1>All: 502 The upstream cannot be reached</h1>');
    expect((await ask(gateway, '/two', headers)).body).toMatch(/^<h1>Own: 502 .* c-77<\/h1>$/);
    expect((await ask(gateway, '/none', headers)).body).toBe('<h1>All: 404 No route matches</h1>');
    folder.write('all.html', '<h1>Changed</h1>');
    expect((await gateway.reload(configuration())).ok).toBe(true);
    expect((await ask(gateway, '/none', headers)).body).toBe('<h1>Changed</h1>');
  });

  it('is refused at load with its place, and the configuration in force stays', async ({ cleanUp, folder }) => {
    const errorPageFile = folder.write('all.html', '<h1>Works</h1>');
    const gateway = await startInProcess(testConfiguration([testUpstream(1)], { errorPageFile }));
    cleanUp.add(() => gateway.stop());
    const broken = folder.write('broken.html', '<h1>{secret}</h1>');
    const large = folder.write('large.html', 'x'.repeat(65_537));
    const empty = folder.write('empty.html', ' \n');
    for (const [file, reason] of [
      [empty, `error-pages: template-file ${empty} is empty`],
      [broken, `error-pages: template-file ${broken} is no template: "{secret}" is not a placeholder`],
      [large, `error-pages: template-file ${large} is larger than 65536 bytes`],
      ['/nowhere.html', 'error-pages: template-file /nowhere.html cannot be read: it does not exist'],
    ] as const) {
      const reloaded = await gateway.reload(testConfiguration([testUpstream(1)], { errorPageFile: file }));
      expect(reloaded.ok ? [] : reloaded.error.problems.map(({ message }) => message)).toEqual([
        expect.stringContaining(reason),
      ]);
    }
    expect((await ask(gateway, '/a', browser)).body).toBe('<h1>Works</h1>');
  });
});

describe('a refusal by an agent', () => {
  const refusing = async (body: string, type: string, headers: readonly string[] = []): Promise<InProcessGateway> =>
    startInProcess(
      testConfiguration([testUpstream(1)], { agents: [testAgent('auth')], routes: [testRoute({ agents: ['auth'] })] }),
      {
        createAgent: () => {
          const agent = new ScriptedAgentClient();
          const decision = { kind: 'block', status: 401, body, headers: ['Content-Type', type, ...headers] } as const;
          agent.answer = () => ok({ ...allowAnswer, decision });
          return agent;
        },
      },
    );
  const document = JSON.stringify({ title: 'Unauthorized', status: 401, detail: 'The request has <no> credential.' });

  it('is a page for a browser, with the challenge of the agent', async ({ cleanUp }) => {
    const gateway = await refusing(document, 'application/problem+json', [
      'WWW-Authenticate',
      'Bearer',
      'Vary',
      'Origin',
    ]);
    cleanUp.add(() => gateway.stop());
    const page = await ask(gateway, '/a', browser);
    expect(page.status).toBe(401);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'www-authenticate': 'Bearer',
      vary: 'Origin, Accept',
      'cache-control': 'no-store',
      'content-security-policy': policy,
    });
    expect(page.body).toContain('The request has &lt;no&gt; credential.');
    expect(page.body).toContain('Sign in, then open this page again.');
    expect((await ask(gateway, '/a', { Accept: 'application/json' })).body).toBe(document);
  });

  it.for([
    ['<h1>Own page</h1>', 'text/html'],
    ['{"title":"t","detail":"d"}', 'application/json'],
    ['not JSON', 'application/problem+json'],
    ['{"title":1,"detail":"d"}', 'application/problem+json'],
  ] as const)('keeps a body of its own: %s', async ([body, type], { cleanUp }) => {
    const gateway = await refusing(body, type);
    cleanUp.add(() => gateway.stop());
    const answer = await ask(gateway, '/a', browser);
    expect([answer.body, answer.headers['content-type']]).toEqual([body, type]);
  });
});
