import { describe, expect, it } from 'vitest';
import type { ResponseExpectation } from '../../../../../../src/domain/agent/saml/checks/response-expectation.js';
import { validateAssertion } from '../../../../../../src/domain/agent/saml/checks/validate-assertion.js';
import {
  bearerFor,
  type ChangedResponse,
  confirmedBy,
  expectationOf,
  minute,
  responseMoment as now,
  verifiedResponse,
  withConditions,
} from '../../../../../support/agent/verified-response.js';

const unasked = { requestId: null, allowIdpInitiated: true };
const toNobody = bearerFor({ inResponseTo: null });

/** Judges an assertion that came alone, and answers no request. */
const judged = (changed: ChangedResponse = {}, expected: Partial<ResponseExpectation> = unasked) => {
  const { assertion } = verifiedResponse({ assertion: { confirmations: [toNobody], ...changed.assertion } });
  return validateAssertion({ head: null, assertion }, expectationOf(expected));
};

const refusal = (changed: ChangedResponse, expected?: Partial<ResponseExpectation>): string | null => {
  const result = judged(changed, expected);
  return result.ok ? null : result.error;
};

const valid = (changed: ChangedResponse): { readonly untilMs: number; readonly once: boolean } | string => {
  const result = judged(changed);
  return result.ok ? { untilMs: result.value.validUntilMs, once: result.value.oneTimeUse } : result.error;
};

describe('a standalone assertion', () => {
  it('is accepted without a response around it', () => {
    expect(judged()).toMatchObject({ ok: true, value: { userId: 'ann@example.com', assertionId: '_assertion' } });
  });

  it('never counts as an answer to a request, for any confirmation', () => {
    expect(refusal(confirmedBy(bearerFor()), { requestId: '_request' })).toBe('wrong_in_response_to');
    expect(refusal(confirmedBy(bearerFor()))).toBe('wrong_in_response_to');
    expect(refusal(confirmedBy(toNobody, bearerFor()))).toBe('wrong_in_response_to');
    expect(refusal({}, { requestId: null, allowIdpInitiated: false })).toBe('unsolicited');
  });

  it('passes every check of an assertion in a response', () => {
    expect(refusal({ assertion: { issuer: 'https://other.example' } })).toBe('wrong_issuer');
    expect(refusal({ assertion: { issueInstantMs: now + 60 * minute } })).toBe('issued_in_future');
    expect(refusal({ assertion: { issueInstantMs: now - 25 * 60 * minute } })).toBe('issued_too_long_ago');
    expect(refusal({ assertion: { conditions: null } })).toBe('no_conditions');
    expect(refusal(withConditions({ audienceRestrictions: [] }))).toBe('wrong_audience');
    expect(refusal(withConditions({ unknown: true }))).toBe('unknown_condition');
    expect(refusal(confirmedBy(bearerFor({ inResponseTo: null, recipient: null })))).toBe('wrong_recipient');
    expect(refusal({ assertion: { authentication: [] } })).toBe('no_authentication_statement');
    expect(refusal({}, { ...unasked, authnContexts: ['urn:strong'] })).toBe('wrong_authentication_context');
    expect(refusal({ assertion: { nameId: null } })).toBe('no_subject');
    expect(refusal({}, { ...unasked, userIdAttribute: 'uid' })).toBe('unusable_user_id');
  });
});

describe('the expiry of an assertion', () => {
  const confirmedUntil = (ms: number) => bearerFor({ inResponseTo: null, notOnOrAfterMs: ms });

  it('is the earliest of its conditions, its confirmation and its session', () => {
    const early = now + 2 * minute;
    expect(valid({})).toEqual({ untilMs: now + 5 * minute, once: false });
    expect(valid(withConditions({ notOnOrAfterMs: early }))).toMatchObject({ untilMs: early });
    expect(valid(confirmedBy(confirmedUntil(early)))).toMatchObject({ untilMs: early });
    const [statement] = verifiedResponse().assertion.authentication;
    if (statement === undefined) throw new Error('there is none');
    const authentication = [statement, { ...statement, sessionNotOnOrAfterMs: early }];
    expect(valid({ assertion: { authentication } })).toMatchObject({ untilMs: early });
  });

  it('is that of its confirmation if nothing else has one', () => {
    const authentication = verifiedResponse().assertion.authentication.map((statement) => ({
      ...statement,
      sessionNotOnOrAfterMs: null,
    }));
    const { conditions } = withConditions({ notOnOrAfterMs: null }).assertion ?? {};
    if (conditions === undefined) throw new Error('there are none');
    expect(valid({ assertion: { authentication, conditions } })).toMatchObject({ untilMs: now + 5 * minute });
  });

  it('is that of the accepted confirmation, not of a foreign or expired one', () => {
    const other = bearerFor({ inResponseTo: null, recipient: 'https://other.example', notOnOrAfterMs: now + minute });
    const over = confirmedUntil(now - 60 * minute);
    expect(valid(confirmedBy(other, over, confirmedUntil(now + 3 * minute)))).toMatchObject({
      untilMs: now + 3 * minute,
    });
  });

  it('excludes the skew, although the skew accepts it', () => {
    expect(valid(confirmedBy(confirmedUntil(now - minute)))).toMatchObject({ untilMs: now - minute });
  });

  it('comes after one use if the issuer demands that', () => {
    expect(valid(withConditions({ oneTimeUse: true }))).toMatchObject({ once: true });
  });
});
