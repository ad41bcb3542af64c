import { describe, expect, it } from 'vitest';
import { hasScopes } from '../../../../../src/domain/agent/tokens/claims.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

describe('hasScopes', () => {
  it.each<[string, JsonObject]>([
    ['text in scope', { scope: 'openid read write' }],
    ['an array in scope', { scope: ['write', 'read'] }],
    ['text in scp', { scp: 'read write' }],
    ['an array in scp', { scp: ['read', 'write'] }],
    ['one in each', { scope: 'read', scp: ['write'] }],
    ['superfluous spaces', { scope: ' read   write ' }],
  ])('finds every scope in %s', (_, claims) => {
    expect(hasScopes(claims, ['read', 'write'])).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['none', {}],
    ['one of two', { scope: 'read' }],
    ['another case', { scope: 'Read write' }],
    ['a longer name', { scope: 'read.all write' }],
    ['commas', { scope: 'read,write' }],
    ['a tab', { scope: 'read\twrite' }],
    ['two in one item of an array', { scp: ['read write'] }],
    ['an array in an array', { scp: [['read', 'write']] }],
    ['an object', { scope: { read: true, write: true } }],
    ['another claim', { scopes: 'read write', roles: ['read', 'write'] }],
  ])('misses one with %s', (_, claims) => {
    expect(hasScopes(claims, ['read', 'write'])).toBe(false);
  });

  it('misses nothing if nothing is required', () => {
    expect(hasScopes({}, [])).toBe(true);
    expect(hasScopes({ scope: 7 }, [])).toBe(true);
  });
});
