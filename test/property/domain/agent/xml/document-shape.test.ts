import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentShapeFault, metadataShapeFault } from '../../../../../src/domain/agent/xml/document-shape.js';
import { decodeReferences, escapeAttribute, escapeText } from '../../../../../src/domain/agent/xml/xml-characters.js';
import { nearMisses } from '../../../../support/shared/near-misses.js';

interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Node | string)[];
}

const name = fc.constantFrom('a', 'b', 'p:a', 'p:b', 'é-1._');
const text = fc.string({
  unit: fc.constantFrom('x', ' ', '\n', '<', '>', '&', '"', "'", ']', 'é', '😀', '\r', '\t'),
  maxLength: 6,
});
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    name,
    attributes: fc.dictionary(fc.constantFrom('b', 'ID', 'p:c', 'xml:lang'), text, { maxKeys: 3 }),
    children: fc.array(fc.oneof({ depthSize: 'small' }, text, tie('node')), { maxLength: 4 }),
  }),
}));

const written = ({ name: tag, attributes, children }: Node, declarations = ''): string => {
  const parts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  const inner = children.map((child) => (typeof child === 'string' ? escapeText(child) : written(child)));
  return `<${tag}${declarations}${parts.join('')}>${inner.join('')}</${tag}>`;
};

const documents = node.map((root) => written(root, ' xmlns="urn:a" xmlns:p="urn:p"'));
const soup = fc
  .array(
    fc.constantFrom(
      '<',
      '>',
      '</',
      '/>',
      '<a',
      '<a>',
      '</a>',
      '<p:a>',
      '</p:a>',
      ' b=',
      '"',
      "'",
      ' xmlns:p="urn:p"',
      '&amp;',
      '&',
      ';',
      ' ',
      'x',
      ']]>',
      '<?',
      '?>',
      '<!',
      '--',
      '=',
      ':',
      'a',
      '\ud800',
      '\u0000',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** What the parser makes of it; null: it complains. */
const parsed = (source: string): Document | null => {
  let complaints = 0;
  const complain = (): void => {
    complaints += 1;
  };
  const handlers = { warning: complain, error: complain, fatalError: complain };
  try {
    const document = new DOMParser({ errorHandler: handlers }).parseFromString(source, 'text/xml');
    return complaints === 0 && document?.documentElement ? document : null;
  } catch {
    return null;
  }
};

const asNode = (element: Element): Node => ({
  name: element.tagName,
  attributes: Object.fromEntries(
    Array.from(element.attributes)
      .filter((attribute) => !attribute.name.startsWith('xmlns'))
      .map((attribute) => [attribute.name, attribute.value]),
  ),
  children: Array.from(element.childNodes).map((child) =>
    child.nodeType === 1 ? asNode(child as Element) : (child.nodeValue ?? ''),
  ),
});

/** Pieces of text side by side are one. */
const merged = ({ children, ...rest }: Node): Node => {
  const joined: (Node | string)[] = [];
  for (const child of children) {
    const last = joined.at(-1);
    if (typeof child !== 'string') joined.push(merged(child));
    else if (typeof last === 'string') joined[joined.length - 1] = last + child;
    else if (child !== '') joined.push(child);
  }
  return { ...rest, children: joined };
};

describe('the shape of a document', () => {
  it('is valid for every well-formed document, and a parser reads the same content', () => {
    fc.assert(
      fc.property(node, (root) => {
        const source = written(root, ' xmlns="urn:a" xmlns:p="urn:p"');
        expect(documentShapeFault(source)).toBeNull();
        expect(metadataShapeFault(source)).toBeNull();
        const document = parsed(source);
        if (document === null) throw new Error(`the parser complains: ${source}`);
        expect(merged(asNode(document.documentElement))).toEqual(merged(root));
      }),
      { numRuns: 150 },
    );
  });

  it('is invalid for every document that a strict parser refuses', () => {
    fc.assert(
      fc.property(fc.oneof(soup, nearMisses(documents, '<>/="\'& ;:ab!?-[]\u0000')), (source) => {
        if (documentShapeFault(source) === null) expect(parsed(source)).not.toBeNull();
      }),
      { numRuns: 1500 },
    );
  });

  it('is invalid with markup at any position', () => {
    const markup = fc.constantFrom(
      '<!DOCTYPE a>',
      '<!---->',
      '<![CDATA[]]>',
      '<?pi?>',
      '<!ENTITY b "c">',
      '&b;',
      '<!',
      '<?',
    );
    fc.assert(
      fc.property(documents, markup, fc.nat(), (source, piece, at) => {
        const place = at % (source.length + 1);
        expect(documentShapeFault(source.slice(0, place) + piece + source.slice(place))).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('is also valid for metadata', () => {
    fc.assert(
      fc.property(fc.oneof(soup, nearMisses(documents, '<>/="\'& ;:ab!?-[]')), (source) => {
        if (documentShapeFault(source) === null) expect(metadataShapeFault(source)).toBeNull();
      }),
      { numRuns: 800 },
    );
  });
});

/** Any text, halves of surrogate pairs included. */
const units = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x26, 0x3c, 0x22, 0, 0xd800, 0xdc00, 0xffff)))
  .map((codes) => String.fromCharCode(...codes));

describe('escaping', () => {
  it('is the inverse of decoding', () => {
    fc.assert(
      fc.property(units, (any) => {
        const held = any.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu, '\ufffd');
        expect(decodeReferences(escapeText(any))).toBe(held);
        expect(decodeReferences(escapeAttribute(any))).toBe(held);
        expect(documentShapeFault(`<a b="${escapeAttribute(any)}">${escapeText(any)}</a>`)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
