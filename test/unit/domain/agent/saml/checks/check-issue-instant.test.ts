import { describe, expect, it } from 'vitest';
import { minute, responseMoment as now, refusalOf } from '../../../../../support/agent/verified-response.js';

const skew = 3 * minute;
const day = 24 * 60 * minute;

describe('the IssueInstant check', () => {
  it.each(['head', 'assertion'] as const)('requires an instant of the %s within the skew and a day', (part) => {
    const issued = (issueInstantMs: number) => refusalOf({ [part]: { issueInstantMs } });
    expect(issued(now + skew)).toBeNull();
    expect(issued(now + skew + 1)).toBe('issued_in_future');
    expect(issued(now - day - skew + 1)).toBeNull();
    expect(issued(now - day - skew)).toBe('issued_too_long_ago');
  });
});
