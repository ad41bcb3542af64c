import { describe, expect, it } from 'vitest';
import type { AcceptedAssertion } from '../../../../../src/domain/agent/saml/checks/validate-assertion.js';
import { nameIdOfSession, newSession } from '../../../../../src/domain/agent/saml/session-of-assertion.js';

const now = Date.UTC(2026, 0, 2);
const ttlMs = 8 * 3_600_000;

const accepted: AcceptedAssertion = {
  userId: 'ann',
  nameId: { value: 'ann@example.com', format: null, nameQualifier: null, spNameQualifier: null },
  sessionIndex: '_session',
  authentication: { authnInstantMs: now - 5_000, contextClass: 'urn:password' },
  sessionNotOnOrAfterMs: null,
  attributes: [{ name: 'groups', values: ['staff'] }],
  assertionId: '_assertion',
  replayUntilMs: now + 1,
  validUntilMs: now + 1,
  oneTimeUse: false,
};

const opened = (changed: Partial<AcceptedAssertion> = {}) =>
  newSession({
    accepted: { ...accepted, ...changed },
    idHash: 'ab'.repeat(32),
    issuer: 'https://idp.example',
    clockSkewMs: 30_000,
    pageHash: null,
    nowMs: now,
    ttlMs,
  });

describe('a new session', () => {
  it("contains the assertion's user data, and only a hash of its id", () => {
    expect(opened()).toEqual({
      idHash: 'ab'.repeat(32),
      userId: 'ann',
      method: 'saml',
      provider: 'https://idp.example',
      logout: { subject: 'ann@example.com', session: '_session' },
      details: { provider_name: 'saml', acr: 'urn:password', auth_time_ms: String(now - 5_000) },
      attributes: accepted.attributes,
      createdMs: now,
      expiresMs: now + ttlMs,
      lastSeenMs: now,
    });
  });

  it.each([
    null,
    { value: 'ann', format: null, nameQualifier: null, spNameQualifier: null },
    { value: 'ann', format: 'urn:f', nameQualifier: 'q', spNameQualifier: 's' },
    { value: '', format: '', nameQualifier: null, spNameQualifier: '' },
  ])('restores the NameID %o for a LogoutRequest', (nameId) => {
    expect(nameIdOfSession(opened({ nameId }))).toEqual(nameId);
  });

  it("ends with its lifetime or the identity provider's session, whichever is earlier", () => {
    expect(opened({ sessionNotOnOrAfterMs: now + 1000 }).expiresMs).toBe(now + 1000);
    expect(opened({ sessionNotOnOrAfterMs: now + ttlMs + 1 }).expiresMs).toBe(now + ttlMs);
  });
});
