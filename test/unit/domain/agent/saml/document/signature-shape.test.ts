import { describe, expect, it } from 'vitest';
import {
  digestAlgorithms,
  keepsComments,
  signatureAlgorithms,
  signatureFault,
} from '../../../../../../src/domain/agent/saml/document/signed-info-shape.js';
import type { XmlElement } from '../../../../../../src/domain/agent/xml/element-access.js';
import { signatureTree } from '../../../../../support/agent/saml-trees.js';
import { withAttribute, withChange, withChildren, xml } from '../../../../../support/agent/xml-elements.js';

const valid = signatureTree('_a');
const faultOf = (signature: XmlElement): string | null => signatureFault(signature, '_a');
const with_ = (name: string, attribute: string, value: string | null): string | null =>
  faultOf(withAttribute(valid, name, attribute, value));
const added = (name: string, child: XmlElement | string): string | null =>
  faultOf(withChildren(valid, name, (children) => [...children, child]));
const removed = (name: string): string | null =>
  faultOf(withChange(valid, (element) => (element.name === name ? null : element)));
const doubled = (name: string): string | null =>
  faultOf(withChange(valid, (element) => (element.name === name ? [element, element] : element)));
const emptied = (name: string): string | null => faultOf(withChildren(valid, name, () => []));

describe('the shape of a signature', () => {
  it('is valid with and without KeyInfo and inclusive prefixes', () => {
    expect(faultOf(valid)).toBeNull();
    expect(removed('KeyInfo')).toBeNull();
    expect(removed('InclusiveNamespaces')).toBeNull();
    const prefixes = xml('excC14n:InclusiveNamespaces', { PrefixList: 'xs' });
    expect(added('CanonicalizationMethod', prefixes)).toBeNull();
  });

  it.each([...signatureAlgorithms.keys()])('accepts %s', (algorithm) => {
    expect(with_('SignatureMethod', 'Algorithm', algorithm)).toBeNull();
  });

  it.each([...digestAlgorithms.keys()])('accepts %s', (algorithm) => {
    expect(with_('DigestMethod', 'Algorithm', algorithm)).toBeNull();
  });

  it.each([
    'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    'http://www.w3.org/2000/09/xmldsig#dsa-sha1',
    'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
    'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-md5',
    'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    'http://www.w3.org/2001/04/xmldsig-more#RSA-SHA256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256 ',
    '__proto__',
    'constructor',
    '',
    null,
  ])('refuses %s', (algorithm) => {
    expect(with_('SignatureMethod', 'Algorithm', algorithm)).toBe('weak_algorithm');
  });

  it.each([
    'http://www.w3.org/2000/09/xmldsig#sha1',
    'http://www.w3.org/2001/04/xmldsig-more#md5',
    'http://www.w3.org/2001/04/xmldsig-more#sha256',
    'toString',
    '',
    null,
  ])('refuses the digest %s', (algorithm) => {
    expect(with_('DigestMethod', 'Algorithm', algorithm)).toBe('weak_algorithm');
  });

  it('refuses algorithm parameters', () => {
    expect(added('SignatureMethod', xml('ds:HMACOutputLength', {}, '1'))).toBe('weak_algorithm');
    expect(added('DigestMethod', xml('x'))).toBe('weak_algorithm');
  });

  it.each([
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
    'http://www.w3.org/2001/10/xml-exc-c14n#withcomments',
    'http://www.w3.org/2001/10/xml-exc-c14n#WithComments ',
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments',
    'http://www.w3.org/2006/12/xml-c14n11',
    '',
    null,
  ])('refuses the canonicalization %s', (algorithm) => {
    expect(with_('CanonicalizationMethod', 'Algorithm', algorithm)).toBe('signature_transform');
    const transformed = withChildren(valid, 'Transforms', ([first]) => [
      ...(first === undefined ? [] : [first]),
      xml('ds:Transform', algorithm === null ? {} : { Algorithm: algorithm }),
    ]);
    expect(faultOf(transformed)).toBe('signature_transform');
  });

  it('reports a canonicalization that keeps comments', () => {
    const withComments = 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments';
    expect(keepsComments(valid)).toBe(false);
    const info = withAttribute(valid, 'CanonicalizationMethod', 'Algorithm', withComments);
    const transformed = withChildren(valid, 'Transforms', ([first]) => [
      ...(first === undefined ? [] : [first]),
      xml('ds:Transform', { Algorithm: withComments }),
    ]);
    for (const signature of [info, transformed]) {
      expect(faultOf(signature)).toBeNull();
      expect(keepsComments(signature)).toBe(true);
    }
  });

  it('requires exactly the two transforms, in order and empty', () => {
    const reversed = withChildren(valid, 'Transforms', (children) => children.toReversed());
    expect(faultOf(reversed)).toBe('signature_transform');
    expect(added('Transforms', xml('ds:Transform', { Algorithm: 'http://www.w3.org/TR/1999/REC-xslt-19991116' }))).toBe(
      'signature_transform',
    );
    expect(faultOf(withChildren(valid, 'Transforms', (children) => children.slice(0, 1)))).toBe('signature_transform');
    expect(faultOf(withChildren(valid, 'Transforms', (children) => children.slice(1)))).toBe('signature_transform');
    expect(emptied('Transforms')).toBe('signature_transform');
    expect(removed('Transforms')).toBe('signature_transform');
    expect(added('Transform', xml('ds:XPath', {}, 'ancestor-or-self::*'))).toBe('signature_transform');
    expect(added('InclusiveNamespaces', xml('x'))).toBe('signature_transform');
  });

  it.each(['', '#', '#_b', '_a', '#_a ', ' #_a', '#xpointer(/)', "#xpointer(id('_a'))", 'https://evil.test/#_a', null])(
    'refuses the reference %s',
    (uri) => {
      expect(with_('Reference', 'URI', uri)).toBe('signature_reference');
    },
  );

  it('refuses an ID that could mean something else', () => {
    for (const id of ['', 'xpointer(/)', "a' or '1'='1", 'a b', '1a', 'a:b', '#a']) {
      expect(signatureFault(signatureTree(id), id)).toBe('signature_reference');
    }
  });

  it('requires one reference, without a type', () => {
    expect(doubled('Reference')).toBe('signature_reference');
    expect(removed('Reference')).toBe('signature_reference');
    expect(with_('Reference', 'Type', 'http://www.w3.org/2000/09/xmldsig#Manifest')).toBe('signature_reference');
  });

  it('requires each part once', () => {
    for (const name of [
      'SignedInfo',
      'SignatureValue',
      'CanonicalizationMethod',
      'SignatureMethod',
      'DigestMethod',
      'DigestValue',
    ]) {
      expect(doubled(name)).toBe('malformed_element');
      expect(removed(name)).toBe('malformed_element');
    }
    expect(doubled('KeyInfo')).toBe('malformed_element');
    expect(doubled('Transforms')).toBe('malformed_element');
  });

  it('requires parts in the signature namespace', () => {
    for (const name of ['Signature', 'SignedInfo', 'SignatureValue', 'KeyInfo', 'SignatureMethod', 'DigestValue']) {
      const foreign = withChange(valid, (element) =>
        element.name === name ? { ...element, namespace: null } : element,
      );
      expect(faultOf(foreign)).toBe('malformed_element');
    }
  });

  it('requires values that are text', () => {
    for (const name of ['DigestValue', 'SignatureValue']) {
      expect(emptied(name)).toBe('malformed_element');
      expect(added(name, xml('x', {}, 'BBBB'))).toBe('malformed_element');
    }
  });

  it('refuses other content', () => {
    expect(added('Signature', xml('ds:Object'))).toBe('malformed_element');
    expect(added('Signature', xml('x'))).toBe('malformed_element');
    expect(added('Signature', 'text')).toBe('malformed_element');
    expect(added('SignedInfo', xml('x'))).toBe('malformed_element');
    expect(added('Reference', xml('x'))).toBe('malformed_element');
  });

  it.each([
    'SignedInfo',
    'Reference',
    'DigestValue',
    'SignatureValue',
    'Object',
    'Manifest',
    'Transforms',
    'Signature',
  ])('refuses %s in KeyInfo', (name) => {
    expect(added('X509Data', xml(`ds:${name}`))).toBe('malformed_element');
    // Libraries that look by local name would find this one.
    expect(added('X509Data', xml('wrapper', {}, xml(name)))).toBe('malformed_element');
  });
});
