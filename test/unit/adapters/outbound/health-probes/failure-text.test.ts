import { describe, expect, it } from 'vitest';
import { failureText, lateText } from '../../../../../src/adapters/outbound/health-probes/failure-text.js';

const withCode = (code: string): Error => Object.assign(new Error('10.0.0.1 said: secret'), { code });

describe('the text of a failed check', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection lost'],
    ['EHOSTUNREACH', 'host unreachable'],
    ['HPE_INVALID_CONSTANT', 'malformed answer'],
    ['ERR_OF_ITS_OWN', 'failed: ERR_OF_ITS_OWN'],
    ['X'.repeat(1000), `failed: ${'X'.repeat(40)}`],
  ])('for %s names the cause, and says nothing that the target can choose', (code, text) => {
    expect(failureText(withCode(code))).toBe(text);
  });

  it('names no cause where none is known', () => {
    expect(failureText(new Error('secret'))).toBe('failed: no cause given');
    expect(failureText(null)).toBe('failed: no cause given');
  });

  it('says how long was waited', () => {
    expect(lateText('no answer', 2_000)).toBe('no answer within 2 s');
    expect(lateText('no answer', 250)).toBe('no answer within 0.25 s');
  });
});
