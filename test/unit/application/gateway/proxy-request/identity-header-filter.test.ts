import { describe, expect, it } from 'vitest';
import {
  DeclaredHeaderNames,
  IdentityHeaderFilter,
} from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import { isOwned } from '../../../../../src/domain/http/owned-headers.js';

describe('the filter of identity headers', () => {
  it('covers fixed, configured and declared names in any spelling', () => {
    const declared = new DeclaredHeaderNames();
    declared.declare('auth', ['X-Tenant', 'Corp-*']);
    const names = new IdentityHeaderFilter(['X-Who'], declared).current();
    for (const name of ['X-Client-Cert', 'x_user_id', 'X.WHO', 'x-tenant', 'CORP_ROLE']) {
      expect([name, isOwned(names, name)]).toEqual([name, true]);
    }
    for (const name of ['X-Whom', 'X-Tenants', 'Corporation', 'Accept']) expect(isOwned(names, name)).toBe(false);
  });

  it('adds names that an agent declares later, and recompiles only for other names', () => {
    const declared = new DeclaredHeaderNames();
    const filter = new IdentityHeaderFilter([], declared);
    const before = filter.current();
    expect(isOwned(before, 'X-Tenant')).toBe(false);
    declared.declare('auth', ['X-Tenant']);
    const after = filter.current();
    expect(isOwned(after, 'X-Tenant')).toBe(true);
    declared.declare('auth', ['X-Tenant']);
    expect(filter.current()).toBe(after);
    declared.keep(new Set());
    expect(isOwned(filter.current(), 'X-Tenant')).toBe(false);
  });
});
