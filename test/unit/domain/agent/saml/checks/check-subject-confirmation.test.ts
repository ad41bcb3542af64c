import { describe, expect, it } from 'vitest';
import {
  bearerFor,
  bearerMethod,
  confirmedBy,
  minute,
  responseMoment as now,
  refusalOf,
} from '../../../../../support/agent/verified-response.js';

const skew = 3 * minute;
const day = 24 * 60 * minute;

describe('the confirmation of the subject', () => {
  it('is one by the bearer', () => {
    expect(refusalOf(confirmedBy())).toBe('no_subject_confirmation');
    const vouched = { ...bearerFor(), method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' };
    expect(refusalOf(confirmedBy(vouched))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy({ method: bearerMethod, data: null }))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy(vouched, bearerFor()))).toBeNull();
  });

  it('is for our consumer endpoint', () => {
    expect(refusalOf(confirmedBy(bearerFor({ recipient: 'https://evil.example/saml/acs' })))).toBe('wrong_recipient');
    expect(refusalOf(confirmedBy(bearerFor({ recipient: null })))).toBe('wrong_recipient');
  });

  it('has an end, which has not come', () => {
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: null })))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: now - skew + 1 })))).toBeNull();
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: now - skew })))).toBe('expired');
  });

  it('has begun, where it says when', () => {
    expect(refusalOf(confirmedBy(bearerFor({ notBeforeMs: now + skew })))).toBeNull();
    expect(refusalOf(confirmedBy(bearerFor({ notBeforeMs: now + skew + 1 })))).toBe('not_yet_valid');
  });

  it('is whole: two halves of one are none', () => {
    const halves = confirmedBy(
      bearerFor({ recipient: 'https://evil.example' }),
      bearerFor({ notOnOrAfterMs: now - day }),
    );
    expect(refusalOf(halves)).toBe('wrong_recipient');
    expect(refusalOf(confirmedBy(bearerFor({ recipient: 'https://evil.example' }), bearerFor()))).toBeNull();
  });
});
