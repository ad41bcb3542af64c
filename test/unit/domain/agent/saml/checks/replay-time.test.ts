import { describe, expect, it } from 'vitest';
import { maximumClockSkewMs } from '../../../../../../src/domain/agent/saml/checks/moments.js';
import {
  bearerFor,
  type ChangedResponse,
  confirmedBy,
  judgeChanged,
  minute,
  responseMoment as now,
  withConditions,
} from '../../../../../support/agent/verified-response.js';

const day = 24 * 60 * minute;

describe('the retention of an assertion id', () => {
  const until = (changed: ChangedResponse) => {
    const judged = judgeChanged(changed);
    return judged.ok ? judged.value.replayUntilMs : null;
  };

  it('ends with the earliest expiry of the assertion, by the largest skew', () => {
    expect(until(withConditions({ notOnOrAfterMs: now + minute }))).toBe(now + minute + maximumClockSkewMs);
    const endless = {
      ...withConditions({ notOnOrAfterMs: null }).assertion,
      confirmations: [bearerFor({ notOnOrAfterMs: now + 99 * day })],
    };
    expect(until({ assertion: endless })).toBe(now - 1000 + day + maximumClockSkewMs);
  });

  it('is as long as that of any confirmation, because a replay could use another one', () => {
    const long = bearerFor({ inResponseTo: '_later', notOnOrAfterMs: now + 4 * minute });
    const short = bearerFor({ notOnOrAfterMs: now + minute });
    expect(until(confirmedBy(short, long))).toBe(now + 4 * minute + maximumClockSkewMs);
  });
});
