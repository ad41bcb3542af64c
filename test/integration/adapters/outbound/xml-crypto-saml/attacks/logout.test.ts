import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import type { ReceivedMessage } from '../../../../../../src/application/ports/agent/saml-document-verifier.js';
import {
  logoutRequestXml,
  logoutResponseXml,
  posted,
  type RedirectParameters,
  redirected,
  signedResponse,
} from '../../../../../support/agent/saml-documents.js';
import { ecSamlKey, idpKey, strangerKey } from '../../../../../support/agent/saml-keys.js';
import { afterIssuer, atEnd, piece, swapped, without } from '../../../../../support/agent/saml-pieces.js';
import { signatureUris, signElement } from '../../../../../support/agent/saml-signatures.js';
import { documentKeys } from '../../../../../support/agent/saml-verifying.js';

const verifier = new XmlCryptoDocumentVerifier();
const keys = documentKeys();
const byRedirect = (parameters: RedirectParameters): ReceivedMessage => ({ binding: 'redirect', ...parameters });
const byPost = (xml: string): ReceivedMessage => ({ binding: 'post', encoded: posted(xml) });

const request = async (message: ReceivedMessage, with_ = keys): Promise<string> => {
  const result = await verifier.verifyLogoutRequest(message, with_);
  return result.ok ? `ends ${result.value.nameId.value} ${result.value.sessionIndexes.join()}` : result.error;
};

const response = async (message: ReceivedMessage): Promise<string> => {
  const result = await verifier.verifyLogoutResponse(message, keys);
  return result.ok ? `${result.value.isSigned ? 'signed' : 'unsigned'} for ${result.value.inResponseTo}` : result.error;
};

const key = idpKey();
const xml = logoutRequestXml();
const good = redirected(xml, { key, relayState: 'a b+c' });
const signature = good.signature ?? { algorithm: '', value: '' };
const enveloped = signElement(xml, { id: '_logout-1', key: key.privateKey });
const ends = 'ends alice@example.com _session-1';

describe('a LogoutRequest by HTTP-Redirect', () => {
  it('is read with a valid signature', async () => {
    expect(await request(byRedirect(good))).toBe(ends);
    expect(await request(byRedirect(redirected(xml, { key })))).toBe(ends);
    const ec = ecSamlKey();
    expect(await request(byRedirect(redirected(xml, { key: ec })), documentKeys([key, ec]))).toBe(ends);
  });

  const forgeries: Readonly<Record<string, readonly [parameters: RedirectParameters, reason: string]>> = {
    'it is not signed': [redirected(xml), 'unsigned'],
    'somebody else has signed it': [redirected(xml, { key: strangerKey() }), 'wrong_signature'],
    'its message is another': [
      { ...good, message: redirected(logoutRequestXml({ nameId: 'bob' })).message },
      'wrong_signature',
    ],
    'its RelayState is another': [{ ...good, relayState: 'd' }, 'wrong_signature'],
    'its RelayState is gone': [{ ...good, relayState: null }, 'wrong_signature'],
    'its RelayState is empty now': [{ ...good, relayState: '' }, 'wrong_signature'],
    'its algorithm is another': [
      { ...good, signature: { ...signature, algorithm: encodeURIComponent(signatureUris.rsaSha512) } },
      'wrong_signature',
    ],
    'its algorithm is spelled another way': [
      { ...good, signature: { ...signature, algorithm: decodeURIComponent(signature.algorithm) } },
      'wrong_signature',
    ],
    'it is signed with SHA-1': [redirected(xml, { key, algorithm: signatureUris.rsaSha1 }), 'weak_algorithm'],
    'its algorithm is HMAC': [
      { ...good, signature: { ...signature, algorithm: encodeURIComponent(signatureUris.hmacSha256) } },
      'weak_algorithm',
    ],
    'its algorithm is no parameter': [{ ...good, signature: { ...signature, algorithm: '%' } }, 'weak_algorithm'],
    'its signature is empty': [{ ...good, signature: { ...signature, value: '' } }, 'wrong_signature'],
    'its signature is no base64': [{ ...good, signature: { ...signature, value: '*' } }, 'wrong_signature'],
    'its signature is no parameter': [{ ...good, signature: { ...signature, value: '%zz' } }, 'wrong_signature'],
  };
  for (const [name, [parameters, reason]] of Object.entries(forgeries)) {
    it(`is refused if ${name}`, async () => {
      expect(await request(byRedirect(parameters))).toBe(reason);
    });
  }

  it('is refused with a signature in the message, even a valid one', async () => {
    expect(await request(byRedirect(redirected(enveloped, { key })))).toBe('misplaced_signature');
    expect(await request(byRedirect(redirected(enveloped)))).toBe('misplaced_signature');
  });

  it('is refused if the signature is for a response', async () => {
    expect(await request(byRedirect(redirected(xml, { key, parameter: 'SAMLResponse' })))).toBe('wrong_signature');
  });

  it('is refused if it is a message of another kind', async () => {
    expect(await request(byRedirect(redirected(logoutResponseXml(), { key })))).toBe('unexpected_root');
    expect(await request(byRedirect(redirected(signedResponse(), { key })))).toBe('unexpected_root');
  });
});

/**
 * Octets in place of the deflated message, not signed: what cannot be inflated never comes as far as its signature's
 * absence.
 */
const carrying = (octets: Uint8Array): RedirectParameters => ({
  message: encodeURIComponent(Buffer.from(octets).toString('base64')),
  relayState: null,
  signature: null,
});

describe('deflated content', () => {
  const deflated = deflateRawSync(logoutResponseXml());
  const refused: Readonly<Record<string, readonly [parameters: RedirectParameters, reason: string]>> = {
    'a bomb': [carrying(deflateRawSync(' '.repeat(50_000_000))), 'document_too_large'],
    'one octet more than there may be': [carrying(deflateRawSync(' '.repeat(64 * 1024 + 1))), 'document_too_large'],
    'cut short': [carrying(deflated.subarray(0, -4)), 'document_encoding'],
    'followed by something': [carrying(Buffer.concat([deflated, Buffer.from('more')])), 'document_encoding'],
    'not deflated at all': [carrying(Buffer.from(logoutResponseXml())), 'document_encoding'],
    nothing: [carrying(Buffer.alloc(0)), 'document_encoding'],
    'no base64': [{ ...carrying(deflated), message: '*' }, 'document_encoding'],
    'no parameter': [{ ...carrying(deflated), message: '%' }, 'document_encoding'],
    'a megabyte': [{ ...carrying(deflated), message: 'A'.repeat(1_000_000) }, 'document_too_large'],
    'no UTF-8': [carrying(deflateRawSync(Buffer.of(0xff, 0xfe))), 'document_encoding'],
    'a DOCTYPE': [carrying(deflateRawSync(`<!DOCTYPE a>${logoutResponseXml()}`)), 'document_markup'],
  };
  for (const [name, [parameters, reason]] of Object.entries(refused)) {
    it(`is refused if it is ${name}`, async () => {
      expect(await response(byRedirect(parameters))).toBe(reason);
    });
  }
});

describe('a LogoutRequest by HTTP-POST', () => {
  const bare = without(enveloped, piece(enveloped, 'ds:Signature'));
  const evil = logoutRequestXml({ id: '_evil', nameId: 'bob' });

  it('is read with a valid signature', async () => {
    expect(await request(byPost(enveloped))).toBe(ends);
  });

  const forgeries: Readonly<Record<string, readonly [xml: string, reason: string]>> = {
    'it is not signed': [xml, 'unsigned'],
    'its signature is gone': [bare, 'unsigned'],
    'its name is another': [swapped(enveloped, 'alice', 'bob'), 'wrong_signature'],
    'somebody else has signed it': [
      signElement(xml, { id: '_logout-1', key: strangerKey().privateKey }),
      'wrong_signature',
    ],
    'it is wrapped': [atEnd(evil, enveloped), 'unexpected_root'],
    'its signature is in a forged one': [afterIssuer(evil, piece(enveloped, 'ds:Signature')), 'signature_reference'],
    'it is an assertion of a response': [atEnd(evil, piece(signedResponse(), 'saml:Assertion')), 'misplaced_assertion'],
    'it is a response': [signedResponse({}, { signed: 'both' }), 'unexpected_root'],
    'there is a comment in it': [
      swapped(enveloped, 'alice@example.com', 'alice<!---->@example.com'),
      'document_markup',
    ],
  };
  for (const [name, [document, reason]] of Object.entries(forgeries)) {
    it(`is refused if ${name}`, async () => {
      expect(await request(byPost(document))).toBe(reason);
    });
  }
});

describe('a LogoutResponse', () => {
  const answer = logoutResponseXml();
  const signed = signElement(answer, { id: '_logout-answer-1', key: key.privateKey });

  it('is read with and without a signature, and reports which', async () => {
    expect(await response(byPost(answer))).toBe('unsigned for _request-1');
    expect(await response(byPost(signed))).toBe('signed for _request-1');
    expect(await response(byRedirect(redirected(answer, { parameter: 'SAMLResponse' })))).toBe(
      'unsigned for _request-1',
    );
    const query = redirected(answer, { parameter: 'SAMLResponse', key, relayState: 'x' });
    expect(await response(byRedirect(query))).toBe('signed for _request-1');
  });

  it('is refused with an invalid signature', async () => {
    expect(await response(byPost(swapped(signed, 'status:Success', 'status:Other')))).toBe('wrong_signature');
    const stranger = redirected(answer, { parameter: 'SAMLResponse', key: strangerKey() });
    expect(await response(byRedirect(stranger))).toBe('wrong_signature');
    expect(await response(byRedirect(redirected(answer, { parameter: 'SAMLRequest', key })))).toBe('wrong_signature');
  });
});
