import { describe, expect, it } from 'vitest';
import { decodeReferences, escapeAttribute, escapeText } from '../../../../../src/domain/agent/xml/xml-characters.js';

describe('escaped text', () => {
  it('closes neither its element nor its attribute', () => {
    expect(escapeText(`</a>&"']]>\r\n\t`)).toBe(`&lt;/a&gt;&amp;"']]&gt;&#13;\n\t`);
    expect(escapeAttribute(`"/><a b='&\r\n\t`)).toBe(`&quot;/&gt;&lt;a b='&amp;&#13;&#10;&#9;`);
  });

  it('replaces characters that XML cannot hold with U+FFFD', () => {
    expect(escapeText('a\u0000b\ud800c\uffffd\u001b😀')).toBe('a\ufffdb\ufffdc\ufffdd\ufffd😀');
    expect(escapeAttribute('\u0000')).toBe('\ufffd');
  });
});

describe('decoded references', () => {
  it('are the predefined ones and character references', () => {
    expect(decodeReferences('&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x1F600;&#0067;')).toBe('<>&"\'AB😀C');
    expect(decodeReferences('nothing; at all')).toBe('nothing; at all');
    expect(decodeReferences('')).toBe('');
  });

  it('are decoded once', () => {
    expect(decodeReferences('&amp;lt;&amp;amp;#65;')).toBe('&lt;&amp;#65;');
  });

  it.each([
    '&',
    'a&b;',
    '&amp',
    '&&amp;',
    '&#0;',
    '&#xFFFE;',
    '&#xDFFF;',
    '&#1114112;',
    '&#-1;',
    '&#x;',
    '&toString;',
    '&__proto__;',
  ])('exclude everything else: %s', (text) => {
    expect(decodeReferences(text)).toBeNull();
  });
});
