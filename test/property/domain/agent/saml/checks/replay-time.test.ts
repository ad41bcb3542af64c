import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maximumClockSkewMs } from '../../../../../../src/domain/agent/saml/checks/moments.js';
import { validateResponse } from '../../../../../../src/domain/agent/saml/checks/validate-response.js';
import {
  bearerFor,
  expectationOf,
  responseMoment,
  verifiedResponse,
} from '../../../../../support/agent/verified-response.js';

const day = 24 * 60 * 60_000;
const issueInstantMs = responseMoment;
/** Around the time in which it is not too old. */
const moment = fc
  .integer({ min: -maximumClockSkewMs, max: day + maximumClockSkewMs })
  .map((offset) => issueInstantMs + offset);
const skew = fc.integer({ min: 0, max: maximumClockSkewMs });

describe('an accepted assertion', () => {
  it('fails every check once its id may be forgotten', () => {
    fc.assert(
      fc.property(
        fc.record({
          confirmedUntil: fc.array(moment, { minLength: 1, maxLength: 3 }),
          notOnOrAfterMs: fc.option(moment),
          firstMs: moment,
          firstSkew: skew,
          laterMs: fc.integer({ min: 0, max: 3 * day }),
          laterSkew: skew,
        }),
        ({ confirmedUntil, notOnOrAfterMs, firstMs, firstSkew, laterMs, laterSkew }) => {
          const base = verifiedResponse().assertion;
          const response = verifiedResponse({
            head: { issueInstantMs },
            assertion: {
              issueInstantMs,
              confirmations: confirmedUntil.map((ms) => bearerFor({ notOnOrAfterMs: ms })),
              conditions: base.conditions === null ? null : { ...base.conditions, notBeforeMs: null, notOnOrAfterMs },
              authentication: base.authentication.map((statement) => ({
                ...statement,
                authnInstantMs: issueInstantMs,
                sessionNotOnOrAfterMs: null,
              })),
            },
          });
          const first = validateResponse(response, expectationOf({ nowMs: firstMs, clockSkewMs: firstSkew }));
          if (!first.ok) return;
          expect(first.value.replayUntilMs).toBeGreaterThan(firstMs);
          expect(first.value.replayUntilMs).toBeLessThanOrEqual(issueInstantMs + day + maximumClockSkewMs);
          const nowMs = first.value.replayUntilMs + laterMs;
          expect(validateResponse(response, expectationOf({ nowMs, clockSkewMs: laterSkew })).ok).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
