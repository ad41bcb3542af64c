import { describe, expect, it } from 'vitest';
import { isManner } from '../../../bench/faults/manners.js';
import { failuresOf, hasFailed, type RequestOutcome } from '../../../bench/faults/request-load.js';

const outcomeOf = (changes: Partial<RequestOutcome>): RequestOutcome => ({
  id: 0,
  method: 'GET',
  beganMs: 0,
  endedMs: 1,
  status: 200,
  code: null,
  isCut: false,
  hasRetryAfter: false,
  text: 'one',
  ...changes,
});

describe('the outcomes of requests', () => {
  it('are failures where the answer is not 200, or is not whole, or there is none', () => {
    expect(hasFailed(outcomeOf({}))).toBe(false);
    expect(hasFailed(outcomeOf({ status: 503 }))).toBe(true);
    expect(hasFailed(outcomeOf({ isCut: true }))).toBe(true);
    expect(hasFailed(outcomeOf({ status: 0, isCut: true }))).toBe(true);
  });

  it('are counted by method and by what the client saw', () => {
    const timeout = outcomeOf({ method: 'POST', status: 504, code: 'upstream_timeout' });
    const outcomes = [
      outcomeOf({}),
      timeout,
      timeout,
      outcomeOf({ status: 500 }),
      outcomeOf({ isCut: true }),
      outcomeOf({ status: 0, isCut: true }),
    ];
    expect(failuresOf(outcomes)).toEqual({
      'POST 504 upstream_timeout': 2,
      'GET 500': 1,
      'GET cut': 1,
      'GET no answer': 1,
    });
  });
});

it('a target knows its manners, and nothing else', () => {
  expect(['well', 'refusing', 'favicon.ico', ''].map(isManner)).toEqual([true, true, false, false]);
});
