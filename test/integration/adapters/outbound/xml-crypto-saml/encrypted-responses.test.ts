import { describe, expect, it } from 'vitest';
import { decodeDecrypted } from '../../../../../src/adapters/outbound/xml-crypto-saml/decode-document.js';
import { assertionXml, type ResponseParts, responseXml } from '../../../../support/agent/saml-documents.js';
import {
  cipherUris,
  type EncryptionPlan,
  encryptedAssertion,
  transportUris,
} from '../../../../support/agent/saml-encryption.js';
import { ecSamlKey, idpKey, rsaSamlKey, spKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { atEnd, piece, swapped } from '../../../../support/agent/saml-pieces.js';
import { signElement } from '../../../../support/agent/saml-signatures.js';
import { documentKeys, verdict } from '../../../../support/agent/saml-verifying.js';

const alice = 'accepted alice@example.com';
const idp = idpKey().privateKey;
const plainAssertion = assertionXml();
const signedAssertion = signElement(plainAssertion, { id: '_assertion-1', key: idp });

const response = async (
  content: string,
  plan: EncryptionPlan = {},
  parts: Partial<ResponseParts> = {},
): Promise<string> => responseXml({ ...parts, assertions: [await encryptedAssertion(content, plan)] });

const signResponse = (xml: string): string => signElement(xml, { id: '_response-1', key: idp });

describe('an encrypted assertion', () => {
  for (const cipher of [cipherUris.aes128Gcm, cipherUris.aes192Gcm, cipherUris.aes256Gcm]) {
    it(`is accepted with ${cipher}`, async () => {
      expect(await verdict(await response(signedAssertion, { cipher }))).toBe(alice);
    });
  }

  for (const plan of [
    { transport: transportUris.oaepMgf1p, digest: 'sha1' },
    { transport: transportUris.oaepMgf1p, digest: 'sha256' },
    { transport: transportUris.oaep, digest: 'sha256' },
    { transport: transportUris.oaep, digest: 'sha256', mask: 'sha256' },
    { transport: transportUris.oaep, digest: 'sha1', mask: 'sha256' },
  ] as const) {
    it(`is accepted with ${JSON.stringify(plan)}`, async () => {
      expect(await verdict(await response(signedAssertion, plan))).toBe(alice);
    });
  }

  it('is accepted with a separate key element', async () => {
    expect(await verdict(await response(signedAssertion, { keyBeside: true }))).toBe(alice);
  });

  it('is accepted in a signed response, signed itself or not', async () => {
    expect(await verdict(signResponse(await response(plainAssertion)))).toBe(alice);
    expect(await verdict(signResponse(await response(signedAssertion)))).toBe(alice);
  });
});

describe('a refused encrypted assertion', () => {
  it('has no signature on itself or its response', async () => {
    expect(await verdict(await response(plainAssertion))).toBe('unsigned');
  });

  it('has a foreign signature, even in a signed response', async () => {
    const forged = signElement(plainAssertion, { id: '_assertion-1', key: strangerKey().privateKey });
    expect(await verdict(await response(forged))).toBe('wrong_signature');
    expect(await verdict(signResponse(await response(forged)))).toBe('wrong_signature');
  });

  it('replaces another one in a signed response', async () => {
    const signed = signResponse(await response(plainAssertion));
    const other = await encryptedAssertion(assertionXml({ nameId: 'mallory@example.com' }));
    const forged = swapped(signed, piece(signed, 'saml:EncryptedAssertion'), other);
    expect(await verdict(forged)).toBe('wrong_signature');
  });

  for (const cipher of [cipherUris.aes128Cbc, cipherUris.aes256Cbc, cipherUris.tripleDes]) {
    it(`uses ${cipher}`, async () => {
      expect(await verdict(await response(signedAssertion, { cipher }))).toBe('weak_encryption');
      expect(await verdict(signResponse(await response(signedAssertion, { cipher })))).toBe('weak_encryption');
    });
  }

  for (const plan of [
    { transport: transportUris.pkcs1 },
    { transport: transportUris.oaep, digest: 'sha512' },
    { transport: transportUris.oaep, digest: 'sha256', mask: 'sha512' },
  ] as const) {
    it(`uses ${JSON.stringify(plan)}`, async () => {
      expect(await verdict(await response(signedAssertion, plan))).toBe('weak_encryption');
    });
  }

  it('is for another recipient, or needs a missing key', async () => {
    const xml = await response(signedAssertion, { key: strangerKey() });
    expect(await verdict(xml)).toBe('undecipherable');
    expect(await verdict(await response(signedAssertion), documentKeys([idpKey()], null))).toBe(
      'encrypted_without_key',
    );
    const ours = await response(signedAssertion);
    expect(await verdict(ours, documentKeys([idpKey()], rsaSamlKey('other', 3072)))).toBe('undecipherable');
    expect(await verdict(ours, documentKeys([idpKey()], ecSamlKey()))).toBe('undecipherable');
    expect(await verdict(ours, documentKeys([idpKey()], spKey()))).toBe(alice);
  });

  it('is changed or truncated', async () => {
    const flipped = (octets: Buffer, index: number): Buffer => {
      const copy = Buffer.from(octets);
      copy.writeUInt8(copy.readUInt8(index) ^ 1, index);
      return copy;
    };
    const tampered: readonly ((octets: Buffer) => Buffer)[] = [
      (octets) => flipped(octets, 0),
      (octets) => flipped(octets, 20),
      (octets) => flipped(octets, octets.length - 1),
      (octets) => octets.subarray(0, -1),
      (octets) => octets.subarray(0, -12),
      (octets) => octets.subarray(0, 28),
      (octets) => octets.subarray(0, 20),
      () => Buffer.alloc(0),
    ];
    for (const tamper of tampered) {
      expect(await verdict(await response(signedAssertion, { tamper }))).toBe('undecipherable');
    }
  });

  it('names a cipher with another key length', async () => {
    const xml = await response(signedAssertion, { cipher: cipherUris.aes256Gcm });
    expect(await verdict(swapped(xml, cipherUris.aes256Gcm, cipherUris.aes128Gcm))).toBe('undecipherable');
    expect(await verdict(swapped(xml, cipherUris.aes256Gcm, 'urn:none'))).toBe('weak_encryption');
  });

  it('references its octets or key, or has several', async () => {
    const xml = await response(signedAssertion);
    const key = piece(xml, 'e:EncryptedKey');
    const data = piece(xml, 'xenc:EncryptedData');
    const reference = '<xenc:CipherReference URI="https://evil.example/"/>';
    const value = /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>/.exec(xml)?.[0] ?? '';
    expect(await verdict(swapped(xml, value, reference))).toBe('undecipherable');
    expect(await verdict(swapped(xml, value, value + value))).toBe('undecipherable');
    expect(await verdict(swapped(xml, value, '<xenc:CipherValue>*</xenc:CipherValue>'))).toBe('undecipherable');
    expect(await verdict(swapped(xml, key, ''))).toBe('undecipherable');
    expect(await verdict(swapped(xml, key, key + key))).toBe('undecipherable');
    expect(await verdict(swapped(xml, data, ''))).toBe('undecipherable');
    expect(await verdict(swapped(xml, data, data + data))).toBe('undecipherable');
  });

  const contents: Readonly<Record<string, readonly [content: string, reason: string]>> = {
    'two assertions': [signedAssertion + assertionXml({ id: '_evil' }), 'document_not_well_formed'],
    'a comment': [swapped(signedAssertion, '@example.com<', '@example.com<!---->.evil<'), 'document_markup'],
    'an entity': [`<!DOCTYPE a [<!ENTITY e "x">]>${signedAssertion}`, 'document_markup'],
    'a response': [responseXml(), 'no_assertion'],
    nothing: ['', 'document_not_well_formed'],
    text: ['alice', 'document_not_well_formed'],
    'too much': [atEnd(signedAssertion, ' '.repeat(1_048_577)), 'document_too_large'],
    'an ID of the response around it': [assertionXml({ id: '_response-1' }), 'duplicate_id'],
    'an assertion within': [atEnd(signedAssertion, assertionXml({ id: '_evil' })), 'misplaced_assertion'],
    'an encrypted assertion again': [atEnd(signedAssertion, '<saml:EncryptedAssertion/>'), 'misplaced_assertion'],
  };
  for (const [name, [content, reason]] of Object.entries(contents)) {
    it(`contains ${name}`, async () => {
      expect(await verdict(await response(content))).toBe(reason);
    });
  }

  it('contains invalid UTF-8', () => {
    const latin = Buffer.from(signedAssertion.replace('alice', 'alic\u00e9'), 'latin1');
    expect(decodeDecrypted(latin)).toEqual({ ok: false, error: 'document_encoding' });
  });

  it('has a sibling assertion', async () => {
    const encrypted = await encryptedAssertion(signedAssertion);
    const beside = responseXml({
      assertions: [encrypted, signElement(assertionXml({ id: '_b' }), { id: '_b', key: idp })],
    });
    expect(await verdict(beside)).toBe('several_assertions');
    expect(await verdict(responseXml({ assertions: [encrypted, encrypted] }))).toBe('several_assertions');
  });
});
