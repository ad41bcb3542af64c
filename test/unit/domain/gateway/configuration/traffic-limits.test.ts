import { describe, expect, it } from 'vitest';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const withLimits = (body: string): string => configurationText({ more: `limits { ${body} }` });
const limitsOf = (body: string) => soundConfiguration(withLimits(body)).limits;

describe('the limits of traffic', () => {
  it('are what was written', () => {
    const limits = limitsOf(`max-body-buffer-bytes "2MB"; max-connections-per-client 1; max-connections-per-route 2
      max-total-connections 3; max-idle-connections-per-upstream 0; max-in-flight-requests 4
      max-in-flight-requests-per-worker 5; max-queued-requests 0; max-memory-bytes "512MB"; max-memory-percent 80.5`);
    expect(limits).toEqual({
      ...plainLimits,
      maxBodyBufferBytes: 2_097_152,
      maxConnectionsPerClient: 1,
      maxConnectionsPerRoute: 2,
      maxTotalConnections: 3,
      maxIdleConnectionsPerUpstream: 0,
      maxInFlightRequests: 4,
      maxInFlightRequestsPerWorker: 5,
      maxQueuedRequests: 0,
      maxMemoryBytes: 536_870_912,
      maxMemoryPercent: 80.5,
    });
  });

  it.each([
    ['max-body-buffer-bytes', '0', '1073741824', '"1025MB"'],
    ['max-connections-per-client', '1', '10000000', '0'],
    ['max-connections-per-route', '1', '10000000', '0'],
    ['max-total-connections', '1', '10000000', '10000001'],
    ['max-idle-connections-per-upstream', '0', '10000000', '-1'],
    ['max-in-flight-requests', '1', '10000000', '0'],
    ['max-in-flight-requests-per-worker', '1', '10000000', '1.5'],
    ['max-queued-requests', '0', '1000000', '1000001'],
    ['max-memory-bytes', '1048576', '"64GB"', '512'],
    ['max-memory-percent', '1', '100', '100.1'],
    ['max-requests-per-second-global', '0.00001', '1000000', '0'],
    ['max-requests-per-second-per-client', '0.5', '1000000', '1000000.5'],
    ['max-requests-per-second-per-route', '1', '1000000', '-1'],
  ])('has bounds: %s', (key, least, most, beyond) => {
    expect(problemsOf(withLimits(`${key} ${least}`))).toEqual([]);
    expect(problemsOf(withLimits(`${key} ${most}`))).toEqual([]);
    const [problem, ...others] = problemsOf(withLimits(`${key} ${beyond}`));
    expect(problem).toMatch(`error: "${key}" must be`);
    expect(others).toEqual([]);
  });

  it('are off with #null', () => {
    const limits = limitsOf(`max-requests-per-second-global #null; max-requests-per-second-per-client #null
      max-requests-per-second-per-route #null; max-memory-bytes #null; max-memory-percent #null`);
    expect(limits).toEqual(plainLimits);
  });

  it.each(['max-total-connections', 'max-queued-requests', 'max-body-buffer-bytes'])(
    'cannot be null where there is no such thing as no limit: %s',
    (key) => {
      expect(problemsOf(withLimits(`${key} #null`))[0]).toMatch('not null');
    },
  );
});

describe('a rate of limits', () => {
  it.each([
    [100, 1000],
    [2.5, 25],
    [0.7, 7],
    [0.15, 2],
    [0.1, 1],
    [0.01, 1],
    [1.1, 11],
    [0.07, 1],
  ])('of %f allows a burst of %i', (requestsPerSecond, burst) => {
    const { rates } = limitsOf(`max-requests-per-second-global ${requestsPerSecond}`);
    expect(rates).toEqual({ global: { requestsPerSecond, burst }, perClient: null, perRoute: null });
  });

  it('is independent of the others', () => {
    const { rates } = limitsOf('max-requests-per-second-per-client 1; max-requests-per-second-per-route 2');
    expect(rates).toEqual({
      global: null,
      perClient: { requestsPerSecond: 1, burst: 10 },
      perRoute: { requestsPerSecond: 2, burst: 20 },
    });
  });
});

describe('the store of rates', () => {
  it('is the memory, or a redis', () => {
    expect(limitsOf('rate-limit-store "memory"').rateLimitStore).toEqual({ kind: 'memory' });
    const store = limitsOf('rate-limit-store "redis"; rate-limit-store-url "redis://127.0.0.1:6379/1"').rateLimitStore;
    expect(store).toMatchObject({ kind: 'redis', onFailure: 'local' });
    expect(store.kind === 'redis' && store.url.reveal()).toBe('redis://127.0.0.1:6379/1');
  });

  it.each(['local', 'allow', 'deny'])('may define the behaviour on failure: %s', (word) => {
    const { rateLimitStore } = limitsOf(
      `rate-limit-store "redis"; rate-limit-store-url "rediss://a:b@redis.example"; on-store-failure "${word}"`,
    );
    expect(rateLimitStore).toMatchObject({ kind: 'redis', onFailure: word });
  });

  it.each([
    [
      'rate-limit-store "redis"',
      'error: rate-limit-store "redis" needs a "rate-limit-store-url" (write rate-limit-store-url "redis://127.0.0.1:6379", or (env)"RATE_LIMIT_STORE_URL" if it has a password)',
    ],
    [
      'rate-limit-store-url "redis://127.0.0.1"',
      'error: "rate-limit-store-url" has no effect with rate-limit-store "memory" (write rate-limit-store "redis")',
    ],
    [
      'on-store-failure "deny"',
      'error: "on-store-failure" has no effect with rate-limit-store "memory" (write rate-limit-store "redis")',
    ],
    [
      'rate-limit-store "redis"; rate-limit-store-url "http://127.0.0.1"',
      'error: "rate-limit-store-url" must be a URL that begins with redis:// or rediss://',
    ],
    [
      'rate-limit-store "redis"; rate-limit-store-url "redis://u:hunter2@redis.example"',
      'warning: "rate-limit-store-url" sends its password unencrypted (use rediss://)',
    ],
    [
      'rate-limit-store "redsi"',
      'error: "rate-limit-store" must be "memory" or "redis", not "redsi" (did you mean "redis"?)',
    ],
    [
      'rate-limit-store "redis"; rate-limit-store-url "redis://127.0.0.1"; on-store-failure "fail_open"',
      'error: "on-store-failure" must be "local" or "allow" or "deny", not "fail_open" (did you mean "allow"?)',
    ],
  ])('is checked: %s', (body, problem) => {
    expect(problemsOf(withLimits(body))).toEqual([problem]);
  });

  it('has a URL that messages never show', () => {
    for (const url of ['redis://u:S3CRET@', 'S3CRET', 'redis://S3CRET@h', 'redis://u:S3CRET@h:0']) {
      const problems = problemsOf(withLimits(`rate-limit-store "redis"; rate-limit-store-url "${url}"`));
      expect(problems).toHaveLength(1);
      expect(problems[0]).not.toContain('S3CRET');
    }
    const { rateLimitStore } = limitsOf('rate-limit-store "redis"; rate-limit-store-url "rediss://u:S3CRET@h"');
    expect(JSON.stringify(rateLimitStore)).not.toContain('S3CRET');
  });
});
