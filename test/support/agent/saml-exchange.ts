import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SamlBrowser } from './saml-browser.js';
import {
  type AssertionParts,
  assertionXml,
  idpEntityId,
  type ResponseParts,
  type SignedPart,
  signedResponse,
  spEntityId,
} from './saml-documents.js';
import { idpKey, type SamlKey } from './saml-keys.js';
import { type SignaturePlan, signElement } from './saml-signatures.js';

/** The consumer URL of a gateway that listens on a port of this machine. */
export const acsUrlAt = (port: number): string => `http://127.0.0.1:${port}/saml/acs`;

/** A `saml` block for a provider that the test itself is, with `idpKey`. */
export const samlBlockAt = (port: number, certificateFile: string, storeFile: string): string => `
  saml {
    enabled #true
    entity-id "${spEntityId}"
    acs-url "${acsUrlAt(port)}"
    idp-entity-id "${idpEntityId}"
    idp-sso-url "https://idp.example/sso"
    idp-cert-file "${certificateFile}"
    session-store-path "${storeFile}"
  }`;

export interface BegunSignOn {
  readonly browser: SamlBrowser;
  readonly relayState: string;
  readonly requestId: string;
}

/** A sign-on that a browser has begun; null where the gateway sent it nowhere. */
export const beginSignOn = async (port: number): Promise<BegunSignOn | null> => {
  const browser = new SamlBrowser(port);
  const { status, headers } = await browser.visit('/app');
  if (status !== 302) return null;
  const { searchParams } = new URL(headers.location ?? '');
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  return {
    browser,
    relayState: searchParams.get('RelayState') ?? '',
    requestId: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
  };
};

/** Parts of a response that is in order, to a request of now; no two have an id in common. */
export const partsFor = (port: number, requestId: string): Partial<ResponseParts> & { readonly assertion: object } => {
  const id = randomUUID();
  return {
    nowMs: Date.now(),
    destination: acsUrlAt(port),
    inResponseTo: requestId,
    id: `_response-${id}`,
    assertion: { id: `_assertion-${id}`, recipient: acsUrlAt(port) },
  };
};

/** A document as `subject_token` has it: base64url without padding. */
export const asToken = (xml: string): string => Buffer.from(xml, 'utf8').toString('base64url');

type Signing = Partial<Omit<SignaturePlan, 'id' | 'key'>> & { readonly key?: SamlKey };

/** In order, as of now, with an id of its own, and for ada. */
const tokenParts = (endpointUrl: string, parts: Partial<AssertionParts>): Partial<AssertionParts> & { id: string } => ({
  id: `_assertion-${randomUUID()}`,
  nowMs: Date.now(),
  nameId: 'ada@example.com',
  recipient: endpointUrl,
  inResponseTo: null,
  ...parts,
});

/** An assertion for the token endpoint with that URL, alone, and signed by the identity provider of the tests. */
export const exchangeAssertionXml = (
  endpointUrl: string,
  changed: Partial<AssertionParts> = {},
  { key = idpKey(), ...how }: Signing = {},
): string => {
  const parts = tokenParts(endpointUrl, changed);
  return signElement(assertionXml(parts), { ...how, id: parts.id, key: key.privateKey });
};

/** The same as a subject token. */
export const exchangeAssertion = (
  endpointUrl: string,
  changed: Partial<AssertionParts> = {},
  signing: Signing = {},
): string => asToken(exchangeAssertionXml(endpointUrl, changed, signing));

/** A response for a token endpoint as a subject token; its assertion is signed unless `signed` says otherwise. */
export const exchangeResponse = (
  endpointUrl: string,
  { assertion: changed = {}, ...response }: Partial<ResponseParts> = {},
  signing: Signing & { readonly signed?: SignedPart } = {},
): string => {
  const assertion = tokenParts(endpointUrl, changed);
  const around = { id: `_response-${randomUUID()}`, nowMs: assertion.nowMs ?? Date.now(), destination: endpointUrl };
  return asToken(signedResponse({ ...around, inResponseTo: null, ...response, assertion }, signing));
};
