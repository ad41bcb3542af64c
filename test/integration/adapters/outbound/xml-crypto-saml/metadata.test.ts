import { describe, expect, it } from 'vitest';
import { FastXmlReader } from '../../../../../src/adapters/outbound/xml-crypto-saml/proven-element.js';
import { XmlCryptoDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { idpKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { atEnd, swapped } from '../../../../support/agent/saml-pieces.js';
import { signElement, transformUris } from '../../../../support/agent/saml-signatures.js';

const verifier = new XmlCryptoDocumentVerifier();

const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const role = [
  '<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor>',
  '<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate><![CDATA[AA]]>AA',
  '</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>',
  `<md:SingleSignOnService Binding="${redirect}" Location="https://idp.example/sso"/></md:IDPSSODescriptor>`,
].join('');
const metadata = [
  '<?xml version="1.0"?><!-- of the identity provider -->\n',
  '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ID="_m" entityID="https://idp.example/">',
  '<!-- a comment --><md:Organization><md:OrganizationName><![CDATA[A & B]]></md:OrganizationName></md:Organization>',
  role,
  '</md:EntityDescriptor>',
].join('');
const signed = signElement(metadata, { id: '_m', key: idpKey().privateKey, after: null });

/** The location that sign-ons are sent to, or why there is none. */
const outcome = async (text: string, certificates = [idpKey().certificate]): Promise<string> => {
  const result = await verifier.verifyMetadata(text, { certificates, entityId: null, nowMs: 0 });
  if (result.ok) return result.value.provider.ssoUrl;
  return typeof result.error === 'string' ? result.error : result.error.unusable;
};

describe('metadata with comment canonicalization', () => {
  const { enveloped, exclusiveWithComments } = transformUris;
  const plans = [{ transforms: [enveloped, exclusiveWithComments] }, { canonicalization: exclusiveWithComments }];

  it.each(plans)('is read without comments, and refused with comments: %o', async (plan) => {
    const signedWith = (text: string) =>
      signElement(text, { id: '_m', key: idpKey().privateKey, after: null, ...plan });
    expect(await outcome(signedWith(metadata.replaceAll(/<!-- [^>]*-->/g, '')))).toBe('https://idp.example/sso');
    expect(await outcome(signedWith(metadata))).toBe('signature_transform');
  });
});

describe('metadata', () => {
  it('is read if one of the certificates signs it', async () => {
    const certificates = [strangerKey().certificate, idpKey().certificate];
    const result = await verifier.verifyMetadata(signed, { certificates, entityId: null, nowMs: 0 });
    const provider = {
      entityId: 'https://idp.example/',
      ssoUrl: 'https://idp.example/sso',
      logout: null,
      signingCertificates: ['AAAA'],
      wantsSignedRequests: false,
    };
    expect(result).toEqual({ ok: true, value: { provider, validUntilMs: null, cacheDurationMs: null } });
  });

  it('is used if it describes the configured entity and is valid', async () => {
    const query = { certificates: [], entityId: 'https://other.example/', nowMs: 0 };
    const other = await verifier.verifyMetadata(metadata, query);
    expect(other).toEqual({
      ok: false,
      error: { unusable: 'has no identity provider https://other.example/ for SAML 2.0' },
    });
    const over = swapped(metadata, ' ID=', ' validUntil="2026-01-01T00:00:00Z" ID=');
    const known = { ...query, entityId: null };
    expect((await verifier.verifyMetadata(over, { ...known, nowMs: Date.parse('2025-12-31T23:59:59Z') })).ok).toBe(
      true,
    );
    expect(await verifier.verifyMetadata(over, { ...known, nowMs: Date.parse('2026-01-01T00:00:00Z') })).toEqual({
      ok: false,
      error: { unusable: 'was valid until 2026-01-01T00:00:00Z' },
    });
  });

  it('is read without known certificates after validation', async () => {
    expect(await outcome(metadata, [])).toBe('https://idp.example/sso');
    expect(await outcome(`<!DOCTYPE a>${metadata}`, [])).toBe('document_markup');
    expect(await outcome(metadata.slice(0, -1), [])).toBe('document_not_well_formed');
    expect(await outcome(atEnd(metadata, '<evil:a/>'), [])).toBe('document_not_well_formed');
  });

  it('is refused unless one of the certificates signs it', async () => {
    expect(await outcome(metadata)).toBe('unsigned');
    expect(await outcome(signed, [strangerKey().certificate])).toBe('wrong_signature');
    expect(await outcome(swapped(signed, 'https://idp.example/sso', 'https://evil.example/'))).toBe('wrong_signature');
    expect(await outcome(swapped(signed, 'A & B', 'C'))).toBe('wrong_signature');
  });

  it('is refused if signed metadata is wrapped in forged metadata', async () => {
    const forged = metadata.replace('_m', '_n').replace('idp.example', 'evil.example');
    expect(await outcome(atEnd(forged, signed.slice(signed.indexOf('<md:'))))).toBe('unsigned');
  });

  it('is refused if its ID is missing or empty, despite a complete signature', async () => {
    expect(await outcome(swapped(signed, ' ID="_m"', ''))).toBe('signature_reference');
    expect(await outcome(swapped(swapped(signed, ' ID="_m"', ' ID=""'), 'URI="#_m"', 'URI="#"'))).toBe(
      'signature_reference',
    );
  });

  it('is refused above the size limit', async () => {
    expect(await outcome(atEnd(metadata, ' '.repeat(4 * 1024 * 1024)), [])).toBe('document_too_large');
  });
});

describe('FastXmlReader', () => {
  const reader = new FastXmlReader();

  it('resolves namespaces, references, CDATA and white space of attributes', () => {
    const text = [
      '<?xml version="1.0"?>\n<!-- c --><a xmlns="urn:a" xmlns:b="urn:b" c="1\n2&#10;3" b:d="&lt;&quot;&#x41;">',
      'x<!-- y -->&amp;<![CDATA[&amp;<z>]]> <b:e/><f xmlns=""><g/></f><?pi data?></a>\n',
    ].join('');
    const empty = { attributes: [], children: [] };
    expect(reader.read(text)).toEqual({
      ok: true,
      value: {
        name: 'a',
        namespace: 'urn:a',
        attributes: [
          { name: 'c', namespace: null, value: '1 2\n3' },
          { name: 'd', namespace: 'urn:b', value: '<"A' },
        ],
        children: [
          'x&&amp;<z> ',
          { name: 'e', namespace: 'urn:b', ...empty },
          { name: 'f', namespace: null, attributes: [], children: [{ name: 'g', namespace: null, ...empty }] },
        ],
      },
    });
  });

  for (const text of [
    '',
    'text',
    '<a>',
    '<a/><b/>',
    '<a/>text',
    '<a b="1" b="2"/>',
    '<b:a/>',
    '<a b:c="1"/>',
    '<a>&unknown;</a>',
    '<a>&#0;</a>',
    '<__proto__/>',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
    `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
  ]) {
    it(`refuses ${text.slice(0, 60)}`, () => {
      expect(reader.read(text).ok).toBe(false);
    });
  }
});
