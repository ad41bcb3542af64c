import { describe, expect, it } from 'vitest';
import { RefusedAttempts } from '../../../../../../src/application/agent/sign-on/saml/sign-on-refusals.js';

describe('documents that were refused for one request', () => {
  it('are enough from the fifth on', () => {
    const attempts = new RefusedAttempts();
    const noted = Array.from({ length: 7 }, () => attempts.noted('a'));
    expect(noted).toEqual([false, false, false, false, true, true, true]);
  });

  it('count for no other request', () => {
    const attempts = new RefusedAttempts();
    for (let count = 0; count < 5; count += 1) attempts.noted('a');
    expect(attempts.noted('b')).toBe(false);
  });

  it('are remembered of 10 000 requests: the one that was refused longest ago is forgotten', () => {
    const attempts = new RefusedAttempts();
    for (const handleHash of ['a', 'b']) for (let count = 0; count < 4; count += 1) attempts.noted(handleHash);
    for (let index = 0; index < 9_999; index += 1) attempts.noted(`r-${index}`);
    expect(attempts.noted('b')).toBe(true);
    expect(attempts.noted('a')).toBe(false);
  });
});
