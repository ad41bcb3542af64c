import { describe, expect, it } from 'vitest';
import { routesReport } from '../../../src/application/gateway/report-status/routes-report.js';
import { statsReport } from '../../../src/application/gateway/report-status/stats-report.js';
import { upstreamsReport } from '../../../src/application/gateway/report-status/status-reports.js';
import { snapshotOf } from '../../../src/application/gateway/workers/aggregate/merge-snapshots.js';
import { FixedGatewayState, routeOf } from '../../support/gateway/fixed-gateway-state.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { documentationPage } from '../../support/shared/documentation-examples.js';

const { text } = documentationPage('docs/reference/admin-endpoints.md');

/** The members of the objects in a value, whatever they are in. */
const membersOf = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(membersOf);
  return Object.entries(value).flatMap(([name, member]) => [name, ...membersOf(member)]);
};

/** Written as code, alone or behind the name of what it is in, or shown in an example. */
const isNamed = (member: string): boolean => new RegExp(`[\`."]${member}[\`"]`).test(text);

const unnamed = (value: unknown): readonly string[] => membersOf(value).filter((member) => !isNamed(member));

describe('the page about the admin endpoints', () => {
  it('names every member of a target', () => {
    const target = {
      address: '10.0.1.10:8080',
      name: 'api.internal:8080',
      healthy: false,
      drained: true,
      weight: 3,
      breaker: 'open' as const,
      activeConnections: 1,
      totalRequests: 2,
      failedRequests: 3,
      lastError: 'connection refused',
      unhealthySinceMs: 0,
    };
    const report = upstreamsReport([{ name: 'api', targets: [target] }]);
    expect(membersOf(report)).toHaveLength(15);
    expect(unnamed(report)).toEqual([]);
  });

  it('names every member of a route', () => {
    const route = routeOf('api', {
      policies: {
        ...plainPolicies,
        maxBodySize: 1,
        requestTimeoutMs: 1000,
        bufferRequests: true,
        bufferResponses: true,
        rateLimit: { name: 'shared', limit: { requestsPerSecond: 1, burst: 10 }, key: { kind: 'client_ip' } },
        requestHeaders: { remove: ['X-A'], set: [{ name: 'X-B', value: { parts: ['SECRET'] } }], add: [] },
        responseHeaders: { remove: [], set: [], add: [{ name: 'X-C', value: { parts: ['SECRET'] } }] },
        compression: { types: ['text/*'], minOctets: 1, encodings: ['gzip'] },
        cors: {
          allowOrigins: ['*'],
          allowMethods: ['GET'],
          allowHeaders: [],
          exposeHeaders: [],
          allowCredentials: false,
          maxAgeSecs: 600,
        },
      },
      circuitBreaker: { failureThreshold: 5, openMs: 30_000, probes: 1 },
    });
    const report = routesReport([route]);
    expect(membersOf(report)).toContain('buffer_responses');
    expect(JSON.stringify(report)).not.toContain('SECRET');
    expect(unnamed(report)).toEqual([]);
  });

  it('names every figure of the traffic', () => {
    const state = new FixedGatewayState();
    state.memory = { limitBytes: 1, isShort: true };
    state.keys = { global: 1, client: 2, route: 3, 'route-policy': 4, named: 5 };
    const memory = { residentBytes: 1, heapUsedBytes: 1, heapTotalBytes: 1, externalBytes: 1 };
    const eventLoopDelay = { meanMs: 1, p50Ms: 1, p99Ms: 1, maxMs: 1, count: 1, sumMs: 1 };
    const unhealthyTargets = [{ upstream: 'api', address: '10.0.0.1:80' }];
    state.workerFigures = [
      { id: 1, pid: 2, connections: 3, requestsInFlight: 4, memory, eventLoopDelay, unhealthyTargets },
    ];
    const report = statsReport({
      ...snapshotOf(state),
      supervisor: { pid: 1, memory },
      restarts: [{ worker: 1, count: 1 }],
      missingWorkers: [2],
      isPartial: true,
    });
    expect(membersOf(report)).toContain('unhealthy_targets');
    expect(report.memory_limit).toEqual({ bytes: 1, reached: true });
    expect(membersOf(report)).toContain('route-policy');
    expect(unnamed(report)).toEqual([]);
  });
});
