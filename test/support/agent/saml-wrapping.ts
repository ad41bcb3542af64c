import { assertionXml, type ResponseParts, responseXml, signedResponse } from './saml-documents.js';
import { idpKey, type SamlKey } from './saml-keys.js';
import { afterIssuer, atBegin, atEnd, piece, swapped, without } from './saml-pieces.js';
import { signElement } from './saml-signatures.js';

/** Who an attacker wants to be. */
export const mallory = 'mallory@example.com';
export const evilAssertionId = '_evil-assertion';

/** A document that somebody has made out of one that is in order. */
export interface ForgedDocument {
  readonly name: string;
  readonly xml: string;
}

/** What documents are forged from. */
export interface Forgery {
  readonly parts?: Partial<ResponseParts>;
  /** The identity provider's, which the attacker has not: it only signs the document that is in order. */
  readonly key?: SamlKey;
}

const extensions = (xml: string): string => `<samlp:Extensions>${xml}</samlp:Extensions>`;
const advice = (xml: string): string => `<saml:Advice>${xml}</saml:Advice>`;
const object = (xml: string): string => `<ds:Object>${xml}</ds:Object>`;

/** Places for the signed element, its signature and a forged one, one within, before or behind another. */
const shapes = (
  evil: string,
  original: string,
  aside: (xml: string) => string = extensions,
): Readonly<Record<string, { readonly evil: string; readonly beside?: readonly [before: string, after: string] }>> => {
  const signature = piece(original, 'ds:Signature');
  const bare = without(original, signature);
  return {
    XSW1: { evil: afterIssuer(evil, atEnd(signature, bare)) },
    XSW2: { evil: afterIssuer(evil, bare + signature) },
    XSW3: { evil, beside: ['', original] },
    XSW4: { evil: atEnd(evil, original) },
    XSW5: { evil: afterIssuer(evil, signature), beside: ['', bare] },
    XSW6: { evil: afterIssuer(evil, atBegin(signature, bare)) },
    XSW7: { evil: '', beside: [aside(evil), original] },
    XSW8: { evil: afterIssuer(evil, atEnd(signature, object(bare))) },
    'XSW3 the other way round': { evil, beside: [original, ''] },
    'XSW5 with the signature before': { evil, beside: [signature, bare] },
    'XSW7 the other way round': { evil: '', beside: [aside(original), evil] },
    'XSW8 in KeyInfo': { evil: afterIssuer(evil, atEnd(signature, `<ds:KeyInfo>${bare}</ds:KeyInfo>`)) },
  };
};

const evilAssertionOf = (parts: Partial<ResponseParts>): string =>
  assertionXml({
    ...(parts.nowMs === undefined ? {} : { nowMs: parts.nowMs }),
    ...parts.assertion,
    id: evilAssertionId,
    nameId: mallory,
  });

/** All eight shapes of signature wrapping, and some of their kin, around the signature of an assertion. */
export const wrappedAssertions = ({ parts = {}, key = idpKey() }: Forgery = {}): readonly ForgedDocument[] => {
  const response = signedResponse(parts, { key });
  const original = piece(response, 'saml:Assertion');
  return Object.entries(shapes(evilAssertionOf(parts), original)).map(([name, { evil, beside = ['', ''] }]) => ({
    name: `${name} on the assertion`,
    xml: swapped(response, original, beside[0] + evil + beside[1]),
  }));
};

/** The same around the signature of a response, which is in a forged response then. */
export const wrappedResponses = ({ parts = {}, key = idpKey() }: Forgery = {}): readonly ForgedDocument[] => {
  const original = signedResponse(parts, { key, signed: 'response' });
  const evilResponse = responseXml({ ...parts, id: '_evil-response', assertions: [evilAssertionOf(parts)] });
  return Object.entries(shapes(evilResponse, original)).map(([name, { evil, beside = ['', ''] }]) => {
    const root = evil === '' ? responseXml({ ...parts, id: '_evil-root', assertions: [] }) : evil;
    return { name: `${name} on the response`, xml: atEnd(atBegin(root, beside[0]), beside[1]) };
  });
};

/** The same around an assertion that came alone, which is in a forged one then. */
export const wrappedTokens = ({ parts = {}, key = idpKey() }: Forgery = {}): readonly ForgedDocument[] => {
  const id = parts.assertion?.id ?? '_assertion-1';
  const original = signElement(assertionXml({ ...parts.assertion, id }), { id, key: key.privateKey });
  return Object.entries(shapes(evilAssertionOf(parts), original, advice)).map(([name, { evil, beside = ['', ''] }]) => {
    const root = evil === '' ? assertionXml({ ...parts.assertion, id: '_evil-root', nameId: mallory }) : evil;
    return { name: `${name} on an assertion alone`, xml: atEnd(atBegin(root, beside[0]), beside[1]) };
  });
};
