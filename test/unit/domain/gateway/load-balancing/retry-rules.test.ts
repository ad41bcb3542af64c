import { describe, expect, it } from 'vitest';
import { type FailedAttempt, mayRetry } from '../../../../../src/domain/gateway/load-balancing/retry-rules.js';

const rules = { maxAttempts: 3, budgetPercent: 20 };

const attempt = (changes: Partial<FailedAttempt>): FailedAttempt => ({
  method: 'GET',
  failure: 'unreachable',
  neverSent: false,
  wasEvicted: false,
  isRepeatable: true,
  attempts: 1,
  leftMs: 100,
  ...changes,
});

describe('a request that may have been processed', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('is retried with %s', (method) => {
    expect(mayRetry(attempt({ method }), rules)).toBe(true);
  });

  it.each(['POST', 'PATCH', 'CONNECT', 'PROPFIND', 'get', ''])('is not retried with %s', (method) => {
    expect(mayRetry(attempt({ method }), rules)).toBe(false);
    expect(mayRetry(attempt({ method, failure: 'timed_out' }), rules)).toBe(false);
  });
});

it('an unsent request may be retried, whatever its method', () => {
  expect(mayRetry(attempt({ method: 'POST', neverSent: true }), rules)).toBe(true);
  expect(mayRetry(attempt({ method: 'POST', neverSent: true, failure: 'overloaded' }), rules)).toBe(true);
});

it.each(['unreachable', 'invalid_response', 'timed_out', 'overloaded'])(
  '%s may be otherwise at another target',
  (failure) => {
    expect(mayRetry(attempt({ failure }), rules)).toBe(true);
  },
);

it.each(['request_body', 'refused_request', 'cancelled', 'anything'])(
  '%s would be the same at every target',
  (failure) => {
    expect(mayRetry(attempt({ failure, neverSent: true }), rules)).toBe(false);
  },
);

it.each([
  ['the attempts are used up', { attempts: 3 }],
  ['the time is over', { leftMs: 0 }],
  ['part of the body is gone', { isRepeatable: false }],
])('there is no retry if %s', (_, changes) => {
  expect(mayRetry(attempt({ ...changes, neverSent: true }), rules)).toBe(false);
});

it('an evicted request continues, even with one attempt', () => {
  const evicted = { method: 'POST', failure: 'overloaded', neverSent: true, wasEvicted: true };
  expect(mayRetry(attempt(evicted), { ...rules, maxAttempts: 1 })).toBe(true);
  expect(mayRetry(attempt({ ...evicted, leftMs: 0 }), rules)).toBe(false);
  expect(mayRetry(attempt({ ...evicted, isRepeatable: false }), rules)).toBe(false);
  expect(mayRetry(attempt({ ...evicted, failure: 'request_body' }), rules)).toBe(false);
});

it('one attempt means no retry', () => {
  expect(mayRetry(attempt({}), { ...rules, maxAttempts: 1 })).toBe(false);
  expect(mayRetry(attempt({ attempts: 2 }), rules)).toBe(true);
});
