import { describe, expect, it } from 'vitest';
import { checkRedisServer } from '../../../../../src/adapters/outbound/redis-session-store/redis-server-check.js';

const info = (facts: Readonly<Record<string, string>>): string =>
  [
    '# Server',
    ...Object.entries({
      redis_version: '7.0.15',
      role: 'master',
      cluster_enabled: '0',
      maxmemory: '0',
      maxmemory_policy: 'noeviction',
      ...facts,
    }).map(([name, value]) => `${name}:${value}`),
    '',
  ].join('\r\n');

describe('what a Redis server says about itself', () => {
  it('is fine as it comes', () => {
    expect(checkRedisServer(info({}))).toEqual({ fault: null, warning: null });
    expect(checkRedisServer(info({ redis_version: '6.2.0' }))).toEqual({ fault: null, warning: null });
    expect(checkRedisServer(info({ redis_version: '10.0.0' }))).toEqual({ fault: null, warning: null });
  });

  it.each([
    [{ redis_version: '6.0.16' }, 'version 6.0.16'],
    [{ redis_version: '5.0.3' }, 'version 5.0.3'],
    [{ cluster_enabled: '1' }, 'Cluster'],
    [{ role: 'slave' }, 'replica'],
  ])('is a fault with %o', (facts, clause) => {
    const { fault, warning } = checkRedisServer(info(facts));
    expect(fault).toContain(clause);
    expect(warning).toBeNull();
  });

  it('is a warning where keys can be dropped before their time', () => {
    const { fault, warning } = checkRedisServer(info({ maxmemory: '104857600', maxmemory_policy: 'allkeys-lru' }));
    expect(fault).toBeNull();
    expect(warning).toContain('allkeys-lru');
    expect(checkRedisServer(info({ maxmemory: '104857600' })).warning).toBeNull();
    // Without a bound nothing is ever dropped.
    expect(checkRedisServer(info({ maxmemory_policy: 'allkeys-lru' })).warning).toBeNull();
  });

  it('is a warning where it says nothing', () => {
    expect(checkRedisServer(null).warning).toContain('noeviction');
    expect(checkRedisServer('').warning).toContain('noeviction');
  });

  it('does not let a server write into the log', () => {
    const { warning } = checkRedisServer(info({ maxmemory: '1', maxmemory_policy: 'lru\u001b[2J' }));
    expect(warning).toContain('unknown');
  });
});
