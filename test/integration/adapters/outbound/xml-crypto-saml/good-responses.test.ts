import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import {
  acsUrl,
  idpEntityId,
  issuedMs,
  posted,
  requestId,
  signedResponse,
  spEntityId,
} from '../../../../support/agent/saml-documents.js';
import { ecSamlKey, idpKey, rsaSamlKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { digestUris, signatureUris, transformUris } from '../../../../support/agent/saml-signatures.js';
import { documentKeys, verdict } from '../../../../support/agent/saml-verifying.js';

const verifier = new XmlCryptoDocumentVerifier();
const alice = 'accepted alice@example.com';

describe('a valid response', () => {
  for (const signed of ['assertion', 'response', 'both'] as const) {
    it(`is read if ${signed} is signed`, async () => {
      const result = await verifier.verifyResponse(posted(signedResponse({}, { signed })), documentKeys());

      expect(result).toMatchObject({
        ok: true,
        value: {
          head: {
            id: '_response-1',
            issuer: idpEntityId,
            destination: acsUrl,
            inResponseTo: requestId,
            isSigned: signed !== 'assertion',
          },
          assertion: {
            id: '_assertion-1',
            issuer: idpEntityId,
            issueInstantMs: issuedMs,
            nameId: { value: 'alice@example.com' },
            attributes: [
              { name: 'department', values: ['engineering'] },
              { name: 'groups', values: ['staff', 'admins'] },
            ],
          },
        },
      });
    });
  }

  for (const algorithm of [signatureUris.rsaSha256, signatureUris.rsaSha384, signatureUris.rsaSha512]) {
    it(`is accepted with ${algorithm}`, async () => {
      expect(await verdict(signedResponse({}, { signed: 'both', algorithm }))).toBe(alice);
    });
  }

  it('is accepted with comment canonicalization and no comments', async () => {
    const { enveloped, exclusiveWithComments } = transformUris;
    for (const signed of ['assertion', 'response', 'both'] as const) {
      const plan = { signed, transforms: [enveloped, exclusiveWithComments], canonicalization: exclusiveWithComments };
      expect(await verdict(signedResponse({}, plan))).toBe(alice);
    }
  });

  it('is accepted with white space around its audience', async () => {
    const xml = signedResponse({ assertion: { audience: `\n      ${spEntityId}\t\n    ` } });
    const result = await verifier.verifyResponse(posted(xml), documentKeys());
    expect(result).toMatchObject({ value: { assertion: { conditions: { audienceRestrictions: [[spEntityId]] } } } });
  });

  for (const curve of ['P-256', 'P-384', 'P-521'] as const) {
    it(`is accepted with ECDSA on ${curve}`, async () => {
      const key = ecSamlKey('idp', curve);
      for (const algorithm of [signatureUris.ecdsaSha256, signatureUris.ecdsaSha384, signatureUris.ecdsaSha512]) {
        expect(await verdict(signedResponse({}, { key, algorithm }), documentKeys([key]))).toBe(alice);
      }
    });
  }

  for (const digest of [digestUris.sha256, digestUris.sha384, digestUris.sha512]) {
    it(`is accepted with the digest ${digest}`, async () => {
      expect(await verdict(signedResponse({}, { signed: 'both', digest }))).toBe(alice);
    });
  }

  it('is accepted with any of several certificates in any order', async () => {
    const xml = signedResponse();
    const ec = ecSamlKey();
    expect(await verdict(xml, documentKeys([strangerKey(), ec, idpKey()]))).toBe(alice);
    expect(await verdict(signedResponse({}, { key: ec }), documentKeys([idpKey(), ec]))).toBe(alice);
  });

  it('keeps its content exactly', async () => {
    const written = '  a&amp;b &lt;c&gt; &#x1F600; ü"\' ';
    expect(await verdict(signedResponse({ assertion: { nameId: written } }, { signed: 'both' }))).toBe(
      'accepted   a&b <c> \u{1F600} ü"\' ',
    );
  });

  it('is accepted with a declaration, white space between elements and a KeyInfo', async () => {
    const { certificate } = strangerKey();
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${signedResponse({ extra: '\n  ' }, { signed: 'both', certificate })}\n`;
    expect(await verdict(xml)).toBe(alice);
  });
});

describe('keys', () => {
  it('of others are not trusted', async () => {
    expect(await verdict(signedResponse(), documentKeys([strangerKey()]))).toBe('wrong_signature');
    expect(await verdict(signedResponse({}, { key: strangerKey() }))).toBe('wrong_signature');
  });

  it('that are too weak are ignored', async () => {
    const weak = rsaSamlKey('weak', 1024);
    const curve = ecSamlKey('odd', 'secp256k1');
    expect(await verdict(signedResponse({}, { key: weak }), documentKeys([weak]))).toBe('verifier_failed');
    expect(await verdict(signedResponse({}, { key: curve }), documentKeys([curve, idpKey()]))).toBe('wrong_signature');
  });

  it('are required', async () => {
    expect(await verdict(signedResponse(), { signingCertificates: [], decryptionKey: null })).toBe('verifier_failed');
    expect(await verdict(signedResponse(), { signingCertificates: ['AAAA'], decryptionKey: null })).toBe(
      'verifier_failed',
    );
  });
});
