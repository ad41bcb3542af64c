import { describe, expect, it } from 'vitest';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { posted, signedResponse } from '../../../../../support/agent/saml-documents.js';
import { documentKeys } from '../../../../../support/agent/saml-verifying.js';

const signed = signedResponse();
const encoded = posted(signed);

const outcome = async (form: string): Promise<string> => {
  const result = await new XmlCryptoDocumentVerifier().verifyResponse(form, documentKeys());
  return result.ok ? 'accepted' : result.error;
};

describe('the value of SAMLResponse', () => {
  it('may contain line breaks', async () => {
    expect(await outcome(encoded)).toBe('accepted');
    expect(await outcome(`${encoded.replaceAll(/.{76}/g, '$&\r\n')}\n`)).toBe('accepted');
  });

  const refused: Readonly<Record<string, readonly [form: string, reason: string]>> = {
    empty: ['', 'document_not_well_formed'],
    'no base64': ['*', 'document_encoding'],
    'base64 and something else': [`${encoded}!`, 'document_encoding'],
    'the document itself': [signed, 'document_encoding'],
    'base64 of URLs': [
      posted(signed.replace('alice', 'ÿÿÿ???')).replaceAll('+', '-').replaceAll('/', '_'),
      'document_encoding',
    ],
    'base64 without its padding': [
      posted(`${signed}${' '.repeat((4 - (signed.length % 3)) % 3)}`).replaceAll('=', ''),
      'document_encoding',
    ],
    'base64 with padding in its midst': [`${encoded.slice(0, 4)}====${encoded.slice(4)}`, 'document_encoding'],
    'base64 cut short': [encoded.slice(0, -5), 'document_encoding'],
    'percent-encoded base64': [encodeURIComponent(`${encoded}=`), 'document_encoding'],
    'in UTF-16': [Buffer.from(`\ufeff${signed}`, 'utf16le').toString('base64'), 'document_encoding'],
    'in Latin-1': [
      Buffer.from(signed.replace('alice', 'alic\u00e9'), 'latin1').toString('base64'),
      'document_encoding',
    ],
    'overlong UTF-8': [
      Buffer.concat([Buffer.from(signed), Buffer.of(0xc0, 0xbc)]).toString('base64'),
      'document_encoding',
    ],
    'said to be in Latin-1': [posted(`<?xml version="1.0" encoding="ISO-8859-1"?>${signed}`), 'document_encoding'],
    'said to be XML 1.1': [posted(`<?xml version="1.1"?>${signed}`), 'document_markup'],
    '5 MB of white space': [encoded + ' '.repeat(5_000_000), 'document_too_large'],
    '5 MB of base64': ['A'.repeat(5_000_000), 'document_too_large'],
    deflated: [
      Buffer.from('fVLLTsMwEPwVy3fiOE0DtZpIpRVSpYIQLRy4IMfZtBaO', 'base64').toString('base64'),
      'document_encoding',
    ],
  };
  for (const [name, [form, reason]] of Object.entries(refused)) {
    it(`is refused if it is ${name}`, async () => {
      expect(await outcome(form)).toBe(reason);
    });
  }
});
