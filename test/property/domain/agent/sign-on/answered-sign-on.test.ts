import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answeredRecord,
  answeredSignOnMs,
  readAnsweredRecord,
  sessionsOfReplay,
} from '../../../../../src/domain/agent/sign-on/answered-sign-on.js';

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const answered = fc.record({
  key: hash,
  requestId: fc.oneof(fc.constant(''), fc.stringMatching(/^_[0-9a-f-]{36}$/)),
  documentHash: hash,
  sessionHash: hash,
  returnTo: fc.webPath(),
});

describe('an answered sign-on', () => {
  it('round-trips, and expires after an hour', () => {
    fc.assert(
      fc.property(answered, fc.nat(), (one, nowMs) => {
        const record = answeredRecord(one, nowMs);
        expect(readAnsweredRecord(record)).toEqual(one);
        expect(record.expiresMs - record.createdMs).toBe(answeredSignOnMs);
      }),
    );
  });

  it('is never read from a request that awaits its answer', () => {
    const kind = fc.constantFrom('sign_on', 'sign_out');
    fc.assert(
      fc.property(answered, kind, fc.option(fc.string()), (one, waiting, bindingHash) => {
        expect(readAnsweredRecord({ ...answeredRecord(one, 0), kind: waiting })).toBeNull();
        expect(readAnsweredRecord({ ...answeredRecord(one, 0), kind: waiting, bindingHash })).toBeNull();
      }),
    );
  });

  it('redirects by its session only a browser that shows no cookie and may hold cookies back', () => {
    fc.assert(
      fc.property(answered, fc.array(hash), fc.boolean(), (one, shown, mayHoldBack) => {
        const asked = sessionsOfReplay(shown, mayHoldBack, one);
        expect(asked).toEqual(shown.length === 0 && mayHoldBack ? [one.sessionHash] : shown);
      }),
    );
  });
});
