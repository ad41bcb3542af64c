import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { assertionXml, logoutRequestXml, redirected, responseXml } from '../../../../support/agent/saml-documents.js';
import {
  cipherUris,
  encryptedAssertion,
  encryptedId,
  transportUris,
} from '../../../../support/agent/saml-encryption.js';
import { idpKey, spKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { swapped } from '../../../../support/agent/saml-pieces.js';
import { signElement } from '../../../../support/agent/saml-signatures.js';
import { documentKeys, tokenVerdict, verdict } from '../../../../support/agent/saml-verifying.js';
import { xmlsecEncrypted } from '../../../../support/agent/xmlsec.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';

const alice = 'accepted alice@example.com';
const plainName =
  '<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">alice@example.com</saml:NameID>';
const nameOf = (value: string): string =>
  `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${value}</saml:NameID>`;
const idp = idpKey().privateKey;

/** An assertion with something else in place of its NameID, signed. */
const signedWith = (name: string): string =>
  signElement(swapped(assertionXml(), plainName, name), { id: '_assertion-1', key: idp });
const responseWith = (name: string): string => responseXml({ assertions: [signedWith(name)] });

describe('a subject with an encrypted name', () => {
  it('is decrypted, whether response or assertion is signed', async () => {
    const name = await encryptedId(nameOf('alice@example.com'));
    expect(await verdict(responseWith(name))).toBe(alice);
    const inResponse = responseXml({ assertions: [swapped(assertionXml(), plainName, name)] });
    expect(await verdict(signElement(inResponse, { id: '_response-1', key: idp }))).toBe(alice);
    expect(await tokenVerdict(signedWith(name))).toBe(alice);
  });

  it('is decrypted with a separate key element, and within an encrypted assertion', async () => {
    const name = await encryptedId(nameOf('alice@example.com'), { keyBeside: true });
    expect(await verdict(responseWith(name))).toBe(alice);
    expect(await verdict(responseXml({ assertions: [await encryptedAssertion(signedWith(name))] }))).toBe(alice);
  });

  it('is decrypted in a LogoutRequest too', async () => {
    const nowMs = Date.UTC(2026, 0, 2);
    const name = await encryptedId(nameOf('alice@example.com'));
    const plain = logoutRequestXml({ nowMs });
    const xml = plain.replace(/<saml:NameID[\s\S]*<\/saml:NameID>/, name);
    expect(xml).not.toBe(plain);
    const message = redirected(xml, { parameter: 'SAMLRequest', key: idpKey(), relayState: null });
    const verifier = new XmlCryptoDocumentVerifier();
    const read = await verifier.verifyLogoutRequest({ binding: 'redirect', ...message }, documentKeys());
    expect(read).toMatchObject({ ok: true, value: { nameId: { value: 'alice@example.com' } } });
    const unsigned = redirected(xml, { parameter: 'SAMLRequest', key: null, relayState: null });
    expect(await verifier.verifyLogoutRequest({ binding: 'redirect', ...unsigned }, documentKeys())).toEqual({
      ok: false,
      error: 'unsigned',
    });
  });
});

describeWithPeers(['xmlsec1'], 'a name encrypted by xmlsec1', () => {
  it('is decrypted', async () => {
    const data = xmlsecEncrypted(nameOf('alice@example.com'), spKey());
    expect(await verdict(responseWith(`<saml:EncryptedID>${data}</saml:EncryptedID>`))).toBe(alice);
  });
});

describe('an encrypted name is refused', () => {
  const mallory = nameOf('mallory@example.com');

  it.each<readonly [string, () => Promise<string>, string]>([
    [
      'somebody put it in place of the signed one',
      async () => swapped(responseWith(plainName), plainName, await encryptedId(mallory)),
      'wrong_signature',
    ],
    [
      'nobody signed it',
      async () => responseXml({ assertions: [swapped(assertionXml(), plainName, await encryptedId(mallory))] }),
      'unsigned',
    ],
    [
      'it is for another key',
      async () => responseWith(await encryptedId(mallory, { key: strangerKey() })),
      'undecipherable',
    ],
    [
      'its octets were changed',
      async () =>
        responseWith(
          await encryptedId(mallory, {
            tamper: (octets) => {
              octets[20] = (octets[20] ?? 0) ^ 1;
              return octets;
            },
          }),
        ),
      'undecipherable',
    ],
    [
      'it is encrypted by AES-CBC',
      async () => responseWith(await encryptedId(mallory, { cipher: cipherUris.aes256Cbc })),
      'weak_encryption',
    ],
    [
      'its key is, by RSA 1.5',
      async () => responseWith(await encryptedId(mallory, { transport: transportUris.pkcs1 })),
      'weak_encryption',
    ],
    [
      'there are two',
      async () => responseWith((await encryptedId(mallory)) + (await encryptedId(mallory))),
      'malformed_element',
    ],
    [
      'a plain one stands beside it',
      async () => responseWith(plainName + (await encryptedId(mallory))),
      'malformed_element',
    ],
    [
      'it holds something else',
      async () => responseWith(await encryptedId('<saml:BaseID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>')),
      'no_subject',
    ],
    [
      'it holds a NameID of another namespace',
      async () => responseWith(await encryptedId('<NameID>mallory</NameID>')),
      'no_subject',
    ],
    [
      'it holds an assertion',
      async () => responseWith(await encryptedId(assertionXml({ id: '_other' }))),
      'no_subject',
    ],
    [
      'a comment cuts it',
      async () => responseWith(await encryptedId(nameOf('mallory@example.com<!---->.evil'))),
      'document_markup',
    ],
    [
      'an element is in it',
      async () => responseWith(await encryptedId(nameOf('<saml:NameID>a</saml:NameID>'))),
      'malformed_element',
    ],
  ])('if %s', async (_, make, reason) => {
    expect(await verdict(await make())).toBe(reason);
  });

  it('without our key', async () => {
    const xml = responseWith(await encryptedId(mallory));
    expect(await verdict(xml, documentKeys([idpKey()], null))).toBe('encrypted_without_key');
  });
});
