import { describe, expect, it } from 'vitest';
import { configurationText, withRoute } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const upstreamRoute = (body: string): string => withRoute(`matches { path "/" }; upstream "echo"; ${body}`);
const builtinRoute = (body: string): string => withRoute(`matches { path "/" }; builtin-handler "health"; ${body}`);
const routeOf = (body: string) => soundConfiguration(upstreamRoute(body)).routes[0];

describe('the circuit breaker of a route', () => {
  it.each([
    ['circuit-breaker { }', { failureThreshold: 5, openMs: 30_000, probes: 1 }],
    ['circuit-breaker', { failureThreshold: 5, openMs: 30_000, probes: 1 }],
    ['circuit-breaker #true', { failureThreshold: 5, openMs: 30_000, probes: 1 }],
    ['circuit-breaker failure-threshold=2', { failureThreshold: 2, openMs: 30_000, probes: 1 }],
    [
      'circuit-breaker { failure-threshold 1; timeout-seconds 86400; probes 3 }',
      { failureThreshold: 1, openMs: 86_400_000, probes: 3 },
    ],
    ['circuit-breaker #null', null],
    ['circuit-breaker #false', null],
  ])('is read from %s', (body, rules) => {
    expect(routeOf(body)?.circuitBreaker).toEqual(rules);
  });

  it.each([
    ['circuit-breaker { failure-threshold 0 }', '"failure-threshold" must be an integer from 1'],
    ['circuit-breaker { timeout-seconds 86401 }', '"timeout-seconds" must be an integer from 1 to 86400, not 86401'],
    ['circuit-breaker { probes 0 }', '"probes" must be an integer from 1'],
    ['circuit-breaker { failure-treshold 2 }', 'did you mean "failure-threshold"?'],
    ['circuit-breaker "on"', '"circuit-breaker" takes a block, not a value'],
    ['circuit-breaker #true { probes 1 }', '"circuit-breaker" takes a block, not a value'],
    ['circuit-breaker { }; circuit-breaker #null', '"circuit-breaker" is given twice'],
  ])('is refused: %s', (body, message) => {
    const [problem, ...others] = problemsOf(upstreamRoute(body));
    expect(problem).toMatch('error: ');
    expect(problem).toContain(message);
    expect(others).toEqual([]);
  });
});

describe('buffering', () => {
  it('is off by default', () => {
    expect(routeOf('policies { buffer-requests #false }')?.policies).toMatchObject({
      bufferRequests: false,
      bufferResponses: false,
    });
    expect(
      routeOf('policies { buffer-requests #true; buffer-responses #true; max-body-size "1MB" }')?.policies,
    ).toMatchObject({ bufferRequests: true, bufferResponses: true });
  });

  it.each([
    ['', 'limits { max-body-size-bytes 1048577 }', 'max-body-size-bytes'],
    ['max-body-size 1048577', 'limits { max-body-size-bytes 1 }', 'max-body-size'],
    ['max-body-size 11', 'limits { max-body-buffer-bytes 10 }', 'max-body-size'],
  ])('causes a warning if larger bodies are allowed: %s %s', (policy, more, key) => {
    const routes = `routes { route "api" { matches { path "/" }; upstream "echo"; agents "auth"; policies { buffer-requests #true; ${policy} } } }`;
    const [problem, ...others] = problemsOf(configurationText({ routes, more }));
    expect(problem).toMatch(
      `warning: "buffer-requests": a body above max-body-buffer-bytes gets 413, although ${key} allows it`,
    );
    expect(others).toEqual([]);
  });

  it.each(['max-body-size 1048576', 'max-body-size 0'])('is valid without larger bodies: %s', (policy) => {
    expect(problemsOf(upstreamRoute(`policies { buffer-requests #true; ${policy} }`))).toEqual([]);
  });
});

describe('the rate limit of a route', () => {
  it.each([
    ['requests-per-second 5', { requestsPerSecond: 5, burst: 50 }, { kind: 'client_ip' }],
    ['requests-per-second 0.25; burst 1', { requestsPerSecond: 0.25, burst: 1 }, { kind: 'client_ip' }],
    ['requests-per-second 0.25', { requestsPerSecond: 0.25, burst: 3 }, { kind: 'client_ip' }],
    ['requests-per-second 1; key "client_ip"', { requestsPerSecond: 1, burst: 10 }, { kind: 'client_ip' }],
    ['requests-per-second 1; key "path"', { requestsPerSecond: 1, burst: 10 }, { kind: 'path' }],
    ['requests-per-second 1; key "route"', { requestsPerSecond: 1, burst: 10 }, { kind: 'route' }],
    [
      'requests-per-second 1; key "header:X-API-Key"',
      { requestsPerSecond: 1, burst: 10 },
      { kind: 'header', name: 'x-api-key' },
    ],
  ])('is read from %s', (body, limit, key) => {
    expect(routeOf(`policies { rate-limit { ${body} } }`)?.policies.rateLimit).toEqual({ name: null, limit, key });
  });

  it('may be null', () => {
    expect(routeOf('policies { rate-limit #null }')?.policies.rateLimit).toBeNull();
  });

  it.each([
    ['', '"requests-per-second" is missing'],
    ['requests-per-second 0', '"requests-per-second" must be a number from 0.00001 to 1000000, not 0'],
    ['requests-per-second #null', '"requests-per-second" must be a number'],
    ['requests-per-second 1; burst 0', '"burst" must be an integer from 1'],
    ['requests-per-second 1; burst 1.5', '"burst" must be an integer from 1'],
    ['request-per-second 1; requests-per-second 1', 'did you mean "requests-per-second"?'],
    ['requests-per-second 1; key "ip"', 'did you mean "client_ip"?'],
    ['requests-per-second 1; key "$binary_remote_addr"', 'did you mean "client_ip"?'],
    ['requests-per-second 1; key "client-ip"', 'did you mean "client_ip"?'],
    ['requests-per-second 1; key "paht"', 'did you mean "path"?'],
    ['requests-per-second 1; key "header"', 'write "header:" and the name of a header'],
    ['requests-per-second 1; key "header: X"', 'write "header:" and the name of a header'],
    ['requests-per-second 1; key "header:"', 'write "header:" and the name of a header'],
    ['requests-per-second 1; key "Header=X"', 'write "header:" and the name of a header'],
    [
      'requests-per-second 1; key "cookie:sid"',
      '"key" must be "client_ip" or "path" or "route" or "user" or "header:<name>", not "cookie:sid"',
    ],
    ['requests-per-second 1; key ""', '"key" must not be empty'],
    ['requests-per-second 1; key 5', '"key" must be a string'],
  ])('is refused: %s', (body, message) => {
    const [problem, ...others] = problemsOf(upstreamRoute(`policies { rate-limit { ${body} } }`));
    expect(problem).toMatch('error: ');
    expect(problem).toContain(message);
    expect(others).toEqual([]);
  });

  it('accepts a header name of at most 256 characters', () => {
    const body = (length: number) =>
      upstreamRoute(`policies { rate-limit { requests-per-second 1; key "header:${'x'.repeat(length)}" } }`);
    expect(problemsOf(body(256))).toEqual([]);
    expect(problemsOf(body(257))).toHaveLength(1);
  });
});

describe('a builtin route', () => {
  it.each([
    ['policies { buffer-requests #true }', '"buffer-requests" has no effect on a builtin route'],
    ['policies { buffer-responses #true }', '"buffer-responses" has no effect on a builtin route'],
    ['circuit-breaker { }', '"circuit-breaker" has no effect on a builtin route'],
    ['policies { timeouts { request-secs 1 } }', 'a timeout has no effect on a builtin route'],
    ['policies { timeouts { read-secs 1 } }', 'a timeout has no effect on a builtin route'],
  ])('cannot have %s', (body, message) => {
    expect(problemsOf(builtinRoute(body))).toEqual([`error: ${message}`]);
  });

  it('may have a rate, and defaults for the rest', () => {
    const body = 'policies { buffer-requests #false; rate-limit requests-per-second=1 }; circuit-breaker #null';
    expect(soundConfiguration(builtinRoute(body)).routes[0]?.policies.rateLimit?.limit.burst).toBe(10);
  });
});
