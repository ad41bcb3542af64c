import { describe, expect, it } from 'vitest';
import {
  outcomeOfFailure,
  outcomeOfStatus,
} from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';

describe('an attempt', () => {
  it.each(['unreachable', 'invalid_response', 'timed_out'] as const)('that is %s is a failure', (code) => {
    expect(outcomeOfFailure(code)).toBe('failure');
  });

  it.each(['refused_request', 'overloaded', 'request_body', 'cancelled'] as const)(
    'that is %s says nothing about whoever was asked',
    (code) => {
      expect(outcomeOfFailure(code)).toBe('neither');
    },
  );

  it('is a failure only with a status of a failing server', () => {
    const failing = Array.from({ length: 500 }, (_, index) => index + 100).filter(
      (status) => outcomeOfStatus(status) === 'failure',
    );
    expect(failing).toEqual([500, 502, 503, 504]);
  });
});
