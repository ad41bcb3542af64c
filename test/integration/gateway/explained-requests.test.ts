import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { splitUrl } from '../../../src/application/whole/explain-request/described-request.js';
import { explainRoute } from '../../../src/application/whole/explain-request/explain-request.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { requestSchemes } from '../../../src/domain/gateway/routing/route-matches.js';
import { startInProcess, testConfiguration, testRoute } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { it } from '../../support/shared/fixtures.js';

const path = fc.constantFrom('/', '/a', '/a/b', '/b', '/a/', '/ab', '/a%2Fb');
const host = fc.constantFrom('a.example', 'b.a.example', 'c.example');
const method = fc.constantFrom('GET', 'POST', 'OPTIONS');
const some = <Value>(one: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.oneof(fc.constant<Value[]>([]), fc.array(one, { minLength: 1, maxLength: 2 }));
const named = fc.record({ name: fc.constantFrom('X-A', 'X-B'), value: fc.constantFrom('1', null) });
const cors = fc.constantFrom(null, {
  allowOrigins: ['*'],
  allowMethods: ['GET', 'POST'],
  allowHeaders: [],
  exposeHeaders: [],
  allowCredentials: false,
  maxAgeSecs: 600,
});

/** Routes that answer with their name. */
const routes = fc
  .array(
    fc.record({
      matches: fc.record({
        paths: some(fc.constantFrom('/a', '/a/b', '/b')),
        pathPrefixes: some(fc.constantFrom('/', '/a', '/a/')),
        pathRegexes: some(fc.constantFrom('^/a', 'b$')),
        hosts: some(fc.constantFrom('a.example', '*.example', '*.a.example')),
        methods: some(method),
        headers: some(named),
        queryParams: some(fc.record({ name: fc.constant('q'), value: fc.constantFrom('1', null) })),
        schemes: some(fc.constantFrom(...requestSchemes)),
      }),
      priority: fc.constantFrom(50, 50, 100),
      cors,
      allowEncodedSlash: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list): readonly RouteConfiguration[] =>
    list.map(({ matches, priority, cors: policy, allowEncodedSlash }, index) => {
      const { policies } = testRoute();
      return testRoute({
        id: `r${index}`,
        priority,
        matches,
        upstream: null,
        respond: { status: 200, contentType: 'text/plain', body: { kind: 'text', text: `r${index}` } },
        policies: { ...policies, cors: policy, path: { ...policies.path, allowEncodedSlash } },
      });
    }),
  );

const request = fc.record({
  method,
  host,
  path,
  query: fc.constantFrom('', '?q=1', '?q', '?x'),
  headers: fc.subarray([
    ['X-A', '1'],
    ['X-B', '2'],
    ['X-Forwarded-Proto', 'https'],
    ['Origin', 'https://app.example'],
    ['Access-Control-Request-Method', 'POST'],
  ]),
});

describe('an explanation', () => {
  it('names the route and the status of the running gateway', { timeout: 120_000 }, async ({ cleanUp }) => {
    const [main] = testConfiguration([]).listeners;
    const of = (list: readonly RouteConfiguration[]): GatewayConfiguration =>
      testConfiguration([], {
        routes: list,
        listeners: main === undefined ? [] : [{ ...main, trustedProxies: ['127.0.0.1'] }],
      });
    const gateway = await startInProcess(of([testRoute({ upstream: null, builtinHandler: 'health' })]));
    cleanUp.add(() => gateway.stop());
    let routed = 0;
    await fc.assert(
      fc.asyncProperty(routes, fc.array(request, { minLength: 4, maxLength: 8 }), async (list, requests) => {
        const configuration = of(list);
        expect((await gateway.reload(configuration)).ok).toBe(true);
        for (const asked of requests) {
          const lines = asked.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
          const head = `${asked.method} ${asked.path}${asked.query} HTTP/1.1\r\nHost: ${asked.host}\r\n${lines}`;
          const answer = await rawExchange(gateway.address, `${head}Connection: close\r\n\r\n`);
          const url = splitUrl(`http://${asked.host}${asked.path}${asked.query}`);
          if (url === null) throw new Error('no URL');
          const { route, passed, refusal, steps } = explainRoute(
            configuration,
            { method: asked.method, url, headers: asked.headers.flat(), peerAddress: '127.0.0.1' },
            re2PathPatterns,
          );
          const record = gateway.accessRecords.at(-1);
          expect([head, route?.id ?? null]).toEqual([head, record?.route ?? null]);
          expect(refusal?.status ?? (steps[0]?.step === 'preflight' ? 204 : 200)).toBe(answer.status);
          expect(passed.every(({ failed }) => failed.length > 0)).toBe(true);
          if (answer.status === 200) expect(answer.body).toBe(route?.id);
          routed += route === null ? 0 : 1;
        }
      }),
      { numRuns: 60 },
    );
    expect(routed).toBeGreaterThan(50);
  });
});
