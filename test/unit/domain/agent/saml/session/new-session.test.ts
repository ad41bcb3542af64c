import { describe, expect, it } from 'vitest';
import type { AcceptedAssertion } from '../../../../../../src/domain/agent/saml/checks/judge-assertion.js';
import { newSession } from '../../../../../../src/domain/agent/saml/session/new-session.js';

const now = Date.UTC(2026, 0, 2);
const ttlMs = 8 * 3_600_000;

const accepted: AcceptedAssertion = {
  userId: 'ann',
  nameId: { value: 'ann@example.com', format: null, nameQualifier: null, spNameQualifier: null },
  sessionIndex: '_session',
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
    nowMs: now,
    ttlMs,
  });

describe('a new session', () => {
  it('has what the assertion says of the user, and nothing of its id', () => {
    expect(opened()).toEqual({
      idHash: 'ab'.repeat(32),
      userId: 'ann',
      nameId: accepted.nameId,
      sessionIndex: '_session',
      issuer: 'https://idp.example',
      attributes: accepted.attributes,
      createdMs: now,
      expiresMs: now + ttlMs,
      lastSeenMs: now,
    });
  });

  it('ends with its time to live or with the session of the identity provider, whichever is earlier', () => {
    expect(opened({ sessionNotOnOrAfterMs: now + 1000 }).expiresMs).toBe(now + 1000);
    expect(opened({ sessionNotOnOrAfterMs: now + ttlMs + 1 }).expiresMs).toBe(now + ttlMs);
  });
});
