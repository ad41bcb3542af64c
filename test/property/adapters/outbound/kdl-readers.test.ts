import { clearFormat, format, parse } from '@bgotink/kdl';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKdl } from '../../../../src/adapters/outbound/kdl-configuration/kdl-document.js';
import { scanStructure } from '../../../../src/adapters/outbound/kdl-configuration/structure-scan.js';
import type { Setting } from '../../../../src/domain/configuration/setting/setting.js';
import { settingsOf } from '../../../support/shared/configuration-settings.js';

/** What a setting means, without its places. */
const meaning = ({ name, args, properties, children }: Setting): unknown => ({
  name,
  args: args.map(({ value }) => value),
  properties: properties.map((property) => [property.name, property.value.value]),
  children: children?.map(meaning) ?? null,
});

interface Tree {
  readonly name: string;
  readonly args: readonly (string | number | boolean | null)[];
  readonly property: string | number | null;
  readonly children: readonly Tree[];
}

const textValue = fc.string({
  unit: fc.constantFrom('a', 'Z', '"', '\\', '{', '}', '/', '*', '#', ' ', 'é', '😀', '-', ';', '(', '=', '\n', '\t'),
  maxLength: 8,
});
const value = fc.oneof(textValue, fc.integer(), fc.constantFrom(1.5, -0.25, 1e15, true, false, null));
const name = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  .filter((text) => !['true', 'false', 'null', 'inf', 'nan', 'constructor', 'prototype'].includes(text));
const treeOf = (children: fc.Arbitrary<readonly Tree[]>): fc.Arbitrary<Tree> =>
  fc.record({
    name,
    args: fc.array(value, { maxLength: 3 }),
    property: fc.oneof(textValue, fc.integer(), fc.constant(null)),
    children,
  });
const leaf = treeOf(fc.constant([]));
const branch = treeOf(fc.array(leaf, { maxLength: 2 }));
const tree = treeOf(fc.array(branch, { maxLength: 2 }));
const trees = fc.array(tree, { maxLength: 3 });

const escaped = (text: string): string => JSON.stringify(text);
const written = (nodes: readonly Tree[], version: 1 | 2, indent = ''): string =>
  nodes
    .map(({ name: nodeName, args, property, children }) => {
      const show = (item: Tree['args'][number]): string => {
        if (typeof item === 'string') return escaped(item);
        return typeof item === 'number' || version === 1 ? String(item) : `#${item}`;
      };
      const entries = [...args.map(show), ...(property === null ? [] : [`p=${show(property)}`])];
      const block = children.length === 0 ? '' : ` {\n${written(children, version, `${indent}  `)}${indent}}`;
      return `${indent}${[nodeName, ...entries].join(' ')}${block} // a comment { "\n`;
    })
    .join('');

const expected = (nodes: readonly Tree[]): unknown =>
  nodes.map((node) => ({
    name: node.name,
    args: node.args,
    properties: node.property === null ? [] : [['p', node.property]],
    children: node.children.length === 0 ? null : expected(node.children),
  }));

describe('the two readers of KDL', () => {
  it('agree about what was written, in KDL 2 and in KDL 1', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        for (const version of [1, 2] as const) {
          const text = `/- kdl-version ${version}\n${written(nodes, version)}`;
          expect(scanStructure(text, 100_000).fault).toBeNull();
          expect(settingsOf(text).map(meaning)).toEqual(expected(nodes));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('agree about text that was written anew', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        const text = format(clearFormat(parse(written(nodes, 2))));
        expect(settingsOf(text).map(meaning)).toEqual(expected(nodes));
      }),
      { numRuns: 75 },
    );
  });

  it('end every text in settings or in faults', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '"',
      '"""',
      '#',
      '{',
      '}',
      '(',
      ')',
      '=',
      ';',
      '\\',
      '/-',
      '/*',
      '*/',
      '//',
      'r',
      '1',
      '.',
      '-',
      '#true',
      'true',
      '[',
      '\u0085',
      '😀',
      '\ufeff',
      '0x',
      '_',
      '\\u{',
      'e5',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const text = pieces.join('');
        const read = readKdl(text);
        if (read.ok) return;
        expect(read.error.length).toBeGreaterThan(0);
        for (const { offset } of read.error) expect(offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });
});
