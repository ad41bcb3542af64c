import { describe, expect, it } from 'vitest';
import { readRedisEndpoint, redisAddress } from '../../../../src/adapters/redis/redis-endpoint.js';
import { Secret } from '../../../../src/domain/shared/secret.js';

const read = (url: string) => readRedisEndpoint(new Secret(url), 'session-store-url');

const endpoint = (url: string) => {
  const result = read(url);
  if (!result.ok) throw new Error(result.error);
  return { ...result.value, password: result.value.password?.reveal() ?? null };
};

describe('the endpoint of a Redis server', () => {
  it('has defaults for all but the host', () => {
    expect(endpoint('redis://cache.example')).toEqual({
      host: 'cache.example',
      port: 6379,
      tls: false,
      user: null,
      password: null,
      database: 0,
    });
  });

  it('has what the URL gives, decoded', () => {
    expect(endpoint('rediss://gate%40way:p%2Fss%3A%25@cache.example:7000/12')).toEqual({
      host: 'cache.example',
      port: 7000,
      tls: true,
      user: 'gate@way',
      password: 'p/ss:%',
      database: 12,
    });
  });

  it('takes a password of the default user, and an IPv6 address', () => {
    expect(endpoint('redis://:word@[::1]/')).toMatchObject({ host: '::1', user: null, password: 'word', database: 0 });
    const result = read('redis://[::1]:7000');
    expect(result.ok && redisAddress(result.value)).toBe('[::1]:7000');
  });

  it.each([
    'http://cache.example',
    'redis:cache.example',
    'redis://',
    'redis:///1',
    'cache.example:6379',
    'redis://cache.example:0',
    'redis://cache.example:70000',
    'redis://cache.example/one',
    'redis://cache.example/1/2',
    'redis://cache.example/123456',
    'redis://cache.example?tls=no',
    'redis://cache.example#1',
    'redis://user@cache.example',
    'redis://:%ff@cache.example',
    '',
  ])('refuses %s', (url) => {
    expect(read(url)).toMatchObject({ ok: false });
  });

  it('never repeats what it refuses', () => {
    for (const url of [
      'redis://a:hunter2@',
      'hunter2',
      'redis://hunter2@x',
      'redis://:hunter2%ff@x',
      'redis://h/hunter2',
    ]) {
      const result = read(url);
      expect(result.ok ? '' : result.error).toMatch(/^session-store-url /);
      expect(JSON.stringify(result)).not.toContain('hunter2');
    }
  });
});
