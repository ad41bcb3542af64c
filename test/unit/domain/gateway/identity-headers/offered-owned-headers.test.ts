import { describe, expect, it } from 'vitest';
import { sortOwnedHeaders } from '../../../../../src/domain/gateway/identity-headers/offered-owned-headers.js';

describe('sortOwnedHeaders', () => {
  it.each(['X-User-Id', 'X-Auth-Claim-*', 'abc*', 'Remote-User', 'X_Partner'])('accepts %s', (pattern) => {
    expect(sortOwnedHeaders([pattern])).toEqual({ accepted: [pattern], dropped: [] });
  });

  it.each([
    'Host',
    'AUTHORIZATION',
    'Cookie',
    'content.type',
    'Content_Length',
    'Connection',
    'transfer-encoding',
    'Upgrade',
    'x-*',
    '*',
    '',
    'hos*',
    'Content-*',
    'auth*',
    'Proxy-*',
  ])('drops %j', (pattern) => {
    expect(sortOwnedHeaders([pattern])).toEqual({ accepted: [], dropped: [pattern] });
  });
});
