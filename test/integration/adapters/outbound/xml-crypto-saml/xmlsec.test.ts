import { expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import {
  assertionXml,
  logoutRequestXml,
  posted,
  responseXml,
  signedResponse,
  statusSuccess,
} from '../../../../support/agent/saml-documents.js';
import { ecSamlKey, idpKey } from '../../../../support/agent/saml-keys.js';
import { swapped } from '../../../../support/agent/saml-pieces.js';
import { digestUris, signatureUris } from '../../../../support/agent/saml-signatures.js';
import { signedToken } from '../../../../support/agent/saml-token-forgeries.js';
import { documentKeys, tokenVerdict, verdict } from '../../../../support/agent/saml-verifying.js';
import { wrappedAssertions } from '../../../../support/agent/saml-wrapping.js';
import { xmlsecSigned, xmlsecVerifies } from '../../../../support/agent/xmlsec.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';

const alice = 'accepted alice@example.com';
const inAssertion = { id: '_assertion-1' };

describeWithPeers(['xmlsec1'], 'documents signed by xmlsec1', () => {
  it('are accepted, and refused after a change', async () => {
    const xml = xmlsecSigned(responseXml(), inAssertion);
    expect(await verdict(xml)).toBe(alice);
    expect(await verdict(swapped(xml, 'alice', 'mallory'))).toBe('wrong_signature');
  });

  it('are accepted if the response or both are signed', async () => {
    const inResponse = { id: '_response-1' };
    expect(await verdict(xmlsecSigned(responseXml(), inResponse))).toBe(alice);
    const both = xmlsecSigned(xmlsecSigned(responseXml(), inAssertion), inResponse);
    expect(await verdict(both)).toBe(alice);
    expect(await verdict(swapped(both, statusSuccess, `${statusSuccess}x`))).toBe('wrong_signature');
  });

  for (const curve of ['P-256', 'P-384', 'P-521'] as const) {
    it(`are accepted with ECDSA on ${curve}`, async () => {
      const key = ecSamlKey('idp', curve);
      for (const algorithm of [signatureUris.ecdsaSha256, signatureUris.ecdsaSha384, signatureUris.ecdsaSha512]) {
        const xml = xmlsecSigned(responseXml(), { ...inAssertion, key, algorithm });
        expect(await verdict(xml, documentKeys([key]))).toBe(alice);
      }
    });
  }

  for (const [algorithm, digest] of [
    [signatureUris.rsaSha384, digestUris.sha384],
    [signatureUris.rsaSha512, digestUris.sha512],
  ] as const) {
    it(`are accepted with ${algorithm} and ${digest}`, async () => {
      const xml = xmlsecSigned(responseXml(), { ...inAssertion, algorithm, digest });
      expect(await verdict(xml)).toBe(alice);
    });
  }

  it('are accepted with inclusive prefixes declared outside the signed element', async () => {
    const typed = swapped(
      swapped(responseXml(), '<samlp:Response ', '<samlp:Response xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
      '<saml:AttributeValue>engineering',
      '<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">engineering',
    );
    const xml = xmlsecSigned(typed, { ...inAssertion, inclusivePrefixes: 'xs' });
    expect(await verdict(xml)).toBe(alice);
    expect(await verdict(swapped(xml, 'XMLSchema"', 'Evil"'))).toBe('wrong_signature');
  });

  it('are accepted as a token if they are only an assertion', async () => {
    const xml = xmlsecSigned(assertionXml(), inAssertion);
    expect(await tokenVerdict(xml)).toBe(alice);
    expect(await tokenVerdict(swapped(xml, 'alice', 'mallory'))).toBe('wrong_signature');
  });

  it('are accepted if they are logout requests', async () => {
    const xml = xmlsecSigned(logoutRequestXml(), { id: '_logout-1' });
    const verifier = new XmlCryptoDocumentVerifier();
    const encoded = posted(xml);
    expect(await verifier.verifyLogoutRequest({ binding: 'post', encoded }, documentKeys())).toMatchObject({
      ok: true,
      value: { id: '_logout-1', sessionIndexes: ['_session-1'] },
    });
  });
});

describeWithPeers(['xmlsec1'], 'xmlsec1', () => {
  it('accepts our signatures', () => {
    expect(xmlsecVerifies(signedResponse(), idpKey())).toBe(true);
    expect(xmlsecVerifies(swapped(signedResponse(), 'alice', 'mallory'), idpKey())).toBe(false);
    expect(xmlsecVerifies(signedToken(), idpKey())).toBe(true);
  });

  it('accepts wrapped signatures too: the attacks are real', () => {
    const believed = wrappedAssertions().filter(({ xml }) => xmlsecVerifies(xml, idpKey()));
    const names = ['XSW2', 'XSW3', 'XSW4', 'XSW5', 'XSW7'].map((shape) => `${shape} on the assertion`);
    expect(believed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});
