import { describe, expect, it } from 'vitest';
import { metadataLimits, metadataShapeFault } from '../../../../../src/domain/agent/xml/document-shape.js';

describe('the shape of metadata', () => {
  it.each([
    '<a/>',
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand --><a/><!-- end -->',
    '<a><!-- a - b & <c> --></a>',
    '<a><!----></a>',
    '<a><![CDATA[<b> & ]] >]]></a>',
    '<a><?pi <b> & "?></a>',
    '<?xml-stylesheet href="x"?><a/>',
    '<a/>\n<?pi?>\n',
    '<a><!-- <!DOCTYPE a> --></a>',
  ])('is valid: %s', (text) => {
    expect(metadataShapeFault(text)).toBeNull();
  });

  it.each([
    '<!DOCTYPE a><a/>',
    '<!doctype a><a/>',
    '<!-- --><!DOCTYPE a [<!ENTITY b "c">]><a/>',
    '<a><!ENTITY b "c"></a>',
    '<a><!></a>',
    '<a><!- - --></a>',
    '<a><![cdata[]]></a>',
    '<a>&b;</a>',
    '<a>&amp</a>',
    '<a b="&b;"/>',
    '<a><?xml version="1.0"?></a>',
    '<a><?XmL ?></a>',
    '<a><? pi?></a>',
    '\n<?xml version="1.0"?><a/>',
  ])('refuses a DTD and entities: %s', (text) => {
    expect(metadataShapeFault(text)).toBe('document_markup');
  });

  it.each([
    '',
    '<!-- -->',
    '<a><!-- </a>',
    '<a><!-- -- --></a>',
    '<a><!-- ---></a>',
    '<a><![CDATA[ </a>',
    '<![CDATA[ ]]><a/>',
    '<a/><![CDATA[ ]]>',
    '<a><?pi </a>',
    '<a>]]></a>',
    '<a><!-- \u0001 --></a>',
    '<a><![CDATA[\ud800]]></a>',
    '<a><!-- --></b>',
    '<p:a/>',
  ])('requires well-formed text: %j', (text) => {
    expect(metadataShapeFault(text)).toBe('document_not_well_formed');
  });

  it('has limits', () => {
    expect(metadataShapeFault(`<a>${'<b/>'.repeat(199_999)}</a>`)).toBeNull();
    expect(metadataShapeFault(`<a>${'<b/>'.repeat(200_000)}</a>`)).toBe('document_too_deep');
    expect(metadataShapeFault(`<a>${' '.repeat(metadataLimits.characters)}</a>`)).toBe('document_too_large');
  });
});
