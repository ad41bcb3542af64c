import { describe, expect, it } from 'vitest';
import { bearerFor, confirmedBy, refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the InResponseTo check', () => {
  it('requires our request in the response and in the confirmation', () => {
    expect(refusalOf({ head: { inResponseTo: '_other' } })).toBe('wrong_in_response_to');
    expect(refusalOf({ head: { inResponseTo: null } })).toBe('wrong_in_response_to');
    expect(refusalOf(confirmedBy(bearerFor({ inResponseTo: '_other' })))).toBe('wrong_in_response_to');
    expect(refusalOf(confirmedBy(bearerFor({ inResponseTo: null })))).toBe('wrong_in_response_to');
  });

  it('accepts its absence only if allowed', () => {
    const unsolicited = { head: { inResponseTo: null }, ...confirmedBy(bearerFor({ inResponseTo: null })) };
    expect(refusalOf(unsolicited, { requestId: null })).toBe('unsolicited');
    expect(refusalOf(unsolicited, { requestId: null, allowIdpInitiated: true })).toBeNull();
    expect(refusalOf(unsolicited, { requestId: '_request', allowIdpInitiated: true })).toBe('wrong_in_response_to');
  });

  it("refuses another client's request: a stolen response is not unsolicited", () => {
    const allowed = { requestId: null, allowIdpInitiated: true };
    const none = bearerFor({ inResponseTo: null });
    expect(refusalOf({ head: { inResponseTo: '_stolen' }, ...confirmedBy(none) }, allowed)).toBe(
      'wrong_in_response_to',
    );
    expect(refusalOf({ head: { inResponseTo: '' }, ...confirmedBy(none) }, allowed)).toBe('wrong_in_response_to');
    const stolen = confirmedBy(none, bearerFor({ inResponseTo: '_stolen' }));
    expect(refusalOf({ head: { inResponseTo: null }, ...stolen }, allowed)).toBe('wrong_in_response_to');
    const other = { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches', data: bearerFor().data };
    expect(refusalOf({ head: { inResponseTo: null }, ...confirmedBy(none, other) }, allowed)).toBe(
      'wrong_in_response_to',
    );
  });
});
