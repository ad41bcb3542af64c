import { describe, expect, it } from 'vitest';
import { isMirrored } from '../../../../../src/domain/gateway/route-transforms/mirror.js';
import { configuredCredentialHeaders } from '../../../../../src/domain/gateway/route-transforms/mirror-headers.js';

const rules = (percent: number) => ({ upstream: 'shadow', percent, keepsCredentials: false });

it.each([
  [0, 0, false],
  [100, 0.999_999, true],
  [10, 0.099, true],
  [10, 0.1, false],
  [0.5, 0.004, true],
])('a share of %d percent with the random number %d: %s', (percent, fraction, expected) => {
  expect(isMirrored(rules(percent), fraction)).toBe(expected);
});

describe('the credential headers of an agent', () => {
  it.each([
    [null, []],
    [{}, []],
    [{ 'api-key-header': 'X-Key' }, ['X-Key']],
    [{ 'api-key-header': 5, oidc: 'x' }, []],
    [{ oidc: { 'token-header': 'X-Token' } }, ['X-Token']],
    [{ 'api-key-header': '', oidc: [{ 'token-header': 'X-A' }, { name: 'b' }] }, ['X-A']],
  ])('of %j are %j', (config, expected) => {
    expect(configuredCredentialHeaders(config)).toEqual(expected);
  });
});
