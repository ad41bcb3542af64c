import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { assertionXml, responseXml, signedResponse } from './saml-documents.js';
import {
  forgedMarkup,
  forgedSizes,
  malformedDocuments,
  type RefusedDocument,
  refusedDocument,
} from './saml-forged-texts.js';
import { ecSamlKey, idpKey, strangerKey } from './saml-keys.js';
import { afterIssuer, atEnd, piece, swapped, without } from './saml-pieces.js';
import { digestUris, signatureUris, signElement, transformUris } from './saml-signatures.js';
import { evilAssertionId, type Forgery, mallory } from './saml-wrapping.js';

/**
 * The name that the attacker has is another user's with more behind it: parsers that stop at a comment read the other
 * user.
 */
const commented = ({ parts = {}, key = idpKey() }: Forgery): RefusedDocument => {
  const [user, more] = ['alice@example.com', '.evil.example'];
  const signed = signedResponse({ ...parts, assertion: { ...parts.assertion, nameId: user + more } }, { key });
  return { name: 'a comment in the NameID', xml: swapped(signed, more, `<!---->${more}`), reason: 'document_markup' };
};

const structure = ({ parts = {}, key = idpKey() }: Forgery): readonly RefusedDocument[] => {
  const signed = signedResponse(parts, { key });
  const original = piece(signed, 'saml:Assertion');
  const evil = assertionXml({ ...parts.assertion, id: evilAssertionId, nameId: mallory });
  const sameId = assertionXml({ ...parts.assertion, nameId: mallory });
  const assertionId = parts.assertion?.id ?? '_assertion-1';
  const inResponse = (text: string): string => swapped(signed, original, text);
  const bySignedResponse = (): string => signedResponse(parts, { key, signed: 'response' });
  const entries: Readonly<Record<string, readonly [xml: string | (() => string), reason: string]>> = {
    'a root that is an assertion': [original, 'unexpected_root'],
    'a root that is no message': [
      swapped(swapped(signed, '<samlp:Response ', '<samlp:Reply '), '</samlp:Response>', '</samlp:Reply>'),
      'unexpected_root',
    ],
    'a root of another namespace': [
      swapped(
        signed,
        'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"',
        'xmlns:samlp="urn:oasis:names:tc:SAML:1.0:protocol"',
      ),
      'unexpected_root',
    ],
    'SAML 1.1': [swapped(signed, 'Version="2.0"', 'Version="1.1"'), 'unsupported_version'],
    'an unsigned assertion before the signed one': [inResponse(evil + original), 'several_assertions'],
    'an unsigned assertion behind the signed one': [inResponse(original + evil), 'several_assertions'],
    'two signed assertions': [
      () => inResponse(original + signElement(evil, { id: evilAssertionId, key: key.privateKey })),
      'several_assertions',
    ],
    'no assertion': [inResponse(''), 'no_assertion'],
    'an assertion with the same ID': [inResponse(original + sameId), 'several_assertions'],
    'an ID that is there twice': [atEnd(signed, `<a ID="${assertionId}"/>`), 'duplicate_id'],
    'an ID that is there twice, as Id': [atEnd(signed, `<a Id="${assertionId}"/>`), 'duplicate_id'],
    'an ID that is there twice, as id': [atEnd(signed, `<a id="${assertionId}"/>`), 'duplicate_id'],
    'an ID that is there twice, as xml:id': [atEnd(signed, `<a xml:id="${assertionId}"/>`), 'duplicate_id'],
    'an assertion in Extensions': [
      afterIssuer(signed, `<samlp:Extensions>${evil}</samlp:Extensions>`),
      'misplaced_assertion',
    ],
    'an assertion in the status': [
      swapped(signed, '</samlp:Status>', `<samlp:StatusDetail>${evil}</samlp:StatusDetail></samlp:Status>`),
      'misplaced_assertion',
    ],
    'an assertion in advice': [
      inResponse(atEnd(original, `<saml:Advice>${evil}</saml:Advice>`)),
      'misplaced_assertion',
    ],
    'an assertion in a value': [swapped(signed, '>engineering<', `>${evil}<`), 'misplaced_assertion'],
    'an assertion of another namespace': [
      inResponse(original + evil.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')),
      'misplaced_assertion',
    ],
    'the assertion deeper in the response': [inResponse(`<a>${original}</a>`), 'misplaced_assertion'],
    'a second signature of the assertion': [
      afterIssuer(signed, '').replace(original, afterIssuer(original, piece(original, 'ds:Signature'))),
      'several_signatures',
    ],
    'a signature that is not directly in anything signed': [
      atEnd(signed, `<a>${piece(original, 'ds:Signature')}</a>`),
      'misplaced_signature',
    ],
    'the signature of the assertion in the response': [
      inResponse(without(original, piece(original, 'ds:Signature'))).replace(
        '<samlp:Status>',
        `${piece(original, 'ds:Signature')}<samlp:Status>`,
      ),
      'signature_reference',
    ],
    'the signature of the assertion at its end': [
      inResponse(atEnd(without(original, piece(original, 'ds:Signature')), piece(original, 'ds:Signature'))),
      'misplaced_signature',
    ],
    'a signed response that is in another response': [
      () => atEnd(responseXml({ ...parts, id: '_outer', assertions: [] }), bySignedResponse()),
      'unexpected_root',
    ],
  };
  return Object.entries(entries).map(([name, [xml, reason]]) => refusedDocument(name, xml, reason));
};

const signatures = ({ parts = {}, key = idpKey() }: Forgery): readonly RefusedDocument[] => {
  const signed = signedResponse(parts, { key });
  const original = piece(signed, 'saml:Assertion');
  const signature = piece(signed, 'ds:Signature');
  const forged = (plan: Parameters<typeof signedResponse>[1]): string => signedResponse(parts, { key, ...plan });
  const changed = (from: string, to: string): string => swapped(signed, from, to);
  const stranger = strangerKey();
  const by = { key: stranger, certificate: stranger.certificate };
  const sign = (xml: string, id: string, plan: object = {}): string =>
    signElement(xml, { id, key: key.privateKey, ...plan });
  const digest = piece(signed, 'ds:DigestValue');
  const value = piece(signed, 'ds:SignatureValue');
  const signedInfo = piece(signed, 'ds:SignedInfo');
  const reference = piece(signed, 'ds:Reference');
  const assertionId = parts.assertion?.id ?? '_assertion-1';
  const responseId = parts.id ?? '_response-1';
  const hmac = (algorithm: 'hmacSha1' | 'hmacSha256', secret: string): string =>
    signElement(responseXml(parts), { id: assertionId, key: secret, algorithm: signatureUris[algorithm] });
  const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const evilParts = { ...parts, assertion: { ...parts.assertion, nameId: mallory } };
  const transplanted = swapped(responseXml(evilParts), '<saml:Subject>', `${signature}<saml:Subject>`);
  const twice = (): string => sign(forged({ signed: 'assertion', ...by }), responseId);
  const entries: Readonly<Record<string, readonly [xml: string | (() => string), reason: string]>> = {
    'no signature': [responseXml(parts), 'unsigned'],
    'a signature that was taken out': [without(signed, signature), 'unsigned'],
    'a name that was changed': [changed('alice@example.com', mallory), 'wrong_signature'],
    'an attribute that was changed': [changed('engineering', 'management'), 'wrong_signature'],
    'an audience that was changed': [changed('<saml:Audience>', '<saml:Audience>x'), 'wrong_signature'],
    'a digest that was changed': [
      changed(digest, '<ds:DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=</ds:DigestValue>'),
      'wrong_signature',
    ],
    'a signature value that was changed': [
      changed(value, '<ds:SignatureValue>AAAA</ds:SignatureValue>'),
      'wrong_signature',
    ],
    'a signature value that is no base64': [changed('<ds:SignatureValue>', '<ds:SignatureValue>*'), 'wrong_signature'],
    'an empty signature value': [changed(value, '<ds:SignatureValue/>'), 'malformed_element'],
    'no signature value': [changed(value, ''), 'malformed_element'],
    'two signature values': [changed(value, value + value), 'malformed_element'],
    'the signature of another document': [transplanted, 'wrong_signature'],
    'a key that is in KeyInfo alone': [() => forged(by), 'wrong_signature'],
    'a key that is in KeyInfo alone, of the response': [() => forged({ ...by, signed: 'response' }), 'wrong_signature'],
    'an EC key of nobody': [() => forged({ key: ecSamlKey() }), 'wrong_signature'],
    'a response that is signed, with an assertion signed by somebody else': [twice, 'wrong_signature'],
    'an assertion that is signed, in a response signed by somebody else': [
      () => signElement(signed, { id: responseId, key: stranger.privateKey }),
      'wrong_signature',
    ],
    'HMAC with the public key': [() => hmac('hmacSha256', publicPem), 'weak_algorithm'],
    'HMAC with the certificate': [() => hmac('hmacSha1', key.certificatePem), 'weak_algorithm'],
    'RSA with SHA-1': [() => forged({ algorithm: signatureUris.rsaSha1 }), 'weak_algorithm'],
    'RSA with SHA-1, of the response': [
      () => forged({ algorithm: signatureUris.rsaSha1, signed: 'response' }),
      'weak_algorithm',
    ],
    'ECDSA with SHA-1': [() => forged({ key: ecSamlKey(), algorithm: signatureUris.ecdsaSha1 }), 'weak_algorithm'],
    'a digest by SHA-1': [() => forged({ digest: digestUris.sha1 }), 'weak_algorithm'],
    'a digest by MD5': [() => forged({ digest: digestUris.md5 }), 'weak_algorithm'],
    'an algorithm that nobody knows': [changed(signatureUris.rsaSha256, 'urn:none'), 'weak_algorithm'],
    'inclusive canonicalization': [
      () => forged({ transforms: [transformUris.enveloped, transformUris.inclusive] }),
      'signature_transform',
    ],
    'no canonicalization': [() => forged({ transforms: [transformUris.enveloped] }), 'signature_transform'],
    'transforms the other way round': [
      () => forged({ transforms: [transformUris.exclusive, transformUris.enveloped] }),
      'signature_transform',
    ],
    'an XPath transform': [
      changed(reference, reference.replace(transformUris.enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116')),
      'signature_transform',
    ],
    'an XSLT transform': [
      changed(reference, reference.replace(transformUris.enveloped, 'http://www.w3.org/TR/1999/REC-xslt-19991116')),
      'signature_transform',
    ],
    'a reference to the whole document': [changed(`URI="#${assertionId}"`, 'URI=""'), 'signature_reference'],
    'a reference to something else': [changed(`URI="#${assertionId}"`, `URI="#${responseId}"`), 'signature_reference'],
    'a reference to a web page': [
      changed(`URI="#${assertionId}"`, 'URI="https://evil.example/"'),
      'signature_reference',
    ],
    'a reference to a file': [changed(`URI="#${assertionId}"`, 'URI="file:///etc/passwd"'), 'signature_reference'],
    'an XPointer': [changed(`URI="#${assertionId}"`, `URI="#xpointer(id('${assertionId}'))"`), 'signature_reference'],
    'two references': [changed(reference, reference + reference), 'signature_reference'],
    'no reference': [changed(reference, ''), 'signature_reference'],
    'two SignedInfo': [changed(signedInfo, signedInfo + signedInfo), 'malformed_element'],
    'a Manifest': [
      changed(signature, atEnd(signature, `<ds:Object><ds:Manifest>${reference}</ds:Manifest></ds:Object>`)),
      'malformed_element',
    ],
    'an Object': [changed(signature, atEnd(signature, '<ds:Object/>')), 'malformed_element'],
    'thousands of prefixes to look for': [
      changed(
        reference,
        reference
          .replace(`Algorithm="${transformUris.exclusive}" />`, `Algorithm="${transformUris.exclusive}"/>`)
          .replace(
            `Algorithm="${transformUris.exclusive}"/>`,
            `Algorithm="${transformUris.exclusive}"><e:InclusiveNamespaces xmlns:e="${transformUris.exclusive}" PrefixList="${'a '.repeat(10_000)}"/></ds:Transform>`,
          ),
      ),
      'signature_transform',
    ],
    'an assertion without an ID': [
      swapped(original, `ID="${assertionId}" `, '') && swapped(signed, `ID="${assertionId}" `, ''),
      'signature_reference',
    ],
  };
  return Object.entries(entries).map(([name, [xml, reason]]) => refusedDocument(name, xml, reason));
};

/** Every document of the attack suite that is not a matter of wrapping, encryption or of what it says. */
export const refusedDocuments = (forgery: Forgery = {}): readonly RefusedDocument[] => {
  const signed = signedResponse(forgery.parts ?? {}, { key: forgery.key ?? idpKey() });
  return [
    commented(forgery),
    ...forgedMarkup(signed),
    ...forgedSizes(signed),
    ...malformedDocuments(signed),
    ...structure(forgery),
    ...signatures(forgery),
  ];
};

/**
 * What a service that trusts the first signature it finds makes of a document: whether that holds. The attack suite
 * says by it that a document is refused for what was done to it, and not because its signature was broken on the way.
 */
export const naivelyVerified = (xml: string, certificatePem: string): boolean => {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const [signature] = Array.from(document.getElementsByTagNameNS('http://www.w3.org/2000/09/xmldsig#', 'Signature'));
  if (signature === undefined) return false;
  const checker = new SignedXml({ publicCert: certificatePem, getCertFromKeyInfo: () => null });
  checker.loadSignature(signature);
  return checker.checkSignature(xml);
};
