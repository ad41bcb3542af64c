import { expect, it } from 'vitest';
import { opensOn } from '../../../../src/domain/agent-protocol/failure-rules.js';

it.each(['malformed_answer', 'response_too_large', 'cancelled'] as const)('%s never fails open', (code) => {
  expect(opensOn(code)).toBe(false);
});

it.each([
  'unreachable',
  'disconnected',
  'timed_out',
  'queue_full',
  'refused',
  'unhealthy',
  'circuit_open',
  'unsupported_event',
] as const)('%s is no answer, and opens', (code) => {
  expect(opensOn(code)).toBe(true);
});
