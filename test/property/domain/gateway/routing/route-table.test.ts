import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { RouteConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import {
  type RoutableRequest,
  type RouteMatches,
  requestSchemes,
} from '../../../../../src/domain/gateway/routing/route-matches.js';
import { compileRouteTable } from '../../../../../src/domain/gateway/routing/route-table.js';
import { findNaively } from '../../../../support/gateway/naive-route-table.js';
import { routableRequest, routeConfiguration } from '../../../../support/gateway/route-configurations.js';

// Small alphabets, so that routes often match requests.
const segment = fc.constantFrom('a', 'b', 'ab', 'aa');
const path = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.boolean())
  .map(([segments, slash]) => `/${segments.join('/')}${slash && segments.length > 0 ? '/' : ''}`);
const pattern = fc.constantFrom(
  ...[
    '^/a',
    '^/a/[ab]+$',
    '/b$',
    'b',
    '^/(a|b)/',
    '^/ab?/',
    '^/a+/b',
    '.',
    '^/[^/]+/b',
    '^/aa|b$',
    '(ab|aa)/b',
    '^/$',
    'x',
  ],
  ...['aa/', '/ab/a', 'a/b/a', '^/a/b', '^/b/.*/aa', '^/b/.*/ab'],
);
const host = fc.constantFrom('x.example', 'y.example', 'a.x.example', 'b.a.x.example', 'example');
const hostPattern = fc.oneof(host, fc.constantFrom('*.example', '*.x.example', '*.a.x.example'));
const method = fc.constantFrom('GET', 'POST', 'get');
const header = fc.constantFrom('X-A', 'x-a', 'X-B');
const parameter = fc.constantFrom('p', 'q');
const scheme = fc.constantFrom(...requestSchemes);
const value = fc.constantFrom('1', '2', '');

/** Usually none or one value of a kind, sometimes several. */
const some = <Value>(one: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Value[]>([]) },
    { weight: 2, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
  );
const named = (name: fc.Arbitrary<string>) => fc.record({ name, value: fc.oneof(value, fc.constant(null)) });

const matches: fc.Arbitrary<RouteMatches> = fc.record({
  paths: some(path),
  pathPrefixes: some(path),
  pathRegexes: some(pattern),
  hosts: some(hostPattern),
  methods: some(method),
  headers: some(named(header)),
  queryParams: some(named(parameter)),
  schemes: some(scheme),
});
const route = fc.tuple(matches, fc.constantFrom(10, 50, 50, 50, 100));
const routes = fc
  .array(route, { maxLength: 30 })
  .map((list): readonly RouteConfiguration[] =>
    list.map(([given, priority], id) => routeConfiguration(`${id}`, given, priority)),
  );

const pairs = (name: fc.Arbitrary<string>) => fc.array(fc.tuple(name, value), { maxLength: 3 });
const request: fc.Arbitrary<RoutableRequest> = fc.record({
  method,
  host: fc.oneof(host, fc.constant(null)),
  path,
  query: fc.oneof(
    fc.constant(null),
    pairs(parameter).map((list) => list.map(([name, text]) => `${name}=${text}`).join('&')),
  ),
  headers: pairs(header).map((list) => list.flat()),
  scheme,
});

describe('the route table', () => {
  it('agrees with a linear search', () => {
    fc.assert(
      fc.property(routes, fc.array(request, { minLength: 1, maxLength: 20 }), (configurations, requests) => {
        const table = compileRouteTable(configurations, re2PathPatterns);
        if (!table.ok) throw new Error(JSON.stringify(table.error));
        for (const asked of requests) {
          const found = table.value.find(asked);
          expect(found?.id ?? null).toBe(findNaively(configurations, asked)?.id ?? null);
          const passed = table.value.passedOver(asked);
          expect(passed.every(({ route, failed }) => route !== found && failed.length > 0)).toBe(true);
          if (found === null) expect(passed.length).toBe(configurations.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with a linear search for many patterns with a common prefix', () => {
    const inner = fc.array(fc.constantFrom('a', 'b', 'ab', '[ab]', '.*', 'a+', '(a|b)', 'b?', '/'), {
      minLength: 1,
      maxLength: 5,
    });
    const alike = fc.tuple(fc.constantFrom('^/', '', '^/a'), inner).map(([start, parts]) => start + parts.join(''));
    fc.assert(
      fc.property(
        fc.array(alike, { minLength: 10, maxLength: 40 }),
        fc.array(path, { maxLength: 20 }),
        (patterns, paths) => {
          const configurations = patterns.map((regex, id) => routeConfiguration(`${id}`, { pathRegexes: [regex] }));
          const table = compileRouteTable(configurations, re2PathPatterns);
          if (!table.ok) throw new Error(JSON.stringify(table.error));
          for (const asked of paths) {
            const wanted = routableRequest(asked);
            expect(table.value.find(wanted)?.id).toBe(findNaively(configurations, wanted)?.id);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
