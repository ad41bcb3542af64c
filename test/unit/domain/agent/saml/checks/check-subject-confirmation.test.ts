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

describe('the SubjectConfirmation check', () => {
  it('requires a bearer confirmation', () => {
    expect(refusalOf(confirmedBy())).toBe('no_subject_confirmation');
    const vouched = { ...bearerFor(), method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' };
    expect(refusalOf(confirmedBy(vouched))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy({ method: bearerMethod, data: null }))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy(vouched, bearerFor()))).toBeNull();
  });

  it('requires our consumer endpoint', () => {
    expect(refusalOf(confirmedBy(bearerFor({ recipient: 'https://evil.example/saml/acs' })))).toBe('wrong_recipient');
    expect(refusalOf(confirmedBy(bearerFor({ recipient: null })))).toBe('wrong_recipient');
  });

  it('requires an end in the future', () => {
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: null })))).toBe('no_subject_confirmation');
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: now - skew + 1 })))).toBeNull();
    expect(refusalOf(confirmedBy(bearerFor({ notOnOrAfterMs: now - skew })))).toBe('expired');
  });

  it('requires a beginning in the past, if given', () => {
    expect(refusalOf(confirmedBy(bearerFor({ notBeforeMs: now + skew })))).toBeNull();
    expect(refusalOf(confirmedBy(bearerFor({ notBeforeMs: now + skew + 1 })))).toBe('not_yet_valid');
  });

  it('requires one complete confirmation: two halves do not count', () => {
    const halves = confirmedBy(
      bearerFor({ recipient: 'https://evil.example' }),
      bearerFor({ notOnOrAfterMs: now - day }),
    );
    expect(refusalOf(halves)).toBe('wrong_recipient');
    expect(refusalOf(confirmedBy(bearerFor({ recipient: 'https://evil.example' }), bearerFor()))).toBeNull();
  });
});
