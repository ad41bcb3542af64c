import { deflateRawSync } from 'node:zlib';
import { idpKey, type SamlKey } from './saml-keys.js';
import { rawSignature, type SignaturePlan, type SignatureUri, signatureUris, signElement } from './saml-signatures.js';

export const idpEntityId = 'https://idp.example/metadata';
export const spEntityId = 'https://app.example/saml/metadata';
export const acsUrl = 'https://app.example/saml/acs';
export const logoutUrl = 'https://app.example/saml/logout';
/** The request that the response of the tests answers. */
export const requestId = '_request-1';

const samlp = 'urn:oasis:names:tc:SAML:2.0:protocol';
const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const nameIdFormats = {
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
} as const;
export const statusSuccess = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** When the documents of the tests are issued, unless they say otherwise. */
export const issuedMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const minuteMs = 60_000;

export const instant = (ms: number): string => new Date(ms).toISOString();

const attribute = (name: string, value: string | null): string => (value === null ? '' : ` ${name}="${value}"`);

/** Parts of an assertion. A part that is null is left out; texts are XML, as they stand in it. */
export interface AssertionParts {
  readonly id: string;
  readonly nowMs: number;
  readonly issuer: string | null;
  readonly nameId: string | null;
  readonly nameIdFormat: string | null;
  readonly recipient: string | null;
  readonly inResponseTo: string | null;
  readonly audience: string | null;
  readonly notBeforeMs: number | null;
  readonly notOnOrAfterMs: number | null;
  readonly confirmationNotOnOrAfterMs: number | null;
  readonly sessionIndex: string | null;
  readonly sessionNotOnOrAfterMs: number | null;
  readonly authnContext: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** In place of the whole element, where given. */
  readonly subject: string;
  readonly conditions: string;
  readonly authnStatement: string;
  readonly attributeStatement: string;
  /** At the end of the assertion. */
  readonly extra: string;
}

const attributeStatement = (attributes: AssertionParts['attributes']): string => {
  const entries = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  );
  return entries.length === 0 ? '' : `<saml:AttributeStatement>${entries.join('')}</saml:AttributeStatement>`;
};

/** An assertion that is in order, but not signed. */
export const assertionXml = (parts: Partial<AssertionParts> = {}): string => {
  const nowMs = parts.nowMs ?? issuedMs;
  const all = {
    id: '_assertion-1',
    issuer: idpEntityId,
    nameId: 'alice@example.com',
    nameIdFormat: nameIdFormats.email,
    recipient: acsUrl,
    inResponseTo: requestId,
    audience: spEntityId,
    notBeforeMs: nowMs - minuteMs,
    notOnOrAfterMs: nowMs + 5 * minuteMs,
    confirmationNotOnOrAfterMs: nowMs + 5 * minuteMs,
    sessionIndex: '_session-1',
    sessionNotOnOrAfterMs: nowMs + 8 * 60 * minuteMs,
    authnContext: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    attributes: { department: ['engineering'], groups: ['staff', 'admins'] },
    ...parts,
  };
  const at = (name: string, ms: number | null): string => attribute(name, ms === null ? null : instant(ms));
  const nameId =
    all.nameId === null ? '' : `<saml:NameID${attribute('Format', all.nameIdFormat)}>${all.nameId}</saml:NameID>`;
  const data = `<saml:SubjectConfirmationData${attribute('InResponseTo', all.inResponseTo)}${at(
    'NotOnOrAfter',
    all.confirmationNotOnOrAfterMs,
  )}${attribute('Recipient', all.recipient)}/>`;
  const confirmation = `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">${data}</saml:SubjectConfirmation>`;
  const audience =
    all.audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${all.audience}</saml:Audience></saml:AudienceRestriction>`;
  const authentication = [
    `<saml:AuthnStatement AuthnInstant="${instant(nowMs)}"${attribute('SessionIndex', all.sessionIndex)}`,
    `${at('SessionNotOnOrAfter', all.sessionNotOnOrAfterMs)}><saml:AuthnContext>`,
    `<saml:AuthnContextClassRef>${all.authnContext}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
  ].join('');
  return [
    `<saml:Assertion xmlns:saml="${saml}" ID="${all.id}" Version="2.0" IssueInstant="${instant(nowMs)}">`,
    all.issuer === null ? '' : `<saml:Issuer>${all.issuer}</saml:Issuer>`,
    parts.subject ?? `<saml:Subject>${nameId}${confirmation}</saml:Subject>`,
    parts.conditions ??
      `<saml:Conditions${at('NotBefore', all.notBeforeMs)}${at('NotOnOrAfter', all.notOnOrAfterMs)}>${audience}</saml:Conditions>`,
    parts.authnStatement ?? authentication,
    parts.attributeStatement ?? attributeStatement(all.attributes),
    parts.extra ?? '',
    '</saml:Assertion>',
  ].join('');
};

/** Parts of the response around it. */
export interface ResponseParts {
  readonly id: string;
  readonly nowMs: number;
  readonly issuer: string | null;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  readonly status: string;
  /** Texts that stand in place of the assertion. */
  readonly assertions: readonly string[];
  /** Parts of the assertion. */
  readonly assertion: Partial<AssertionParts>;
  /** After Status and before the assertion. */
  readonly extra: string;
}

/** A response that is in order, but not signed. */
export const responseXml = (parts: Partial<ResponseParts> = {}): string => {
  const nowMs = parts.nowMs ?? issuedMs;
  const all = { id: '_response-1', issuer: idpEntityId, destination: acsUrl, inResponseTo: requestId, ...parts };
  const assertions = parts.assertions ?? [
    assertionXml({ nowMs, inResponseTo: all.inResponseTo, ...(parts.assertion ?? {}) }),
  ];
  return [
    `<samlp:Response xmlns:samlp="${samlp}" xmlns:saml="${saml}" ID="${all.id}" Version="2.0" IssueInstant="${instant(nowMs)}"`,
    `${attribute('Destination', all.destination)}${attribute('InResponseTo', all.inResponseTo)}>`,
    all.issuer === null ? '' : `<saml:Issuer>${all.issuer}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${parts.status ?? statusSuccess}"/></samlp:Status>`,
    parts.extra ?? '',
    ...assertions,
    '</samlp:Response>',
  ].join('');
};

/** Which of a response is signed. */
export type SignedPart = 'assertion' | 'response' | 'both';

/** A response that is in order and signed, by default its assertion, by the identity provider's RSA key. */
export const signedResponse = (
  parts: Partial<ResponseParts> = {},
  {
    signed = 'assertion',
    key = idpKey(),
    ...plan
  }: Partial<Omit<SignaturePlan, 'id' | 'key'>> & { readonly signed?: SignedPart; readonly key?: SamlKey } = {},
): string => {
  const how = { ...plan, key: key.privateKey };
  const plain = responseXml(parts);
  const assertionId = parts.assertion?.id ?? '_assertion-1';
  const inner = signed === 'response' ? plain : signElement(plain, { ...how, id: assertionId });
  return signed === 'assertion' ? inner : signElement(inner, { ...how, id: parts.id ?? '_response-1' });
};

/** As the form field SAMLResponse has it. */
export const posted = (xml: string): string => Buffer.from(xml, 'utf8').toString('base64');

export interface LogoutParts {
  readonly id: string;
  readonly nowMs: number;
  readonly issuer: string;
  readonly destination: string | null;
  readonly notOnOrAfterMs: number | null;
  readonly nameId: string;
  readonly nameIdFormat: string | null;
  readonly sessionIndexes: readonly string[];
  readonly inResponseTo: string | null;
  readonly status: string;
}

/** A LogoutRequest of the identity provider that is in order, but not signed. */
export const logoutRequestXml = (parts: Partial<LogoutParts> = {}): string => {
  const nowMs = parts.nowMs ?? issuedMs;
  const { destination = logoutUrl, notOnOrAfterMs = null, nameIdFormat = nameIdFormats.email } = parts;
  const indexes = parts.sessionIndexes ?? ['_session-1'];
  return [
    `<samlp:LogoutRequest xmlns:samlp="${samlp}" xmlns:saml="${saml}" ID="${parts.id ?? '_logout-1'}" Version="2.0"`,
    ` IssueInstant="${instant(nowMs)}"${attribute('Destination', destination)}`,
    `${attribute('NotOnOrAfter', notOnOrAfterMs === null ? null : instant(notOnOrAfterMs))}>`,
    `<saml:Issuer>${parts.issuer ?? idpEntityId}</saml:Issuer>`,
    `<saml:NameID${attribute('Format', nameIdFormat)}>${parts.nameId ?? 'alice@example.com'}</saml:NameID>`,
    ...indexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`),
    '</samlp:LogoutRequest>',
  ].join('');
};

/** A LogoutResponse of the identity provider that is in order, but not signed. */
export const logoutResponseXml = (parts: Partial<LogoutParts> = {}): string => {
  const { destination = logoutUrl, inResponseTo = requestId } = parts;
  return [
    `<samlp:LogoutResponse xmlns:samlp="${samlp}" xmlns:saml="${saml}" ID="${parts.id ?? '_logout-answer-1'}" Version="2.0"`,
    ` IssueInstant="${instant(parts.nowMs ?? issuedMs)}"${attribute('Destination', destination)}`,
    `${attribute('InResponseTo', inResponseTo)}><saml:Issuer>${parts.issuer ?? idpEntityId}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${parts.status ?? statusSuccess}"/></samlp:Status></samlp:LogoutResponse>`,
  ].join('');
};

/** Parameters of a message by HTTP-Redirect, each as it stands in the query. */
export interface RedirectParameters {
  readonly message: string;
  readonly relayState: string | null;
  readonly signature: { readonly algorithm: string; readonly value: string } | null;
}

/** A message as HTTP-Redirect has it; signed where a key is given. */
export const redirected = (
  xml: string,
  {
    parameter = 'SAMLRequest',
    relayState = null,
    key = null,
    algorithm = key?.kind === 'ec' ? signatureUris.ecdsaSha256 : signatureUris.rsaSha256,
  }: {
    readonly parameter?: 'SAMLRequest' | 'SAMLResponse';
    readonly relayState?: string | null;
    readonly key?: SamlKey | null;
    readonly algorithm?: SignatureUri;
  } = {},
): RedirectParameters => {
  const message = encodeURIComponent(deflateRawSync(xml).toString('base64'));
  const state = relayState === null ? null : encodeURIComponent(relayState);
  if (key === null) return { message, relayState: state, signature: null };
  const named = encodeURIComponent(algorithm);
  const octets = `${parameter}=${message}${state === null ? '' : `&RelayState=${state}`}&SigAlg=${named}`;
  const value = encodeURIComponent(rawSignature(algorithm, octets, key.privateKey).toString('base64'));
  return { message, relayState: state, signature: { algorithm: named, value } };
};

/** The query of such a message. */
export const redirectQuery = (
  parameter: 'SAMLRequest' | 'SAMLResponse',
  { message, relayState, signature }: RedirectParameters,
): string =>
  [
    `${parameter}=${message}`,
    ...(relayState === null ? [] : [`RelayState=${relayState}`]),
    ...(signature === null ? [] : [`SigAlg=${signature.algorithm}`, `Signature=${signature.value}`]),
  ].join('&');
