import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { assertionXml, logoutRequestXml, posted, signedResponse } from '../../../../../support/agent/saml-documents.js';
import { encryptedAssertion } from '../../../../../support/agent/saml-encryption.js';
import { asToken } from '../../../../../support/agent/saml-exchange.js';
import { naivelyVerified, refusedDocuments } from '../../../../../support/agent/saml-forgeries.js';
import { idpKey } from '../../../../../support/agent/saml-keys.js';
import { piece, swapped } from '../../../../../support/agent/saml-pieces.js';
import { signElement } from '../../../../../support/agent/saml-signatures.js';
import { refusedTokens, signedToken } from '../../../../../support/agent/saml-token-forgeries.js';
import { documentKeys, tokenVerdict, verdict } from '../../../../../support/agent/saml-verifying.js';
import { wrappedAssertions, wrappedResponses, wrappedTokens } from '../../../../../support/agent/saml-wrapping.js';

const alice = 'accepted alice@example.com';
const idp = idpKey().privateKey;

/** The reason for which the value of a parameter is refused as a token. */
const outcome = async (encoded: string): Promise<string> => {
  const result = await new XmlCryptoDocumentVerifier().verifyAssertion(encoded, documentKeys());
  return result.ok ? 'accepted' : result.error;
};

describe('a tampered assertion', () => {
  it('is accepted without tampering', async () => {
    expect(await tokenVerdict(signedToken())).toBe(alice);
  });

  for (const { name, xml, reason } of refusedTokens()) {
    it(`is refused for ${name}`, async () => {
      expect(await tokenVerdict(xml)).toBe(reason);
    });
  }
});

describe('a response as a token', () => {
  it('is accepted if valid', async () => {
    for (const signed of ['assertion', 'response', 'both'] as const) {
      expect(await tokenVerdict(signedResponse({}, { signed }))).toBe(alice);
    }
  });

  // That one is a token of its own, and says itself where it may be brought.
  const tampered = refusedDocuments().filter(({ name }) => name !== 'a root that is an assertion');
  for (const { name, xml, reason } of tampered) {
    it(`is refused for ${name}, as at sign-on`, async () => {
      expect(await tokenVerdict(xml)).toBe(reason);
    });
  }
});

describe('signature wrapping of a token', () => {
  const reasons = [
    'misplaced_assertion',
    'several_assertions',
    'misplaced_signature',
    'signature_reference',
    'malformed_element',
    'unexpected_root',
  ];
  for (const { name, xml } of [...wrappedTokens(), ...wrappedAssertions(), ...wrappedResponses()]) {
    it(`${name} is refused by its structure despite a valid signature`, async () => {
      expect(naivelyVerified(xml, idpKey().certificatePem)).toBe(true);
      expect(reasons).toContain(await tokenVerdict(xml));
    });
  }
});

describe('a document that is no token', () => {
  it('can be a signed message of another kind', async () => {
    const logout = signElement(logoutRequestXml(), { id: '_logout-1', key: idp });
    expect(await tokenVerdict(logout)).toBe('unexpected_root');
    const metadata = signElement(
      '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ID="_m"><Issuer/></md:EntityDescriptor>',
      { id: '_m', key: idp },
    );
    expect(await tokenVerdict(metadata)).toBe('unexpected_root');
  });

  it('can be a signed failure of the identity provider', async () => {
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    const failure = signedResponse({ status, assertions: [] }, { signed: 'response' });
    expect(await tokenVerdict(failure)).toBe('failed_status');
  });
});

describe('the end of a sign-on', () => {
  it('needs a response: a signed assertion alone is refused', async () => {
    expect(await verdict(signedToken())).toBe('unexpected_root');
    expect(await verdict(piece(signedResponse(), 'saml:Assertion'))).toBe('unexpected_root');
    expect(await verdict(await encryptedAssertion(signedToken()))).toBe('unexpected_root');
  });
});

describe('an encrypted assertion as a token', () => {
  it('is accepted if the inner assertion is signed', async () => {
    expect(await tokenVerdict(await encryptedAssertion(signedToken()))).toBe(alice);
  });

  it('is refused without our key, and if the inner assertion is unsigned', async () => {
    const keyless = documentKeys([idpKey()], null);
    expect(await tokenVerdict(await encryptedAssertion(signedToken()), keyless)).toBe('encrypted_without_key');
    expect(await tokenVerdict(await encryptedAssertion(assertionXml()))).toBe('unsigned');
  });

  it('is refused with other content or after a change', async () => {
    expect(await tokenVerdict(await encryptedAssertion(signedResponse()))).toBe('no_assertion');
    const twice = await encryptedAssertion(await encryptedAssertion(signedToken()));
    expect(await tokenVerdict(twice)).toBe('no_assertion');
    const flip = (octets: Buffer): Buffer => {
      octets[20] = (octets[20] ?? 0) ^ 1;
      return octets;
    };
    expect(await tokenVerdict(await encryptedAssertion(signedToken(), { tamper: flip }))).toBe('undecipherable');
  });

  for (const { name, xml, reason } of refusedTokens().slice(-20)) {
    it(`is refused for ${name} of the inner assertion`, async () => {
      expect(await tokenVerdict(await encryptedAssertion(xml))).toBe(reason);
    });
  }

  it('does not accept an outer signature for the inner assertion', async () => {
    const wrapper = await encryptedAssertion(assertionXml());
    const signature = piece(signedToken(), 'ds:Signature');
    expect(await tokenVerdict(swapped(wrapper, '<xenc:EncryptedData', `${signature}<xenc:EncryptedData`))).toBe(
      'unsigned',
    );
  });
});

describe('the encoding of a token', () => {
  const xml = signedToken();
  const token = asToken(xml);

  it('is strict base64url', async () => {
    expect(await outcome(token)).toBe('accepted');
  });

  const padded = [0, 1, 2].map((spaces) => Buffer.from(xml + ' '.repeat(spaces)).toString('base64'));
  const [whole, once, twice] = ['', '=', '=='].map((end) => {
    const text = padded.find((text) => text.endsWith(end) && !text.endsWith(`${end}=`)) ?? '';
    return text.replaceAll('+', '-').replaceAll('/', '_');
  }) as [string, string, string];
  it('may have padding', async () => {
    for (const text of [whole, once, twice]) {
      expect(text.length % 4).toBe(0);
      expect(await outcome(text)).toBe('accepted');
    }
  });

  const refused: Readonly<Record<string, readonly [encoded: string, reason: string]>> = {
    empty: ['', 'document_not_well_formed'],
    'the document itself': [xml, 'document_encoding'],
    'padded where there is nothing to pad': [`${whole}=`, 'document_encoding'],
    'padded with four characters': [`${whole}====`, 'document_encoding'],
    'padded with too much': [`${once}=`, 'document_encoding'],
    'padded with too little': [twice.slice(0, -1), 'document_encoding'],
    'padded with something else behind it': [`${twice}\n`, 'document_encoding'],
    'padded in the middle': [`${twice}AAAA`, 'document_encoding'],
    'base64 with the other alphabet': [posted(swapped(xml, 'alice', 'ÿÿÿ???')), 'document_encoding'],
    folded: [token.replaceAll(/.{76}/g, '$&\r\n'), 'document_encoding'],
    'followed by a line end': [`${token}\n`, 'document_encoding'],
    'with something else behind it': [`${token}.x`, 'document_encoding'],
    'of a length that no octets have': [`${token}${'A'.repeat((5 - (token.length % 4)) % 4)}`, 'document_encoding'],
    'encoded twice': [asToken(token), 'document_not_well_formed'],
    'in UTF-16': [Buffer.from(`\ufeff${xml}`, 'utf16le').toString('base64url'), 'document_encoding'],
    'too large': ['A'.repeat(3_000_000), 'document_too_large'],
  };
  for (const [name, [encoded, reason]] of Object.entries(refused)) {
    it(`is refused if it is ${name}`, async () => {
      expect(await outcome(encoded)).toBe(reason);
    });
  }
});
