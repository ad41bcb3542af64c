import { describe, expect, it } from 'vitest';
import type { LogoutRequest, LogoutResponse } from '../../../../../../src/domain/agent/saml/assertion.js';
import { maximumClockSkewMs } from '../../../../../../src/domain/agent/saml/checks/moments.js';
import {
  logoutReplayUntilMs,
  validateLogoutRequest,
  validateLogoutResponse,
} from '../../../../../../src/domain/agent/saml/checks/validate-logout.js';

const now = Date.UTC(2026, 0, 2);
const minute = 60_000;
const skew = 3 * minute;
const idpEntityId = 'https://idp.example/metadata';
const logoutUrl = 'https://app.example/saml/logout';

const request: LogoutRequest = {
  id: '_logout',
  issuer: idpEntityId,
  issueInstantMs: now,
  destination: logoutUrl,
  notOnOrAfterMs: now + minute,
  nameId: { value: 'ann', format: null, nameQualifier: null, spNameQualifier: null },
  sessionIndexes: [],
};

const reason = (changed: Partial<LogoutRequest>, clockSkewMs = skew) =>
  validateLogoutRequest({ ...request, ...changed }, { nowMs: now, clockSkewMs, idpEntityId, logoutUrl });

describe('a LogoutRequest', () => {
  it('is accepted if it is from the identity provider, for us, and new', () => {
    expect(reason({})).toBeNull();
    expect(reason({ notOnOrAfterMs: null })).toBeNull();
  });

  it('is refused with another issuer or recipient', () => {
    expect(reason({ issuer: 'https://evil.example' })).toBe('wrong_issuer');
    expect(reason({ destination: 'https://other.example/saml/logout' })).toBe('wrong_destination');
    expect(reason({ destination: '' })).toBe('wrong_destination');
    expect(reason({ destination: null })).toBe('wrong_destination');
  });

  it('is refused if old, expired or in the future', () => {
    expect(reason({ issueInstantMs: now + skew })).toBeNull();
    expect(reason({ issueInstantMs: now + skew + 1 })).toBe('issued_in_future');
    expect(reason({ issueInstantMs: now - 5 * minute - skew + 1 })).toBeNull();
    expect(reason({ issueInstantMs: now - 5 * minute - skew })).toBe('issued_too_long_ago');
    expect(reason({ notOnOrAfterMs: now - skew + 1 })).toBeNull();
    expect(reason({ notOnOrAfterMs: now - skew })).toBe('expired');
  });

  it('expires when its id may be forgotten, by the largest skew', () => {
    const forgotten = { nowMs: logoutReplayUntilMs(request), clockSkewMs: maximumClockSkewMs, idpEntityId, logoutUrl };
    const endless = { ...request, notOnOrAfterMs: null };
    expect(validateLogoutRequest(endless, forgotten)).toBe('issued_too_long_ago');
    expect(validateLogoutRequest(endless, { ...forgotten, nowMs: forgotten.nowMs - 1 })).toBeNull();
  });
});

describe('a LogoutResponse', () => {
  const response: LogoutResponse = {
    id: '_answer',
    issuer: idpEntityId,
    destination: logoutUrl,
    inResponseTo: '_ours',
    statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success', 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout'],
    isSigned: true,
  };
  const judged = (changed: Partial<LogoutResponse>) =>
    validateLogoutResponse({ ...response, ...changed }, { idpEntityId, logoutUrl, requestId: '_ours' });

  it('confirms a sign-out if it answers our request with success', () => {
    expect(judged({})).toBeNull();
    expect(judged({ destination: null, isSigned: false })).toBeNull();
  });

  it('confirms nothing with another issuer, recipient or request, or a failure', () => {
    expect(judged({ issuer: 'https://evil.example' })).toBe('wrong_issuer');
    expect(judged({ destination: 'https://other.example' })).toBe('wrong_destination');
    expect(judged({ destination: 'https://other.example', isSigned: false })).toBe('wrong_destination');
    expect(judged({ destination: null })).toBe('wrong_destination');
    expect(judged({ inResponseTo: '_other' })).toBe('wrong_in_response_to');
    expect(judged({ inResponseTo: null })).toBe('wrong_in_response_to');
    expect(judged({ statusCodes: [] })).toBe('failed_status');
    expect(judged({ statusCodes: response.statusCodes.toReversed() })).toBe('failed_status');
  });
});
