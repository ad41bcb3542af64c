import { assertionXml, responseXml } from './saml-documents.js';
import { forgedMarkup, forgedSizes, malformedDocuments, type RefusedDocument } from './saml-forged-texts.js';
import { ecSamlKey, idpKey, strangerKey } from './saml-keys.js';
import { afterIssuer, atEnd, piece, swapped, without } from './saml-pieces.js';
import { digestUris, type SignaturePlan, signatureUris, signElement, transformUris } from './saml-signatures.js';
import { evilAssertionId, mallory } from './saml-wrapping.js';

const id = '_assertion-1';

const signedBy = (plan: Partial<SignaturePlan> = {}, xml: string = assertionXml()): string =>
  signElement(xml, { id, key: idpKey().privateKey, ...plan });

/** An assertion alone that is in order. */
export const signedToken = (): string => signedBy();

type Entries = Readonly<Record<string, readonly [xml: string, reason: string]>>;

const named = (entries: Entries): readonly RefusedDocument[] =>
  Object.entries(entries).map(([name, [xml, reason]]) => ({ name, xml, reason }));

const structure = (signed: string): Entries => {
  const evil = assertionXml({ id: evilAssertionId, nameId: mallory });
  const signature = piece(signed, 'ds:Signature');
  const rename = (to: string) => signed.replaceAll('saml:Assertion', `saml:${to}`);
  return {
    'a root that is no assertion': [rename('Statement'), 'unexpected_root'],
    'a root of another namespace': [
      signed.replaceAll('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:oasis:names:tc:SAML:1.0:assertion'),
      'unexpected_root',
    ],
    'a root that is nothing of SAML': ['<a/>', 'unexpected_root'],
    'the assertion in something else': [`<a>${signed}</a>`, 'unexpected_root'],
    'SAML 1.1': [swapped(signed, 'Version="2.0"', 'Version="1.1"'), 'unsupported_version'],
    'an assertion in its advice': [atEnd(signed, `<saml:Advice>${evil}</saml:Advice>`), 'misplaced_assertion'],
    'an assertion at its end': [atEnd(signed, evil), 'misplaced_assertion'],
    'an assertion in a value': [swapped(signed, '>engineering<', `>${evil}<`), 'misplaced_assertion'],
    'an encrypted assertion in it': [atEnd(signed, '<saml:EncryptedAssertion/>'), 'misplaced_assertion'],
    'a response in it': [swapped(signed, '>engineering<', `>${responseXml()}<`), 'unexpected_root'],
    'a second signature': [afterIssuer(signed, signature), 'several_signatures'],
    'a signature that is not directly in it': [atEnd(signed, `<a>${signature}</a>`), 'misplaced_signature'],
    'its signature at its end': [atEnd(without(signed, signature), signature), 'misplaced_signature'],
    'its signature deeper in it': [atEnd(without(signed, signature), `<a>${signature}</a>`), 'misplaced_signature'],
    'an ID that is there twice': [atEnd(signed, `<a ID="${id}"/>`), 'duplicate_id'],
    'an ID that is there twice, as xml:id': [atEnd(signed, `<a xml:id="${id}"/>`), 'duplicate_id'],
    'no ID': [swapped(signed, `ID="${id}" `, ''), 'signature_reference'],
  };
};

const signatures = (signed: string): Entries => {
  const changed = (from: string, to: string): string => swapped(signed, from, to);
  const signature = piece(signed, 'ds:Signature');
  const reference = piece(signed, 'ds:Reference');
  const value = piece(signed, 'ds:SignatureValue');
  const signedInfo = piece(signed, 'ds:SignedInfo');
  const stranger = strangerKey();
  const publicPem = idpKey().publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const uri = `URI="#${id}"`;
  const { enveloped, exclusive, inclusive } = transformUris;
  return {
    'no signature': [assertionXml(), 'unsigned'],
    'a signature that was taken out': [without(signed, signature), 'unsigned'],
    'a name that was changed': [changed('alice@example.com', mallory), 'wrong_signature'],
    'an attribute that was changed': [changed('engineering', 'management'), 'wrong_signature'],
    'a recipient that was changed': [changed('Recipient="', 'Recipient="x'), 'wrong_signature'],
    'a signature value that was changed': [
      changed(value, '<ds:SignatureValue>AAAA</ds:SignatureValue>'),
      'wrong_signature',
    ],
    'no signature value': [changed(value, ''), 'malformed_element'],
    'the signature of another assertion': [
      afterIssuer(assertionXml({ nameId: mallory }), signature),
      'wrong_signature',
    ],
    'the key of somebody else': [signedBy({ key: stranger.privateKey }), 'wrong_signature'],
    'a key that is in KeyInfo alone': [
      signedBy({ key: stranger.privateKey, certificate: stranger.certificate }),
      'wrong_signature',
    ],
    'an EC key of nobody': [signedBy({ key: ecSamlKey().privateKey }), 'wrong_signature'],
    'what somebody else has signed again': [
      signedBy({ key: stranger.privateKey }, without(signed, signature)),
      'wrong_signature',
    ],
    'HMAC with the public key': [signedBy({ key: publicPem, algorithm: signatureUris.hmacSha256 }), 'weak_algorithm'],
    'RSA with SHA-1': [signedBy({ algorithm: signatureUris.rsaSha1 }), 'weak_algorithm'],
    'a digest by SHA-1': [signedBy({ digest: digestUris.sha1 }), 'weak_algorithm'],
    'inclusive canonicalization': [signedBy({ transforms: [enveloped, inclusive] }), 'signature_transform'],
    'no canonicalization': [signedBy({ transforms: [enveloped] }), 'signature_transform'],
    'transforms the other way round': [signedBy({ transforms: [exclusive, enveloped] }), 'signature_transform'],
    'an XPath transform': [
      changed(reference, reference.replace(enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116')),
      'signature_transform',
    ],
    'a reference to the whole document': [changed(uri, 'URI=""'), 'signature_reference'],
    'a reference to something else': [changed(uri, 'URI="#_other"'), 'signature_reference'],
    'a reference to a web page': [changed(uri, 'URI="https://evil.example/"'), 'signature_reference'],
    'an XPointer': [changed(uri, `URI="#xpointer(id('${id}'))"`), 'signature_reference'],
    'two references': [changed(reference, reference + reference), 'signature_reference'],
    'no reference': [changed(reference, ''), 'signature_reference'],
    'two SignedInfo': [changed(signedInfo, signedInfo + signedInfo), 'malformed_element'],
    'an Object': [changed(signature, atEnd(signature, '<ds:Object/>')), 'malformed_element'],
  };
};

/**
 * Assertions alone, each with something done to it for which it has to be refused; wrapping and encryption are
 * elsewhere.
 */
export const refusedTokens = (): readonly RefusedDocument[] => {
  const signed = signedToken();
  const longer = signedBy({}, assertionXml({ nameId: 'alice@example.com.evil.example' }));
  return [
    {
      name: 'a comment in the NameID',
      xml: swapped(longer, '.evil.example', '<!---->.evil.example'),
      reason: 'document_markup',
    },
    ...forgedMarkup(signed),
    ...forgedSizes(signed),
    ...malformedDocuments(signed),
    ...named(structure(signed)),
    ...named(signatures(signed)),
  ];
};
