import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { decodePosted, responseBounds } from './decode-document.js';
import { verifyResponseText } from './verify-response.js';

const { saml, samlp, ds, excC14n } = xmlNamespaces;
const ecdsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const moment = '2000-01-01T00:00:00Z';

/** The first run compiles the code; further runs let the engine optimise it. */
const rounds = 3;

/**
 * The parts of an assertion around its signature. They are in canonical form, so they are also the
 * signed octets.
 */
const assertionHead = `<saml:Assertion xmlns:saml="${saml}" ID="_assertion" IssueInstant="${moment}" Version="2.0"><saml:Issuer>warm-up</saml:Issuer>`;
const assertionTail = [
  '<saml:Subject><saml:NameID>warm-up</saml:NameID>',
  '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
  `<saml:SubjectConfirmationData NotOnOrAfter="${moment}" Recipient="warm-up"></saml:SubjectConfirmationData>`,
  '</saml:SubjectConfirmation></saml:Subject>',
  `<saml:Conditions NotBefore="${moment}" NotOnOrAfter="${moment}">`,
  '<saml:AudienceRestriction><saml:Audience>warm-up</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
  `<saml:AuthnStatement AuthnInstant="${moment}"><saml:AuthnContext>`,
  '<saml:AuthnContextClassRef>warm-up</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>',
  '<saml:AttributeStatement><saml:Attribute Name="warm-up"><saml:AttributeValue>warm-up</saml:AttributeValue>',
  '</saml:Attribute></saml:AttributeStatement></saml:Assertion>',
].join('');

const signedInfo = (digest: string): string =>
  [
    `<ds:SignedInfo xmlns:ds="${ds}"><ds:CanonicalizationMethod Algorithm="${excC14n}"></ds:CanonicalizationMethod>`,
    `<ds:SignatureMethod Algorithm="${ecdsaSha256}"></ds:SignatureMethod><ds:Reference URI="#_assertion"><ds:Transforms>`,
    `<ds:Transform Algorithm="${ds}enveloped-signature"></ds:Transform>`,
    `<ds:Transform Algorithm="${excC14n}"></ds:Transform></ds:Transforms>`,
    `<ds:DigestMethod Algorithm="${sha256}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue>`,
    '</ds:Reference></ds:SignedInfo>',
  ].join('');

/**
 * Verifies a generated Response, signed with a temporary key, with the production code. Returns
 * whether it was valid. Loads and compiles code that would delay the first sign-on.
 */
export const warmUpVerification = (): boolean => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const digest = createHash('sha256')
    .update(assertionHead + assertionTail)
    .digest('base64');
  const info = signedInfo(digest);
  const value = sign('sha256', Buffer.from(info), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
  const signature = `<ds:Signature xmlns:ds="${ds}">${info}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  const response = [
    `<samlp:Response xmlns:samlp="${samlp}" ID="_response" IssueInstant="${moment}" Version="2.0"><samlp:Status>`,
    '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    `${assertionHead}${signature}${assertionTail}</samlp:Response>`,
  ].join('');
  const encoded = Buffer.from(response).toString('base64');
  for (let round = 0; round < rounds; round += 1) {
    const text = decodePosted(encoded, responseBounds);
    if (!text.ok || !verifyResponseText(text.value, [publicKey], null).ok) return false;
  }
  return true;
};
