import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { posted, signedResponse } from '../../../../support/agent/saml-documents.js';
import { asToken } from '../../../../support/agent/saml-exchange.js';
import { signedToken } from '../../../../support/agent/saml-token-forgeries.js';
import { documentKeys } from '../../../../support/agent/saml-verifying.js';

const verifier = new XmlCryptoDocumentVerifier();
const keys = documentKeys();
const numRuns = 150;

const tokenOf = async (xml: string): Promise<unknown> => {
  const result = await verifier.verifyAssertion(asToken(xml), keys);
  return result.ok ? result.value : null;
};

const assertionOf = async (xml: string): Promise<unknown> => {
  const result = await verifier.verifyResponse(posted(xml), keys);
  return result.ok ? result.value.assertion : null;
};

/** What an attacker could write: names, delimiters, and pieces of the document itself. */
const inserted = (xml: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '\n',
      '<a/>',
      '<!---->',
      '<![CDATA[x]]>',
      '&#x20;',
      '&amp;',
      '"',
      "'",
      '/',
      '>',
      'x',
      '\u0000',
      'é',
    ),
    fc.constantFrom(' ID="_x"', ' xmlns="urn:x"', ' xmlns:saml="urn:x"', '</saml:NameID><saml:NameID>mallory'),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.tuple(fc.nat(xml.length), fc.nat(400)).map(([from, length]) => xml.slice(from, from + length)),
  );

describe('a signed document that was changed anywhere', () => {
  for (const signed of ['assertion', 'response', 'both'] as const) {
    it(`is refused, or says exactly what was signed (${signed})`, async () => {
      const xml = signedResponse({}, { signed });
      const original = await assertionOf(xml);
      expect(original).not.toBeNull();
      const edit = fc.tuple(fc.nat(xml.length), fc.nat(12), inserted(xml));
      await fc.assert(
        fc.asyncProperty(edit, async ([at, cut, text]) => {
          const assertion = await assertionOf(xml.slice(0, at) + text + xml.slice(at + cut));
          if (assertion !== null) expect(assertion).toEqual(original);
        }),
        { numRuns },
      );
    });
  }

  it('is refused, or says exactly what was signed (an assertion alone, as a token)', async () => {
    const xml = signedToken();
    const original = await tokenOf(xml);
    expect(original).toMatchObject({ head: null });
    const edit = fc.tuple(fc.nat(xml.length), fc.nat(12), inserted(xml));
    await fc.assert(
      fc.asyncProperty(edit, async ([at, cut, text]) => {
        const token = await tokenOf(xml.slice(0, at) + text + xml.slice(at + cut));
        if (token !== null) expect(token).toEqual(original);
      }),
      { numRuns },
    );
  });
});
