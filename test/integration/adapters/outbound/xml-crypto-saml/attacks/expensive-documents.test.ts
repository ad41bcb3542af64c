import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExclusiveCanonicalization, SignedXml } from 'xml-crypto';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import {
  logoutRequestXml,
  logoutResponseXml,
  posted,
  signedResponse,
} from '../../../../../support/agent/saml-documents.js';
import { encryptedAssertion } from '../../../../../support/agent/saml-encryption.js';
import { idpKey, strangerKey } from '../../../../../support/agent/saml-keys.js';
import { atEnd, piece, swapped } from '../../../../../support/agent/saml-pieces.js';
import {
  rawSignature,
  signatureUris,
  signElement,
  transformUris,
} from '../../../../../support/agent/saml-signatures.js';
import { acceptedAssertion, documentKeys, tokenVerdict, verdict } from '../../../../../support/agent/saml-verifying.js';

const alice = 'accepted alice@example.com';
const values = { open: '<ds:SignatureValue>', close: '</ds:SignatureValue>' };

/** Documents that were compared with what a signature covers, and characters that were canonicalised. */
let compared = 0;
let canonicalised = 0;

beforeEach(() => {
  compared = 0;
  canonicalised = 0;
  const checkSignature: (this: SignedXml, xml: string) => boolean = SignedXml.prototype.checkSignature;
  vi.spyOn(SignedXml.prototype, 'checkSignature').mockImplementation(function (this: SignedXml, xml: string) {
    compared += 1;
    return checkSignature.call(this, xml);
  });
  const { process } = ExclusiveCanonicalization.prototype;
  vi.spyOn(ExclusiveCanonicalization.prototype, 'process').mockImplementation(function (
    this: ExclusiveCanonicalization,
    ...given
  ) {
    const octets = process.apply(this, given);
    canonicalised += octets.length;
    return octets;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The value of the signature with that place in the text, made by nobody. */
const forged = (xml: string, place: number): string => {
  let at = -1;
  for (let count = 0; count <= place; count += 1) at = xml.indexOf(values.open, at + 1);
  const begin = at + values.open.length;
  const end = xml.indexOf(values.close, begin);
  return xml.slice(0, begin) + Buffer.alloc(256, 7).toString('base64') + xml.slice(end);
};

const groups = Array.from({ length: 1000 }, (_, index) => `cn=group-${index},ou=groups,dc=example,dc=com`);
const large = { assertion: { attributes: { groups } } };
const both = signedResponse(large, { signed: 'both' });
const unmade = forged(signedResponse(large), 0);

describe('a document with an invalid signature', () => {
  const responses: Readonly<Record<string, string>> = {
    'of the assertion': unmade,
    'of the response': forged(signedResponse(large, { signed: 'response' }), 0),
    'of the response, while that of the assertion is good': forged(both, 0),
    'of the assertion, while that of the response is good': forged(both, 1),
    'by a stranger': signedResponse(large, { key: strangerKey(), signed: 'both' }),
  };
  for (const [name, xml] of Object.entries(responses)) {
    it(`is refused before it is canonicalised: ${name}`, async () => {
      expect(await verdict(xml)).toBe('wrong_signature');
      expect(compared).toBe(0);
      expect(canonicalised).toBeLessThan(4000);
    });
  }

  it('is refused before it is canonicalised if encrypted', async () => {
    const assertion = piece(unmade, 'saml:Assertion');
    const encrypted = swapped(unmade, assertion, await encryptedAssertion(assertion));
    expect(await verdict(encrypted)).toBe('wrong_signature');
    expect(compared).toBe(0);
    expect(canonicalised).toBeLessThan(4000);
  });

  it('is refused before it is canonicalised if it is only an assertion, encrypted or not', async () => {
    const assertion = piece(unmade, 'saml:Assertion');
    expect(await tokenVerdict(assertion)).toBe('wrong_signature');
    expect(await tokenVerdict(await encryptedAssertion(assertion))).toBe('wrong_signature');
    expect(compared).toBe(0);
    expect(canonicalised).toBeLessThan(8000);
  });

  it('is refused before it is canonicalised if it is a logout message', async () => {
    const xml = forged(signElement(logoutRequestXml(), { id: '_logout-1', key: idpKey().privateKey }), 0);
    const encoded = posted(atEnd(xml, '<samlp:SessionIndex>x</samlp:SessionIndex>'.repeat(200)));
    const verifier = new XmlCryptoDocumentVerifier();
    const result = await verifier.verifyLogoutRequest({ binding: 'post', encoded }, documentKeys());
    expect(result).toEqual({ ok: false, error: 'wrong_signature' });
    expect(compared).toBe(0);
    expect(canonicalised).toBeLessThan(4000);
  });

  it('is refused before it is canonicalised if its SignedInfo is large', async () => {
    const inner = `<ds:DigestValue>${' '.repeat(500_000)}`;
    expect(await verdict(swapped(signedResponse(), '<ds:DigestValue>', inner))).toBe('wrong_signature');
    const huge = swapped(signedResponse(), '<ds:SignedInfo', `<ds:SignedInfo Id="${'a'.repeat(500_000)}"`);
    expect(await verdict(huge)).toBe('wrong_signature');
    expect(compared).toBe(0);
  });

  it('is canonicalised with a valid signature, which proves that the counter works', async () => {
    expect(await verdict(both)).toBe(alice);
    expect(compared).toBe(2);
    expect(canonicalised).toBeGreaterThan(both.length);
    expect(await verdict(swapped(both, 'cn=group-7,', 'cn=group-8,'))).toBe('wrong_signature');
    expect(compared).toBe(3);
  });
});

describe('a signature value', () => {
  /**
   * Of the response, with prefixes that the canonical SignedInfo treats inclusively, and with declarations in it for
   * these.
   */
  const withPrefixes = (prefixes: string, declarations: string): string => {
    const xml = signedResponse({}, { signed: 'response' });
    const method = `<ds:CanonicalizationMethod Algorithm="${transformUris.exclusive}"/>`;
    const list = `<e:InclusiveNamespaces xmlns:e="${transformUris.exclusive}" PrefixList="${prefixes}"/>`;
    const changed = swapped(xml, method, `${method.slice(0, -2)}>${list}</ds:CanonicalizationMethod>`);
    const octets = piece(changed, 'ds:SignedInfo')
      .replaceAll(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>')
      .replace('<ds:SignedInfo>', `<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"${declarations}>`);
    const value = rawSignature(signatureUris.rsaSha256, octets, idpKey().privateKey).toString('base64');
    const old = piece(changed, 'ds:SignatureValue');
    return swapped(changed, old, `${values.open}${value}${values.close}`);
  };
  const samlp = ' xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"';

  it('is valid if SignedInfo has inclusive prefixes from outer elements', async () => {
    expect(await verdict(withPrefixes('samlp', samlp))).toBe(alice);
    expect(await verdict(withPrefixes('none', ''))).toBe(alice);
  });

  it('is invalid if those prefixes were omitted', async () => {
    expect(await verdict(withPrefixes('samlp', ''))).toBe('wrong_signature');
  });
});

describe('a response with a thousand groups', () => {
  it('is accepted with all groups as values of one attribute', async () => {
    const { attributes } = await acceptedAssertion(both);
    expect(attributes).toEqual([{ name: 'groups', values: groups }]);
  });

  it('is accepted with one attribute per group and repeated type declarations', async () => {
    const typed = [
      '<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema"',
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">',
    ].join('');
    const format = 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic';
    const attributes = groups.map(
      (group) =>
        `<saml:Attribute Name="groups" FriendlyName="Groups" NameFormat="${format}">${typed}${group}</saml:AttributeValue></saml:Attribute>`,
    );
    const attributeStatement = `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`;
    const xml = signedResponse({ assertion: { attributeStatement } }, { signed: 'both' });
    const accepted = await acceptedAssertion(xml);
    expect(accepted.attributes.flatMap((attribute) => attribute.values)).toEqual(groups);
  });
});

describe('an oversized document', () => {
  const verifier = new XmlCryptoDocumentVerifier();

  it('is refused for its elements and for its attributes', async () => {
    const elements = `<samlp:Extensions>${'<a/>'.repeat(4000)}</samlp:Extensions>`;
    expect(await verdict(signedResponse({ extra: elements }))).toBe('document_too_deep');
    const attributes = Array.from({ length: 33 }, (_, index) => ` a${index}=""`).join('');
    expect(await verdict(signedResponse({ extra: `<samlp:Extensions${attributes}/>` }))).toBe('document_too_deep');
    const many = '<a b="" c="" d="" e=""/>'.repeat(2000);
    expect(await verdict(signedResponse({ extra: `<samlp:Extensions>${many}</samlp:Extensions>` }))).toBe(
      'document_too_deep',
    );
  });

  it('has lower limits if it is a logout message', async () => {
    const answer = async (xml: string): Promise<unknown> => {
      const result = await verifier.verifyLogoutResponse({ binding: 'post', encoded: posted(xml) }, documentKeys());
      return result.ok ? 'read' : result.error;
    };
    const xml = logoutResponseXml();
    expect(await answer(xml)).toBe('read');
    expect(await answer(atEnd(xml, '<a/>'.repeat(300)))).toBe('document_too_deep');
    expect(await answer(atEnd(xml, ' '.repeat(64 * 1024)))).toBe('document_too_large');
    expect(await answer(' '.repeat(200_000))).toBe('document_too_large');
  });
});
