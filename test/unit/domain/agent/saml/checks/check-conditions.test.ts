import { describe, expect, it } from 'vitest';
import {
  minute,
  responseMoment as now,
  refusalOf,
  withConditions,
} from '../../../../../support/agent/verified-response.js';

const skew = 3 * minute;

describe('the conditions', () => {
  it('are required, and all of them known', () => {
    expect(refusalOf({ assertion: { conditions: null } })).toBe('no_conditions');
    expect(refusalOf(withConditions({ unknown: true }))).toBe('unknown_condition');
    expect(refusalOf(withConditions({ oneTimeUse: true }))).toBeNull();
  });

  it('hold from NotBefore until before NotOnOrAfter, with the skew on both sides', () => {
    expect(refusalOf(withConditions({ notBeforeMs: now + skew }))).toBeNull();
    expect(refusalOf(withConditions({ notBeforeMs: now + skew + 1 }))).toBe('not_yet_valid');
    expect(refusalOf(withConditions({ notOnOrAfterMs: now - skew + 1, notBeforeMs: null }))).toBeNull();
    expect(refusalOf(withConditions({ notOnOrAfterMs: now - skew, notBeforeMs: null }))).toBe('expired');
    expect(refusalOf(withConditions({ notOnOrAfterMs: null, notBeforeMs: null }))).toBeNull();
  });

  it('do not end before they begin, not even within the skew', () => {
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
  ])('name us: %s is refused', (_, audienceRestrictions) => {
    expect(refusalOf(withConditions({ audienceRestrictions }))).toBe('wrong_audience');
  });

  it('may name others beside us', () => {
    const audiences = ['https://other.example/sp', 'https://app.example/sp'];
    expect(refusalOf(withConditions({ audienceRestrictions: [audiences, audiences] }))).toBeNull();
  });
});
