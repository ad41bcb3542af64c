import { describe, expect, it } from 'vitest';
import { maximumClockSkewMs } from '../../../../../../src/domain/agent/saml/checks/moments.js';
import {
  judgeChanged,
  minute,
  responseMoment as now,
  verifiedResponse,
} from '../../../../../support/agent/verified-response.js';

const good = verifiedResponse().assertion;

describe('a fully valid response', () => {
  it('is accepted, with the content of the assertion', () => {
    expect(judgeChanged()).toEqual({
      ok: true,
      value: {
        userId: 'ann@example.com',
        nameId: good.nameId,
        sessionIndex: '_session',
        authentication: {
          authnInstantMs: good.authentication[0]?.authnInstantMs,
          contextClass: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
        },
        sessionNotOnOrAfterMs: now + 60 * minute,
        attributes: [{ name: 'groups', values: ['staff', 'admins'] }],
        assertionId: '_assertion',
        replayUntilMs: now + 5 * minute + maximumClockSkewMs,
        validUntilMs: now + 5 * minute,
        oneTimeUse: false,
      },
    });
  });
});
