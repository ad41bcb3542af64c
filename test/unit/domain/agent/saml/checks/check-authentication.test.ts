import { describe, expect, it } from 'vitest';
import type { AuthenticationStatement } from '../../../../../../src/domain/agent/saml/assertion.js';
import {
  judgeChanged,
  minute,
  responseMoment as now,
  refusalOf,
  verifiedResponse,
} from '../../../../../support/agent/verified-response.js';

const skew = 3 * minute;
const statement = verifiedResponse().assertion.authentication[0] as AuthenticationStatement;

describe('the AuthnStatement check', () => {
  it('requires a statement', () => {
    expect(refusalOf({ assertion: { authentication: [] } })).toBe('no_authentication_statement');
  });

  it('requires an active session, without skew', () => {
    const ending = (sessionNotOnOrAfterMs: number) => ({ authentication: [{ ...statement, sessionNotOnOrAfterMs }] });
    expect(refusalOf({ assertion: ending(now + 1) })).toBeNull();
    expect(refusalOf({ assertion: ending(now) })).toBe('session_over');
    const both = { authentication: [statement, { ...statement, sessionNotOnOrAfterMs: now - 1 }] };
    expect(refusalOf({ assertion: both })).toBe('session_over');
  });

  it('requires an authentication in the past', () => {
    const at = (authnInstantMs: number) => ({ assertion: { authentication: [{ ...statement, authnInstantMs }] } });
    expect(refusalOf(at(now + skew))).toBeNull();
    expect(refusalOf(at(now + skew + 1))).toBe('issued_in_future');
  });

  it('requires one of the requested contexts', () => {
    const strong = 'https://refeds.org/profile/mfa';
    expect(refusalOf({}, { authnContexts: [strong] })).toBe('wrong_authentication_context');
    const without = { authentication: [{ ...statement, contextClass: null }] };
    expect(refusalOf({ assertion: without }, { authnContexts: [strong] })).toBe('wrong_authentication_context');
    expect(refusalOf({ assertion: without })).toBeNull();
    expect(refusalOf({}, { authnContexts: [strong, statement.contextClass as string] })).toBeNull();
  });

  it('returns the session index of the matching context, and the earliest end of all', () => {
    const mfa = { ...statement, contextClass: 'mfa', sessionIndex: '_strong', sessionNotOnOrAfterMs: null };
    const judged = judgeChanged({ assertion: { authentication: [statement, mfa] } }, { authnContexts: ['mfa'] });
    expect(judged).toMatchObject({
      ok: true,
      value: { sessionIndex: '_strong', sessionNotOnOrAfterMs: now + 60 * minute },
    });
    expect(judgeChanged({ assertion: { authentication: [mfa] } })).toMatchObject({
      value: { sessionNotOnOrAfterMs: null },
    });
  });

  it('requires the requested freshness in each statement', () => {
    const since = { authenticatedSinceMs: now - minute };
    const at = (...moments: readonly number[]) => ({
      assertion: { authentication: moments.map((authnInstantMs) => ({ ...statement, authnInstantMs })) },
    });
    expect(refusalOf(at(now), since)).toBeNull();
    expect(refusalOf(at(now - minute - skew + 1), since)).toBeNull();
    expect(refusalOf(at(now - minute - skew), since)).toBe('authentication_not_fresh');
    expect(refusalOf(at(now, now - 60 * minute), since)).toBe('authentication_not_fresh');
    expect(refusalOf(at(now - 60 * minute))).toBeNull();
  });
});
