import { describe, expect, it } from 'vitest';
import { configurationText, withUpstream } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const upstreamOf = (body: string) => soundConfiguration(withUpstream(body)).upstreams[0];
const balanced = (body: string): string => withUpstream(`target "127.0.0.1:1" "127.0.0.1:2"; ${body}`);

const expectRefusal = (text: string, message: string): void => {
  const [problem, ...others] = problemsOf(text);
  expect(problem).toMatch('error: ');
  expect(problem).toContain(message);
  expect(others).toEqual([]);
};

describe('the weights of targets', () => {
  it.each([
    'target "10.0.0.1:1" weight=3; target "10.0.0.2:1"',
    'target "10.0.0.1:1" { weight 3 }; target { address "10.0.0.2:1" }',
    'targets { target { address "10.0.0.1:1"; weight 3 }; target "10.0.0.2:1" }',
    'targets { target address="10.0.0.1:1" weight=3 }; target "10.0.0.2:1" weight=1',
  ])('are read from %s', (body) => {
    expect(upstreamOf(body)?.targets).toEqual([
      { address: { host: '10.0.0.1', port: 1 }, weight: 3 },
      { address: { host: '10.0.0.2', port: 1 }, weight: 1 },
    ]);
  });

  it('may be 0 for some', () => {
    expect(upstreamOf('target "10.0.0.1:1" weight=0; target "10.0.0.2:1" weight=1000')?.targets).toMatchObject([
      { weight: 0 },
      { weight: 1000 },
    ]);
  });

  it.each([
    ['target "10.0.0.1:1" weight=0', 'upstream "echo" has no target with a weight above 0'],
    ['target "10.0.0.1:1" weight=0; target "10.0.0.2:1" weight=0', 'has no target with a weight above 0'],
    ['target "10.0.0.1:1" weight=1001', '"weight" must be an integer from 0 to 1000, not 1001'],
    ['target "10.0.0.1:1" weight=0.5', '"weight" must be an integer'],
    ['target "10.0.0.1:1" wieght=3', 'did you mean "weight"?'],
    ['target "10.0.0.1:1" "10.0.0.2:1" weight=3', '"address" takes exactly one value'],
    ['target "10.0.0.1:1" { address "10.0.0.2:1" }', '"address" is given twice'],
    ['target weight=3', '"address" is missing'],
  ])('are refused: %s', (body, message) => {
    expectRefusal(withUpstream(body), message);
  });

  it.each([
    'target "10.0.0.1:1" "10.0.0.1:1"',
    'target "A.example:1"; targets { target "a.EXAMPLE:1" }',
    'target "[::1]:1" "[0:0::1]:1"',
  ])('cannot come from a repeated target: %s', (body) => {
    expectRefusal(withUpstream(body), 'twice (write it once, with weight=2 for twice the share)');
  });
});

describe('the connections of an upstream', () => {
  it.each([
    ['', 1024, 20],
    ['max-connections 200', 200, 20],
    ['max-connections 5', 5, 5],
    ['max-connections 5; max-idle 5', 5, 5],
    ['max-idle 0', 1024, 0],
    ['max-idle 1024', 1024, 1024],
  ])('are read from %s', (body, maxConnections, maxIdle) => {
    expect(upstreamOf(`target "10.0.0.1:1"; connection-pool { ${body} }`)).toMatchObject({ maxConnections, maxIdle });
  });

  it.each([
    ['max-connections 5; max-idle 6', '"max-idle" is above max-connections, which is 5'],
    ['max-idle 1025', '"max-idle" is above max-connections, which is 1024'],
    ['max-idle -1', '"max-idle" must be an integer from 0'],
  ])('are refused: %s', (body, message) => {
    expectRefusal(withUpstream(`target "10.0.0.1:1"; connection-pool { ${body} }`), message);
  });
});

describe('a health check', () => {
  const standard = { intervalMs: 10_000, timeoutMs: 5_000, healthyThreshold: 2, unhealthyThreshold: 3 };
  const check = (body: string): string => `target "10.0.0.1:1"; health-check { ${body} }`;

  it.each([
    ['type "http"', { kind: 'http', path: '/health', expectedStatuses: [200], host: null }],
    [
      'type "http" { path "/up?deep=1"; expected-status 200 204 200; host "app.example:8080" }',
      { kind: 'http', path: '/up?deep=1', expectedStatuses: [200, 204], host: 'app.example:8080' },
    ],
    ['type "http" path="/x"', { kind: 'http', path: '/x', expectedStatuses: [200], host: null }],
    [
      'type "http" { expected-status 301; expected-status 401 }',
      { kind: 'http', path: '/health', expectedStatuses: [301, 401], host: null },
    ],
    ['type "tcp"', { kind: 'tcp' }],
    ['type "grpc"', { kind: 'grpc', service: '' }],
    ['type "grpc" { service "" }', { kind: 'grpc', service: '' }],
    ['type "grpc" { service "shop.v1.Orders" }', { kind: 'grpc', service: 'shop.v1.Orders' }],
  ])('supports %s', (body, probe) => {
    expect(upstreamOf(check(body))?.healthCheck).toEqual({ probe, ...standard });
  });

  it.each([
    ['interval-secs 5; timeout-secs 2; healthy-threshold 2; unhealthy-threshold 2', 5_000, 2_000, 2, 2],
    ['interval-secs 30; timeout-secs 10; healthy-threshold 3; unhealthy-threshold 5', 30_000, 10_000, 3, 5],
    ['interval-secs 30; timeout-secs 30', 30_000, 30_000, 2, 3],
    ['interval-secs 2', 2_000, 2_000, 2, 3],
    ['interval-secs 0.25; timeout-secs 0.1', 250, 100, 2, 3],
  ])('reads its timing from %s', (body, intervalMs, timeoutMs, healthyThreshold, unhealthyThreshold) => {
    expect(upstreamOf(check(`type "tcp"; ${body}`))?.healthCheck).toEqual({
      probe: { kind: 'tcp' },
      intervalMs,
      timeoutMs,
      healthyThreshold,
      unhealthyThreshold,
    });
  });

  it('may be turned off', () => {
    expect(upstreamOf('target "10.0.0.1:1"; health-check #null')?.healthCheck).toBeNull();
  });

  it.each([
    ['interval-secs 5', '"type" is missing (write type "http" { path "/health" })'],
    ['type "htpp" { path "/" }', '"type" must be "http", "tcp" or "grpc", not "htpp" (did you mean "http"?)'],
    ['type', '"type" needs exactly one kind of check'],
    ['type { path "/" }', '"type" needs exactly one kind of check'],
    ['type "http" "tcp"', '"type" needs exactly one kind of check'],
    ['type "tcp"; type "http"', '"type" is given twice'],
    ['type "tcp" { path "/" }', 'type "tcp" takes no block'],
    ['type "grpc" { path "/" }', 'unknown key "path" in type'],
    ['type "grpc" { service "a b" }', '"service" must be a gRPC service name'],
    ['type "http" { service "a" }', 'unknown key "service" in type'],
    ['type "http" { path "health" }', '"path" must begin with a slash (did you mean "/health"?)'],
    ['type "http" { path "/a b" }', '"path" must be printable ASCII without spaces'],
    ['type "http" { path "/a\\r\\nX: y" }', '"path" must be printable ASCII without spaces'],
    ['type "http" { path "/a#b" }', '"path" must be printable ASCII without spaces'],
    ['type "http" { host "a b" }', '"host" must be a host, not "a b"'],
    ['type "http" { host "http://a" }', '"host" must be a host'],
    ['type "http" { expected-status 600 }', '"expected-status" must be an integer from 100 to 599, not 600'],
    ['type "http" { expected-status "2xx" }', '"expected-status" must be an integer'],
    ['type "tcp"; interval-secs 0.05', '"interval-secs" must be a number from 0.1 to 86400'],
    ['type "tcp"; timeout-secs 0', '"timeout-secs" must be a number from 0.1'],
    ['type "tcp"; healthy-threshold 0', '"healthy-threshold" must be an integer from 1'],
    ['type "tcp"; unhealthy-threshold 0', '"unhealthy-threshold" must be an integer from 1'],
    ['type "tcp"; timeout-secs 11', '"timeout-secs" is above interval-secs, which is 10'],
    ['type "tcp"; interval-secs 0.5; timeout-secs 0.6', '"timeout-secs" is above interval-secs, which is 0.5'],
    ['type "http"; path "/"', 'unknown key "path" in health-check'],
  ])('is refused: %s', (body, message) => {
    expectRefusal(withUpstream(check(body)), message);
  });
});

describe('the circuit breaker of targets', () => {
  const standard = { failureThreshold: 5, openMs: 30_000, probes: 1 };

  it.each([
    ['target "127.0.0.1:1"', null],
    ['target "[::1]:1"', null],
    ['target "127.0.0.1:1" "127.0.0.1:2"', standard],
    ['target "app.example:1"', standard],
    ['target "127.0.0.1:1"; circuit-breaker', standard],
    ['target "127.0.0.1:1"; circuit-breaker { failure-threshold 2 }', { ...standard, failureThreshold: 2 }],
    ['target "app.example:1"; circuit-breaker { probes 2 }', { ...standard, probes: 2 }],
    ['target "app.example:1"; circuit-breaker #null', null],
    ['target "127.0.0.1:1" "127.0.0.1:2"; circuit-breaker #false', null],
  ])('with %s has the expected rules', (body, rules) => {
    expect(upstreamOf(body)?.targetBreaker).toEqual(rules);
  });

  it.each([
    ['target "127.0.0.1:1" "127.0.0.1:2"', true],
    ['target "app.example:1"; circuit-breaker', false],
    ['target "app.example:1"; circuit-breaker { failure-threshold 5 }', false],
  ])('with %s spares the last target: %s', (body, spares) => {
    expect(upstreamOf(body)?.sparesLastTarget).toBe(spares);
  });
});

describe('balancing', () => {
  it.each([
    ['', { kind: 'round_robin' }],
    ['load-balancing "round-robin"', { kind: 'round_robin' }],
    ['load-balancing "weighted"', { kind: 'round_robin' }],
    ['load-balancing "least-connections"', { kind: 'least_connections' }],
    ['load-balancing "power-of-two-choices"', { kind: 'power_of_two' }],
    ['load-balancing "consistent-hash"', { kind: 'consistent_hash', key: { kind: 'client_ip' } }],
    [
      'load-balancing "consistent-hash"; hash-key "header:X-Tenant"',
      { kind: 'consistent_hash', key: { kind: 'header', name: 'x-tenant' } },
    ],
    [
      'load-balancing "consistent-hash"; hash-key "cookie:SID"',
      { kind: 'consistent_hash', key: { kind: 'cookie', name: 'SID' } },
    ],
  ])('is read from %s', (body, balancing) => {
    expect(soundConfiguration(balanced(body)).upstreams[0]?.balancing).toEqual(balancing);
  });

  it.each([
    ['round_robin', 'round-robin'],
    ['rr', 'round-robin'],
    ['least_conn', 'least-connections'],
    ['LEAST_REQUEST', 'least-connections'],
    ['random', 'power-of-two-choices'],
    ['p2c', 'power-of-two-choices'],
    ['ip_hash', 'consistent-hash'],
    ['maglev', 'consistent-hash'],
    ['wieghted', 'weighted'],
  ])('suggests the equivalent of "%s"', (word, meant) => {
    expectRefusal(balanced(`load-balancing "${word}"`), `not "${word}" (did you mean "${meant}"?)`);
  });

  it.each([
    ['hash-key "client_ip"', '"hash-key" has no effect without load-balancing "consistent-hash"'],
    ['load-balancing "least-connections"; hash-key "header:X"', '"hash-key" has no effect without'],
    ['load-balancing "consistent-hash"; hash-key "path"', '"hash-key" must be "client_ip" or "header:<name>"'],
    ['load-balancing "consistent-hash"; hash-key "cookie:a b"', 'write "cookie:" and the name of a cookie'],
    ['load-balancing "consistent-hash"; sticky-cookie', '"sticky-cookie" and load-balancing'],
  ])('is refused: %s', (body, message) => {
    expectRefusal(balanced(body), message);
  });
});

describe('a sticky cookie', () => {
  it.each([
    ['', null],
    ['sticky-cookie', { name: 'gateway_target', maxAgeMs: null }],
    ['sticky-cookie #true', { name: 'gateway_target', maxAgeMs: null }],
    ['sticky-cookie { }', { name: 'gateway_target', maxAgeMs: null }],
    ['sticky-cookie "shop"', { name: 'shop', maxAgeMs: null }],
    ['sticky-cookie "shop" { max-age-secs 60 }', { name: 'shop', maxAgeMs: 60_000 }],
    ['sticky-cookie "shop" max-age-secs=60', { name: 'shop', maxAgeMs: 60_000 }],
    ['sticky-cookie { name "shop"; max-age-secs 31536000 }', { name: 'shop', maxAgeMs: 31_536_000_000 }],
    ['sticky-cookie #null', null],
    ['sticky-cookie #false', null],
    ['load-balancing "consistent-hash"; sticky-cookie #null', null],
  ])('is read from %s', (body, cookie) => {
    expect(soundConfiguration(balanced(body)).upstreams[0]?.stickyCookie).toEqual(cookie);
  });

  it.each([
    ['sticky-cookie "a b"', '"name" must be a cookie name'],
    ['sticky-cookie "a=b"', '"name" must be a cookie name'],
    ['sticky-cookie "a;b"', '"name" must be a cookie name'],
    [`sticky-cookie "${'x'.repeat(101)}"`, '"name" must be a cookie name'],
    ['sticky-cookie "__Host-target"', '"name" must not begin with __Host-'],
    ['sticky-cookie "a" "b"', '"name" takes exactly one value'],
    ['sticky-cookie "a" { name "b" }', '"name" is given twice'],
    ['sticky-cookie 5', '"name" must be a string'],
    ['sticky-cookie { max-age-secs 0 }', '"max-age-secs" must be an integer from 1'],
  ])('is refused: %s', (body, message) => {
    expectRefusal(balanced(body), message);
  });

  it('causes a warning if two upstreams share it', () => {
    const upstreams = `upstreams {
      upstream "echo" { target "a:1" "b:1"; sticky-cookie }
      upstream "shop/eu" { target "c:1" "d:1"; sticky-cookie }
      upstream "own" { target "e:1"; sticky-cookie "own" } }`;
    expect(problemsOf(configurationText({ upstreams }))).toEqual([
      'warning: upstream "shop/eu" has the same sticky cookie as upstream "echo": they overwrite each other (write sticky-cookie "shop_eu_target")',
    ]);
  });
});

describe('retries and names', () => {
  it.each([
    ['retries { }', 3, 20],
    ['retries { max-attempts 1 }', 1, 20],
    ['retries { max-attempts 10; budget-percent 0 }', 10, 0],
    ['retries { budget-percent 12.5 }', 3, 12.5],
  ])('are read from %s', (body, maxAttempts, budgetPercent) => {
    expect(soundConfiguration(balanced(body)).upstreams[0]?.retries).toEqual({ maxAttempts, budgetPercent });
  });

  it('are resolved at the interval of dns-refresh-secs', () => {
    expect(upstreamOf('target "app.example:1"; dns-refresh-secs 1')?.dnsRefreshMs).toBe(1000);
  });

  it.each([
    ['retries { max-attempts 0 }', '"max-attempts" must be an integer from 1 to 10'],
    ['retries { max-attempts 11 }', '"max-attempts" must be an integer from 1 to 10'],
    ['retries { budget-percent 101 }', '"budget-percent" must be a number from 0 to 100'],
    ['retries 3', '"retries" takes a block, not a value'],
    ['dns-refresh-secs 0', '"dns-refresh-secs" must be an integer from 1 to 86400'],
    ['dns-refresh-secs 86401', '"dns-refresh-secs" must be an integer from 1 to 86400'],
  ])('are refused: %s', (body, message) => {
    expectRefusal(balanced(body), message);
  });
});
