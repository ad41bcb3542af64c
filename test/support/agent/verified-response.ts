import type { Assertion, SamlResponseHead, VerifiedResponse } from '../../../src/domain/agent/saml/assertion.js';
import type { ResponseExpectation } from '../../../src/domain/agent/saml/checks/response-expectation.js';
import { validateResponse } from '../../../src/domain/agent/saml/checks/validate-response.js';

/** When the response below is judged. */
export const responseMoment = Date.UTC(2026, 0, 2, 3, 4, 5);
export const minute = 60_000;

const acsUrl = 'https://app.example/saml/acs';

/** What `verifiedResponse` fulfils. */
export const expectationOf = (changed: Partial<ResponseExpectation> = {}): ResponseExpectation => ({
  nowMs: responseMoment,
  clockSkewMs: 3 * minute,
  idpEntityId: 'https://idp.example/metadata',
  spEntityId: 'https://app.example/sp',
  acsUrl,
  requestId: '_request',
  allowIdpInitiated: false,
  nameIdFormat: null,
  authnContexts: [],
  authenticatedSinceMs: null,
  userIdAttribute: null,
  ...changed,
});

export const bearerMethod = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** A bearer confirmation for the request above. */
export const bearerFor = (
  data: Partial<NonNullable<Assertion['confirmations'][number]['data']>> = {},
): Assertion['confirmations'][number] => ({
  method: bearerMethod,
  data: {
    recipient: acsUrl,
    inResponseTo: '_request',
    notBeforeMs: null,
    notOnOrAfterMs: responseMoment + 5 * minute,
    ...data,
  },
});

/** A response that is good in every respect, but for what is changed. */
export const verifiedResponse = (changed: ChangedResponse = {}): VerifiedResponse => ({
  head: {
    id: '_response',
    issuer: 'https://idp.example/metadata',
    issueInstantMs: responseMoment - 1000,
    destination: acsUrl,
    inResponseTo: '_request',
    statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
    isSigned: true,
    ...changed.head,
  },
  assertion: {
    id: '_assertion',
    issuer: 'https://idp.example/metadata',
    issueInstantMs: responseMoment - 1000,
    nameId: {
      value: 'ann@example.com',
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      nameQualifier: null,
      spNameQualifier: null,
    },
    confirmations: [bearerFor()],
    conditions: {
      notBeforeMs: responseMoment - minute,
      notOnOrAfterMs: responseMoment + 5 * minute,
      audienceRestrictions: [['https://app.example/sp']],
      oneTimeUse: false,
      unknown: false,
    },
    authentication: [
      {
        authnInstantMs: responseMoment - 2 * minute,
        sessionIndex: '_session',
        sessionNotOnOrAfterMs: responseMoment + 60 * minute,
        contextClass: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      },
    ],
    attributes: [{ name: 'groups', values: ['staff', 'admins'] }],
    ...changed.assertion,
  },
});

export interface ChangedResponse {
  readonly head?: Partial<SamlResponseHead>;
  readonly assertion?: Partial<Assertion>;
}

/** Judges that response, changed, by all checks. */
export const judgeChanged = (changed: ChangedResponse = {}, expected: Partial<ResponseExpectation> = {}) =>
  validateResponse(verifiedResponse(changed), expectationOf(expected));

/** Why that response, changed, is refused; null where it is accepted. */
export const refusalOf = (changed: ChangedResponse, expected: Partial<ResponseExpectation> = {}) => {
  const judged = judgeChanged(changed, expected);
  return judged.ok ? null : judged.error;
};

/** What changes its conditions in part. */
export const withConditions = (changed: Partial<NonNullable<Assertion['conditions']>>): ChangedResponse => {
  const { conditions } = verifiedResponse().assertion;
  return conditions === null ? {} : { assertion: { conditions: { ...conditions, ...changed } } };
};

export const confirmedBy = (...confirmations: Assertion['confirmations']): ChangedResponse => ({
  assertion: { confirmations },
});
