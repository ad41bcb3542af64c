import { describe, expect, it } from 'vitest';
import {
  documentShapeFault,
  logoutLimits,
  responseLimits,
} from '../../../../../src/domain/agent/xml/document-shape.js';

const notWellFormed = 'document_not_well_formed';

describe('the shape of a document', () => {
  it.each([
    '<a/>',
    '<a></a>',
    "<a b='1' c=\"2\"\n\td = '3'  >text</a  >",
    '\n <a/> \r\n',
    '<?xml version="1.0"?><a/>',
    "<?xml version='1.0' encoding='utf-8' standalone='no' ?>\n<a/>",
    '<?xml version = "1.0" encoding="UTF-8"?><a/>',
    '<a>&amp;&lt;&gt;&quot;&apos;&#65;&#x41;&#x10FFFF;</a>',
    '<a b="&#xA;&gt;>" c=\'"\' d="\'"/>',
    '<a xmlns="urn:a" xmlns:p="urn:p"><p:b p:c="1" c="2" xml:lang="en"/></a>',
    '<a><p:b xmlns:p="urn:p"/><p:b xmlns:p="urn:q"/></a>',
    '<é.-·1 ü="ö">😀\u0085\u2028</é.-·1>',
    '<a>]]</a>',
    '<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xmlns=""/>',
  ])('is valid: %s', (text) => {
    expect(documentShapeFault(text)).toBeNull();
  });

  it.each([
    '<!DOCTYPE a><a/>',
    '<!doctype a><a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<a><!-- comment --></a>',
    '<a>ann<!---->@evil.test</a>',
    '<a><![CDATA[text]]></a>',
    '<a/><!-- comment -->',
    '<a b="<!DOCTYPE"/>',
    '<a><?php ?></a>',
    '<?xml-stylesheet href="x"?><a/>',
    '<?XML version="1.0"?><a/>',
    '<a/><?pi?>',
    ' <?xml version="1.0"?><a/>',
    '<?xml version="1.0"?><?xml version="1.0"?><a/>',
    '<?xml version="1.1"?><a/>',
    '<?xml encoding="UTF-8"?><a/>',
    '<?xml version="1.0" standalone="yes" encoding="UTF-8"?><a/>',
    '<?xml version="1.0" encoding="UTF-8" x="y"?><a/>',
    '<?xml version="1.0"encoding="UTF-8"?><a/>',
    `<?xml version="1.0"${' '.repeat(200)}?><a/>`,
    '<?xml?><a/>',
    '<a>&b;</a>',
    '<a>&nbsp;</a>',
    '<a>&amp</a>',
    '<a>&</a>',
    '<a>& amp;</a>',
    '<a>&AMP;</a>',
    '<a>&#0;</a>',
    '<a>&#x1f;</a>',
    '<a>&#xD800;</a>',
    '<a>&#xFFFF;</a>',
    '<a>&#x110000;</a>',
    '<a>&#X41;</a>',
    '<a>&#4294967361;</a>',
    '<a>&#00000000000000000065;</a>',
    '<a>&#;</a>',
    '<a>&#x;</a>',
    '<a>&;</a>',
    '<a b="&c;"/>',
    '<a b="&"/>',
  ])('refuses markup other than elements and text: %s', (text) => {
    expect(documentShapeFault(text)).toBe('document_markup');
  });

  it.each(['UTF-16', 'ISO-8859-1', 'utf8', 'UTF-7'])('refuses the encoding %s', (encoding) => {
    expect(documentShapeFault(`<?xml version="1.0" encoding="${encoding}"?><a/>`)).toBe('document_encoding');
  });

  it.each([
    '',
    ' ',
    'text',
    '<',
    '<a',
    '<a b',
    '<a b=',
    '<a b="',
    '<a b="c',
    '<a>',
    '</a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a/><b/>',
    '<a/>text',
    'text<a/>',
    '\ufeff<a/>',
    '<a/>&#65;',
    '< a/>',
    '<a / >',
    '<a/ >',
    '<a b/>',
    '<a b=c/>',
    '<a b="1"c="2"/>',
    '<a b="1" b="1"/>',
    '<a b="<"/>',
    '<a =""/>',
    '<1a/>',
    '<-a/>',
    '<a:/>',
    '<:a/>',
    '<a:b:c/>',
    '<a b:="1"/>',
    '<a>]]></a>',
    '<a>\u0000</a>',
    '<a>\u0008</a>',
    '<a b="\u001f"/>',
    '<a>\ufffe</a>',
    '<a>\ud800</a>',
    '<a>\udc00\ud800</a>',
    '<p:a/>',
    '<a p:b="1"/>',
    '<xmlns:a/>',
    '<a><b xmlns:p="urn:p"/><p:c/></a>',
    '<a xmlns:p="urn:p"/><p:b/>',
    '<a xmlns:p=""/>',
    '<a xmlns:xmlns="urn:x"/>',
    '<a xmlns:xml="urn:x"/>',
    '<a xmlns="http://www.w3.org/XML/1998/namespace"/>',
    '<a xmlns:p="http://www.w3.org/2000/xmlns/"/>',
    '<a xmlns:p="http://www.w3.org/XML/1998/n&#97;mespace"/>',
    '<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>',
    '<a xmlns:p="urn:x" xmlns:q="urn:&#120;" p:b="1" q:b="2"/>',
  ])('requires well-formed text: %j', (text) => {
    expect(documentShapeFault(text)).toBe(notWellFormed);
  });

  it('has a length limit', () => {
    const longest = `<a>${' '.repeat(responseLimits.characters - 7)}</a>`;
    expect(documentShapeFault(longest)).toBeNull();
    expect(documentShapeFault(`${longest} `)).toBe('document_too_large');
    // The length comes first: nothing else is looked at.
    expect(documentShapeFault(`<!${' '.repeat(responseLimits.characters)}`)).toBe('document_too_large');
  });

  it('has a depth limit', () => {
    const nested = (depth: number, inner = '') => '<a>'.repeat(depth) + inner + '</a>'.repeat(depth);
    expect(documentShapeFault(nested(64))).toBeNull();
    expect(documentShapeFault(nested(63, '<a/>'))).toBeNull();
    expect(documentShapeFault(nested(65))).toBe('document_too_deep');
    expect(documentShapeFault(nested(64, '<a/>'))).toBe('document_too_deep');
  });

  it('has an element limit', () => {
    const wide = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    expect(documentShapeFault(wide(4000))).toBeNull();
    expect(documentShapeFault(wide(4001))).toBe('document_too_deep');
  });

  it('has an attribute limit per element', () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, index) => ` a${index}=""`).join('');
    expect(documentShapeFault(`<a${attributes(32)}><b${attributes(32)}/></a>`)).toBeNull();
    expect(documentShapeFault(`<a${attributes(33)}/>`)).toBe('document_too_deep');
    const declarations = attributes(33).replaceAll(' a', ' xmlns:a').replaceAll('""', '"urn:a"');
    expect(documentShapeFault(`<a${declarations}/>`)).toBe('document_too_deep');
  });

  it('has an attribute limit per document', () => {
    const element = '<b c="" d="" e="" f=""/>';
    expect(documentShapeFault(`<a>${element.repeat(2000)}</a>`)).toBeNull();
    expect(documentShapeFault(`<a>${element.repeat(2000)}<b c=""/></a>`)).toBe('document_too_deep');
  });

  it('has lower limits for single logout messages', () => {
    const fault = (text: string) => documentShapeFault(text, logoutLimits);
    expect(fault(`<a>${'<b/>'.repeat(299)}</a>`)).toBeNull();
    expect(fault(`<a>${'<b/>'.repeat(300)}</a>`)).toBe('document_too_deep');
    expect(fault(`<a>${' '.repeat(65_529)}</a>`)).toBeNull();
    expect(fault(`<a>${' '.repeat(65_530)}</a>`)).toBe('document_too_large');
    const element = '<b c="" d="" e="" f=""/>';
    expect(fault(`<a>${element.repeat(250)}</a>`)).toBeNull();
    expect(fault(`<a e="">${element.repeat(250)}</a>`)).toBe('document_too_deep');
  });
});
