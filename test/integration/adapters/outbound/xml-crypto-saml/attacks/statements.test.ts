import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import type { ResponseExpectation } from '../../../../../../src/domain/agent/saml/checks/response-expectation.js';
import { validateResponse } from '../../../../../../src/domain/agent/saml/checks/validate-response.js';
import {
  acsUrl,
  idpEntityId,
  issuedMs,
  nameIdFormats,
  posted,
  type ResponseParts,
  requestId,
  signedResponse,
  spEntityId,
} from '../../../../../support/agent/saml-documents.js';
import { documentKeys } from '../../../../../support/agent/saml-verifying.js';

const hourMs = 3_600_000;

const expected: ResponseExpectation = {
  nowMs: issuedMs + 1000,
  clockSkewMs: 300_000,
  idpEntityId,
  spEntityId,
  acsUrl,
  requestId,
  allowIdpInitiated: false,
  nameIdFormat: null,
  authnContexts: [],
  userIdAttribute: null,
  authenticatedSinceMs: null,
};

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

const judged = async (
  parts: Partial<ResponseParts>,
  expectation: Partial<ResponseExpectation> = {},
): Promise<string> => {
  const xml = signedResponse(parts, { signed: 'both' });
  const verified = await new XmlCryptoDocumentVerifier().verifyResponse(posted(xml), documentKeys());
  if (!verified.ok) return verified.error;
  const result = validateResponse(verified.value, { ...expected, ...expectation });
  return result.ok ? `accepted ${result.value.userId}` : result.error;
};

/** The identity provider itself has signed these: for somebody else, for another time, or carelessly. */
describe('a signed response with wrong content', () => {
  it('is accepted with the right content', async () => {
    expect(await judged({})).toBe('accepted alice@example.com');
  });

  const refused: Readonly<
    Record<string, readonly [parts: Partial<ResponseParts>, reason: string, expectation?: Partial<ResponseExpectation>]>
  > = {
    'a failure': [{ status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, 'failed_status'],
    'another issuer': [{ assertion: { issuer: 'https://other.example/' } }, 'wrong_issuer'],
    'another issuer of the response': [{ issuer: 'https://other.example/' }, 'wrong_issuer'],
    'an issuer that only begins so': [{ assertion: { issuer: `${idpEntityId}/x` } }, 'wrong_issuer'],
    'another audience': [{ assertion: { audience: 'https://other.example/' } }, 'wrong_audience'],
    'no audience': [{ assertion: { audience: null } }, 'wrong_audience'],
    'a second restriction to another audience': [
      {
        assertion: {
          conditions: `<saml:Conditions NotOnOrAfter="2026-01-02T03:09:05Z"><saml:AudienceRestriction><saml:Audience>${spEntityId}</saml:Audience></saml:AudienceRestriction><saml:AudienceRestriction><saml:Audience>https://other.example/</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
        },
      },
      'wrong_audience',
    ],
    'no conditions': [{ assertion: { conditions: '' } }, 'no_conditions'],
    'another recipient': [{ assertion: { recipient: 'https://other.example/acs' } }, 'wrong_recipient'],
    'no recipient': [{ assertion: { recipient: null } }, 'wrong_recipient'],
    'another destination': [{ destination: 'https://other.example/acs' }, 'wrong_destination'],
    'no destination': [{ destination: null }, 'wrong_destination'],
    'the answer to another request': [{ inResponseTo: '_other' }, 'wrong_in_response_to'],
    'the answer to another request, in the confirmation': [
      { assertion: { inResponseTo: '_other' } },
      'wrong_in_response_to',
    ],
    'the answer to no request': [{ inResponseTo: null }, 'wrong_in_response_to'],
    'an answer that nobody asked for': [{ inResponseTo: null }, 'unsolicited', { requestId: null }],
    'an answer to somebody, unasked': [{}, 'wrong_in_response_to', { requestId: null, allowIdpInitiated: true }],
    'conditions that are over': [{ assertion: { notBeforeMs: null, notOnOrAfterMs: issuedMs - hourMs } }, 'expired'],
    'conditions that are not there yet': [
      { assertion: { notBeforeMs: issuedMs + hourMs, notOnOrAfterMs: issuedMs + 2 * hourMs } },
      'not_yet_valid',
    ],
    'a confirmation that is over': [{ assertion: { confirmationNotOnOrAfterMs: issuedMs - hourMs } }, 'expired'],
    'a confirmation without an end': [{ assertion: { confirmationNotOnOrAfterMs: null } }, 'no_subject_confirmation'],
    'a time in the future': [{ nowMs: issuedMs + hourMs, assertion: { notBeforeMs: null } }, 'issued_in_future'],
    'a time long ago': [
      {
        nowMs: issuedMs - 48 * hourMs,
        assertion: { notOnOrAfterMs: issuedMs + hourMs, confirmationNotOnOrAfterMs: issuedMs + hourMs },
      },
      'issued_too_long_ago',
    ],
    'a session that is over': [{ assertion: { sessionNotOnOrAfterMs: issuedMs - hourMs } }, 'session_over'],
    'no confirmation': [
      { assertion: { subject: '<saml:Subject><saml:NameID>alice</saml:NameID></saml:Subject>' } },
      'no_subject_confirmation',
    ],
    'a confirmation by other means': [
      {
        assertion: {
          subject: `<saml:Subject><saml:NameID>alice</saml:NameID><saml:SubjectConfirmation Method="${bearer.replace('bearer', 'sender-vouches')}"/></saml:Subject>`,
        },
      },
      'no_subject_confirmation',
    ],
    'no subject': [{ assertion: { subject: '' } }, 'no_subject_confirmation'],
    'no name': [{ assertion: { nameId: null } }, 'no_subject'],
    'an empty name': [{ assertion: { nameId: '' } }, 'no_subject'],
    'no authentication': [{ assertion: { authnStatement: '' } }, 'no_authentication_statement'],
    'an authentication that is too weak': [{}, 'wrong_authentication_context', { authnContexts: ['urn:strong'] }],
    'a name of another format': [{}, 'wrong_name_id_format', { nameIdFormat: nameIdFormats.persistent }],
    'no user id': [{}, 'unusable_user_id', { userIdAttribute: 'uid' }],
    'several user ids': [{}, 'unusable_user_id', { userIdAttribute: 'groups' }],
  };
  for (const [name, [parts, reason, expectation]] of Object.entries(refused)) {
    it(`is refused for ${name}`, async () => {
      expect(await judged(parts, expectation)).toBe(reason);
    });
  }
});
