import { describe, expect, it } from 'vitest';
import { parseDateTime } from '../../../../../src/domain/agent/xml/date-time.js';
import { documentShapeFault, metadataShapeFault } from '../../../../../src/domain/agent/xml/document-shape.js';
import type { ShapeLimits } from '../../../../../src/domain/agent/xml/markup-shape.js';
import { decodeReferences } from '../../../../../src/domain/agent/xml/xml-characters.js';
import { charactersLookedAt } from '../../../../support/agent/counted-work.js';

/** No limit but that of the work itself. */
const unlimited: ShapeLimits = { characters: 1e9, elements: 1e9, depth: 1e9, attributes: 1e9, allAttributes: 1e9 };
const length = 60_000;

const begun = (piece: string, before = '<a>', after = ''): string =>
  before + piece.repeat(Math.floor(length / piece.length)) + after;

const hostile: Readonly<Record<string, string>> = {
  'tags that are opened': begun('<a>'),
  'tags that are opened and closed': begun('<a>') + '</a>'.repeat(length / 3 + 1),
  'elements side by side': begun('<b/>', '<a>', '</a>'),
  'angle brackets': begun('<'),
  'a long name': begun('a', '<', '/>'),
  'a long name that is closed': `${begun('a', '<', '>')}${begun('a', '</', '>')}`,
  'long names with colons': begun('a:', '<', '/>'),
  ampersands: begun('&'),
  'references that do not end': begun('&#x'),
  references: begun('&amp;', '<a>', '</a>'),
  'references in attributes': begun(' b="&#65;"'),
  'a reference of digits': begun('0', '<a>&#', ';</a>'),
  brackets: begun(']', '<a>', '</a>'),
  'brackets in pieces': begun(']]<b/>', '<a>', '</a>'),
  'white space': begun(' ', '<a>', '</a>'),
  'white space in a tag': begun(' ', '<a', '/>'),
  'white space before an equals sign': begun(' ', '<a b', '="c"/>'),
  'white space in a declaration': begun(' ', '<?xml version="1.0"', '?><a/>'),
  attributes: `<a${Array.from({ length: length / 8 }, (_, index) => ` b${index}=""`).join('')}/>`,
  declarations: `<a${Array.from({ length: length / 16 }, (_, index) => ` xmlns:b${index}="b"`).join('')}/>`,
  quotes: begun(' b="'),
  'values that do not end': begun('c', '<a b="'),
  'declarations at each depth': begun('<a xmlns="b">'),
  'end tags': begun('</a>'),
  comments: begun('<!-- -->', '<a>', '</a>'),
  'comments that do not end': begun('<!-- '),
  hyphens: begun('-', '<a><!--'),
  sections: begun('<![CDATA[]]>', '<a>', '</a>'),
  'sections that do not end': begun('<![CDATA['),
  instructions: begun('<?b?>', '<a>', '</a>'),
  'instructions that do not end': begun('<?b '),
  'text of other languages': begun('é😀', '<a>', '</a>'),
};

describe('checking the shape of a text', () => {
  it.each(Object.entries(hostile))('takes time linear in its length: %s', (_, text) => {
    for (const fault of [documentShapeFault, metadataShapeFault]) {
      expect(charactersLookedAt(() => fault(text, unlimited))).toBeLessThan(12 * text.length);
    }
  });

  it.each(Object.entries(hostile))('ends within the usual limits: %s', (_, text) => {
    for (const fault of [documentShapeFault, metadataShapeFault]) {
      expect(charactersLookedAt(() => fault(text))).toBeLessThan(12 * text.length);
    }
  });
});

describe('reading a text', () => {
  it('decodes references in time linear in its length', () => {
    for (const piece of ['&', '&amp;', '&#x41;', '&#', ';']) {
      const text = begun(piece, '');
      expect(charactersLookedAt(() => decodeReferences(text))).toBeLessThan(12 * text.length);
    }
  });

  it('ignores an overlong time', () => {
    expect(charactersLookedAt(() => parseDateTime(begun('0', '2026-01-02T03:04:05.', 'Z')))).toBeLessThan(10);
  });
});
