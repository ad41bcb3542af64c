import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { MatchedRoute } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { encodedPathFault } from '../../../../../src/application/gateway/proxy-request/stages/check-encoded-path.js';
import type { RouteConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { compileRouteTable } from '../../../../../src/domain/gateway/routing/route-table.js';
import { normalisePath } from '../../../../../src/domain/http/path-normalisation.js';
import { clientPaths } from '../../../../support/gateway/client-paths.js';
import { plainPolicies } from '../../../../support/gateway/plain-configurations.js';
import { routableRequest, routeConfiguration } from '../../../../support/gateway/route-configurations.js';

const prefixes = ['/', '/api', '/api/v1', '/a', '/x', '/old', '/api/a', '/B'];

/** A route for each prefix, each with agents and the policy of this test. */
const tables = fc.uniqueArray(
  fc.record({
    prefix: fc.constantFrom(...prefixes),
    agents: fc.subarray(['auth', 'waf']),
    allowEncodedSlash: fc.boolean(),
  }),
  { selector: ({ prefix }) => prefix, minLength: 1, maxLength: 6 },
);

const configured = (routes: readonly { prefix: string; agents: readonly string[]; allowEncodedSlash: boolean }[]) =>
  routes.map(
    ({ prefix, agents, allowEncodedSlash }): RouteConfiguration => ({
      ...routeConfiguration(prefix, { pathPrefixes: [prefix] }),
      agents,
      policies: { ...plainPolicies, path: { ...plainPolicies.path, allowEncodedSlash } },
    }),
  );

const decoded = (text: string): string =>
  text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, octet) => String.fromCharCode(Number.parseInt(octet, 16)));

/** The segments that a server reads which knows every separator, drops parameters and resolves dots. */
const segmentsRead = (path: string): readonly string[] => {
  const segments: string[] = [];
  for (const segment of path.split(/[/\\]/).map((name) => name.replace(/;.*/s, ''))) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
};

const takes = (prefix: string, segments: readonly string[]): boolean =>
  prefix
    .split('/')
    .filter((name) => name !== '')
    .every((name, index) => segments[index] === name);

describe('encodedPathFault', () => {
  it('lets no path pass that an upstream reads as one of a route with other agents', () => {
    fc.assert(
      fc.property(tables, clientPaths, (routes, raw) => {
        const path = normalisePath(raw, 'keep');
        // Parameters hide segments on every route; that is not about encoded separators.
        if (!path.ok || /;|%3B/i.test(raw)) return;
        const table = compileRouteTable(configured(routes), re2PathPatterns);
        if (!table.ok) throw new Error(JSON.stringify(table.error));
        const find = (asked: string): MatchedRoute | undefined => {
          const found = table.value.find(routableRequest(asked));
          return found === null ? undefined : ({ configuration: found } as MatchedRoute);
        };
        const route = find(path.value);
        const fault = encodedPathFault(path.value, route, find);
        const hasSeparator = /%2f|%5c/i.test(path.value);
        if (route?.configuration.policies.path.allowEncodedSlash !== true) {
          expect(fault === null).toBe(!hasSeparator);
          return;
        }
        if (fault !== null) {
          expect(path.value).toContain('%');
          return;
        }
        for (const form of [decoded(path.value), decoded(decoded(path.value))]) {
          const segments = segmentsRead(form);
          expect(form.split(/[/\\]/).slice(1, -1)).not.toContain('');
          const [reached] = routes
            .filter(({ prefix }) => takes(prefix, segments))
            .toSorted((one, other) => other.prefix.length - one.prefix.length);
          for (const agent of reached?.agents ?? []) expect(route.configuration.agents).toContain(agent);
        }
      }),
      { numRuns: 8000 },
    );
  });
});
