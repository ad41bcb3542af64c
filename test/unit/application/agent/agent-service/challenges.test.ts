import { describe, expect, it } from 'vitest';
import {
  basicChallenge,
  bearerChallenge,
  insufficientScopeChallenge,
} from '../../../../../src/application/agent/agent-service/challenges.js';

const invalid = 'Bearer realm="gateway", error="invalid_token"';

describe('the Bearer challenge', () => {
  it('is only the realm if no token was sent', () => {
    expect(bearerChallenge(null)).toBe('Bearer realm="gateway"');
  });

  it.each([
    ['malformed', 'The token is malformed'],
    ['too_large', 'The token is too large'],
    ['expired', 'The token has expired'],
    ['not_yet_valid', 'The token is not valid yet'],
    ['issued_in_future', 'The token is not valid yet'],
    ['wrong_audience', 'The token is meant for another audience'],
  ] as const)('reports a token that is %s: %s', (reason, text) => {
    expect(bearerChallenge(reason)).toBe(`${invalid}, error_description="${text}"`);
  });

  it.each([
    'bad_signature',
    'unknown_key',
    'unknown_issuer',
    'wrong_issuer',
    'wrong_algorithm',
    'wrong_type',
    'critical_header',
    'unusable_subject',
    'missing_expiry',
    'unknown_credentials',
  ] as const)('does not mention %s, which would help a forger', (reason) => {
    expect(bearerChallenge(reason)).toBe(invalid);
  });
});

describe('the other challenges', () => {
  it('name the required scopes and the character set of passwords', () => {
    expect(insufficientScopeChallenge('read write')).toBe(
      'Bearer realm="gateway", error="insufficient_scope", scope="read write"',
    );
    expect(insufficientScopeChallenge(null)).toBe('Bearer realm="gateway", error="insufficient_scope"');
    expect(basicChallenge).toBe('Basic realm="gateway", charset="UTF-8"');
  });
});
