import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { SamlSubjectTokens } from '../../../../../src/application/agent/exchange-token/saml-subject-tokens.js';
import { VerificationShares } from '../../../../../src/application/agent/sign-on/saml/verification-shares.js';
import { validateResponse } from '../../../../../src/domain/agent/saml/checks/validate-response.js';
import { samlOptions } from '../../../../support/agent/fake-saml-sign-on.js';
import {
  type AssertionParts,
  acsUrl,
  idpEntityId,
  issuedMs,
  type ResponseParts,
  requestId,
  responseXml,
  signedResponse,
  spEntityId,
} from '../../../../support/agent/saml-documents.js';
import { asToken, exchangeAssertion, exchangeResponse } from '../../../../support/agent/saml-exchange.js';
import { idpKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { piece } from '../../../../support/agent/saml-pieces.js';
import { documentKeys } from '../../../../support/agent/saml-verifying.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const endpointUrl = 'https://app.example/token/exchange';
const hourMs = 3_600_000;
const nowMs = issuedMs;

/** Moments of the texts below are those of this clock. */
const clock = new ManualClock(issuedMs + 1000);

const tokens = new SamlSubjectTokens({
  options: { ...samlOptions, entityId: spEntityId },
  endpointUrl,
  oneTime: true,
  key: null,
  trust: {
    current: () => ({
      entityId: idpEntityId,
      ssoUrl: 'https://idp.example/sso',
      logout: null,
      signingCertificates: [idpKey().certificate],
      wantsSignedRequests: false,
    }),
    hurry: () => undefined,
  },
  verifier: new XmlCryptoDocumentVerifier(),
  digest: new HmacSecretDigest(),
  clock,
  shares: new VerificationShares(),
});

const outcome = async (token: string): Promise<string> => {
  const result = await tokens.verify(token, headersEvent('c-1', { uri: '/token/exchange' }), neverCancelled);
  return result.ok ? `accepted ${result.value.subject}` : result.error.detail;
};

const ada = 'accepted ada@example.com';

describe('a SAML token for the token endpoint', () => {
  it('is accepted, alone or in a response', async () => {
    expect(await outcome(exchangeAssertion(endpointUrl, { nowMs }))).toBe(ada);
    for (const signed of ['assertion', 'response', 'both'] as const) {
      expect(await outcome(exchangeResponse(endpointUrl, { nowMs, assertion: { nowMs } }, { signed }))).toBe(ada);
    }
  });

  it('has its attributes and expiry', async () => {
    const token = exchangeAssertion(endpointUrl, { nowMs, sessionNotOnOrAfterMs: issuedMs + 90_000 });
    const result = await tokens.verify(token, headersEvent('c-1'), neverCancelled);
    expect(result).toMatchObject({
      ok: true,
      value: {
        kind: 'saml2',
        issuer: idpEntityId,
        claims: { department: 'engineering', groups: ['staff', 'admins'] },
        expiresMs: issuedMs + 90_000,
      },
    });
  });
});

/** The identity provider itself has signed these: for another purpose, another time, or carelessly. */
describe('a signed assertion with wrong content', () => {
  const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
  const refused: Readonly<Record<string, readonly [parts: Partial<AssertionParts>, reason: string]>> = {
    'the consumer endpoint as its recipient': [{ recipient: acsUrl }, 'wrong_recipient'],
    'a recipient that only begins with the endpoint': [{ recipient: `${endpointUrl}/` }, 'wrong_recipient'],
    'a recipient in another case': [{ recipient: endpointUrl.replace('exchange', 'Exchange') }, 'wrong_recipient'],
    'no recipient': [{ recipient: null }, 'wrong_recipient'],
    'an answer to a request': [{ inResponseTo: requestId }, 'wrong_in_response_to'],
    'an answer to a request without a name': [{ inResponseTo: '' }, 'wrong_in_response_to'],
    'another issuer': [{ issuer: 'https://other.example/' }, 'wrong_issuer'],
    'another audience': [{ audience: 'https://other.example/' }, 'wrong_audience'],
    'the endpoint as its audience': [{ audience: endpointUrl }, 'wrong_audience'],
    'no audience': [{ audience: null }, 'wrong_audience'],
    'no conditions': [{ conditions: '' }, 'no_conditions'],
    'conditions that are over': [{ notBeforeMs: null, notOnOrAfterMs: issuedMs - hourMs }, 'expired'],
    'conditions that are not there yet': [
      { notBeforeMs: issuedMs + hourMs, notOnOrAfterMs: issuedMs + 2 * hourMs },
      'not_yet_valid',
    ],
    'a confirmation that is over': [{ confirmationNotOnOrAfterMs: issuedMs - hourMs }, 'expired'],
    'a confirmation without an end': [{ confirmationNotOnOrAfterMs: null }, 'no_subject_confirmation'],
    'a confirmation by a key': [
      {
        subject: `<saml:Subject><saml:NameID>ada</saml:NameID><saml:SubjectConfirmation Method="${bearer.replace('bearer', 'holder-of-key')}"/></saml:Subject>`,
      },
      'no_subject_confirmation',
    ],
    'a session that is over': [{ sessionNotOnOrAfterMs: issuedMs - 1 }, 'session_over'],
    'a time long ago': [{ nowMs: issuedMs - 48 * hourMs, notOnOrAfterMs: issuedMs + hourMs }, 'issued_too_long_ago'],
    'no authentication': [{ authnStatement: '' }, 'no_authentication_statement'],
    'no name': [{ nameId: null }, 'no_subject'],
  };
  for (const [name, [parts, reason]] of Object.entries(refused)) {
    it(`is refused for ${name}`, async () => {
      expect(await outcome(exchangeAssertion(endpointUrl, { nowMs, ...parts }))).toBe(reason);
    });
  }

  it('is refused with another key', async () => {
    expect(await outcome(exchangeAssertion(endpointUrl, { nowMs }, { key: strangerKey() }))).toBe('wrong_signature');
  });
});

describe('messages of a sign-on', () => {
  it('are no token: neither the response nor its assertion', async () => {
    const answered = signedResponse({}, { signed: 'both' });
    const unasked = signedResponse({ inResponseTo: null });
    expect(await outcome(asToken(answered))).toBe('wrong_destination');
    expect(await outcome(asToken(unasked))).toBe('wrong_destination');
    expect(await outcome(asToken(piece(answered, 'saml:Assertion')))).toBe('wrong_in_response_to');
    expect(await outcome(asToken(piece(unasked, 'saml:Assertion')))).toBe('wrong_recipient');
  });

  it('are no token in another response', async () => {
    const assertion = piece(signedResponse({ inResponseTo: null }), 'saml:Assertion');
    const around = { nowMs, inResponseTo: null, destination: endpointUrl, assertions: [assertion] };
    const xml = responseXml(around);
    expect((await new XmlCryptoDocumentVerifier().verifyAssertion(asToken(xml), documentKeys())).ok).toBe(true);
    expect(await outcome(asToken(xml))).toBe('wrong_recipient');
  });
});

describe('a token for the token endpoint', () => {
  /** What sign-on makes of it, where it takes what nobody asked for. */
  const signedOn = async (token: string): Promise<string> => {
    const encoded = Buffer.from(token, 'base64url').toString('base64');
    const verified = await new XmlCryptoDocumentVerifier().verifyResponse(encoded, documentKeys());
    if (!verified.ok) return verified.error;
    const judged = validateResponse(verified.value, {
      nowMs: clock.wallMs(),
      clockSkewMs: 300_000,
      idpEntityId,
      spEntityId,
      acsUrl,
      requestId: null,
      allowIdpInitiated: true,
      nameIdFormat: null,
      authnContexts: [],
      userIdAttribute: null,
      authenticatedSinceMs: null,
    });
    return judged.ok ? 'accepted' : judged.error;
  };
  const inResponse = (response: Partial<ResponseParts>): string =>
    exchangeResponse(endpointUrl, { nowMs, ...response, assertion: { nowMs } });

  it('cannot be used for sign-on, alone or in a response', async () => {
    expect(await signedOn(exchangeAssertion(endpointUrl, { nowMs }))).toBe('unexpected_root');
    expect(await signedOn(inResponse({}))).toBe('wrong_destination');
    expect(await signedOn(inResponse({ destination: acsUrl }))).toBe('wrong_recipient');
    expect(await signedOn(inResponse({ destination: null }))).toBe('wrong_recipient');
  });
});
