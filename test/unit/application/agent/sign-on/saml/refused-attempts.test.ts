import { describe, expect, it } from 'vitest';
import { RefusedAttempts } from '../../../../../../src/application/agent/sign-on/saml/sign-on-refusals.js';

describe('refused documents of one request', () => {
  it('exceed the limit from the fifth', () => {
    const attempts = new RefusedAttempts();
    const noted = Array.from({ length: 7 }, () => attempts.noted('a'));
    expect(noted).toEqual([false, false, false, false, true, true, true]);
  });

  it('count separately for each request', () => {
    const attempts = new RefusedAttempts();
    for (let count = 0; count < 5; count += 1) attempts.noted('a');
    expect(attempts.noted('b')).toBe(false);
  });

  it('are counted for 10 000 requests, and the least recent is evicted', () => {
    const attempts = new RefusedAttempts();
    for (const handleHash of ['a', 'b']) for (let count = 0; count < 4; count += 1) attempts.noted(handleHash);
    for (let index = 0; index < 9_999; index += 1) attempts.noted(`r-${index}`);
    expect(attempts.noted('b')).toBe(true);
    expect(attempts.noted('a')).toBe(false);
  });
});
