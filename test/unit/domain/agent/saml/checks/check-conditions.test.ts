import { describe, expect, it } from 'vitest';
import {
  minute,
  responseMoment as now,
  refusalOf,
  withConditions,
} from '../../../../../support/agent/verified-response.js';

const skew = 3 * minute;

describe('the Conditions check', () => {
  it('requires conditions, and refuses unknown ones', () => {
    expect(refusalOf({ assertion: { conditions: null } })).toBe('no_conditions');
    expect(refusalOf(withConditions({ unknown: true }))).toBe('unknown_condition');
    expect(refusalOf(withConditions({ oneTimeUse: true }))).toBeNull();
  });

  it('accepts from NotBefore until before NotOnOrAfter, with the skew on both sides', () => {
    expect(refusalOf(withConditions({ notBeforeMs: now + skew }))).toBeNull();
    expect(refusalOf(withConditions({ notBeforeMs: now + skew + 1 }))).toBe('not_yet_valid');
    expect(refusalOf(withConditions({ notOnOrAfterMs: now - skew + 1, notBeforeMs: null }))).toBeNull();
    expect(refusalOf(withConditions({ notOnOrAfterMs: now - skew, notBeforeMs: null }))).toBe('expired');
    expect(refusalOf(withConditions({ notOnOrAfterMs: null, notBeforeMs: null }))).toBeNull();
  });

  it('refuses an end before the beginning, even within the skew', () => {
    expect(refusalOf(withConditions({ notBeforeMs: now + 1, notOnOrAfterMs: now + 1 }))).toBe('malformed_element');
    expect(refusalOf(withConditions({ notBeforeMs: now + 2, notOnOrAfterMs: now - 2 }))).toBe('malformed_element');
  });

  it.each([
    ['no restriction', []],
    ['an empty one', [[]]],
    ['somebody else', [['https://other.example/sp']]],
    ['our name and more', [['https://app.example/sp/']]],
    [
      'us in one restriction and somebody else in the other',
      [['https://app.example/sp'], ['https://other.example/sp']],
    ],
  ])('requires our audience: %s is refused', (_, audienceRestrictions) => {
    expect(refusalOf(withConditions({ audienceRestrictions }))).toBe('wrong_audience');
  });

  it('accepts additional audiences', () => {
    const audiences = ['https://other.example/sp', 'https://app.example/sp'];
    expect(refusalOf(withConditions({ audienceRestrictions: [audiences, audiences] }))).toBeNull();
  });
});
