import type { Node } from '@bgotink/kdl';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKdl } from '../../../../src/adapters/outbound/kdl-configuration/kdl-document.js';
import { migrateText } from '../../../../src/adapters/outbound/kdl-configuration/migrate-text.js';
import { repairSyntax } from '../../../../src/adapters/outbound/kdl-configuration/repair-syntax.js';

const gap = fc.constantFrom('', '', ' ', '\n', '\n\n', '// c\n', '\n// own line\n', ' /* in */ ', '\n\t');
const end = fc.constantFrom('\n', ';', ' // after\n', ' ;\n');
const key = fc.constantFrom(
  'path "/a"',
  'path-prefix "/a" "/b"',
  'method ["GET", "HEAD"]',
  'header "x" "y"',
  'upstream "u"',
  'max-body-size 10MB',
  'timeout-secs 40',
  'buffer_requests true',
  'matches { host "h" }',
  'policies { }',
  'timeouts { connect-secs 1 }',
  'target = "127.0.0.1:80"',
  'agents [\n "a" // x\n "b",\n]',
);
const members = fc.array(fc.tuple(gap, key, end), { maxLength: 5 }).map((parts) => parts.flat().join(''));
const property = fc.constantFrom('', ' path="/p"', ' timeout-secs=3', ' priority=5 method="GET"');
const named = fc
  .tuple(fc.constantFrom('route', 'upstream', 'listener', 'agent'), property, members, gap)
  .map(([kind, properties, inside, last]) => `${kind} "n"${properties} {${inside}${last}}`);
const block = fc.oneof(
  named,
  fc
    .tuple(fc.constantFrom('routes', 'upstreams', 'server', 'other'), fc.array(named, { maxLength: 2 }))
    .map(([group, inside]) => `${group} {\n${inside.join('\n')}\n}`),
);
const file = fc
  .array(fc.tuple(gap, block, end), { maxLength: 4 })
  .map((parts) => parts.flat().join(''))
  .map((text) => (text.length % 2 === 0 ? text : text.replaceAll('\n', '\r\n')));

const comments = (text: string): readonly string[] =>
  (text.match(/\/\/ (?:c|own line|after|x)(?=[\r\n])|\/\* in \*\//g) ?? []).toSorted();

const settingsOf = (nodes: readonly Node[]): readonly unknown[] =>
  nodes.map((node) => [
    node.getName(),
    node.getArguments(),
    [...node.getProperties()],
    node.children === null ? null : settingsOf(node.children.nodes),
  ]);

/** The settings of a text, without its comments and its layout. */
const meaning = (text: string): readonly unknown[] | null => {
  const read = readKdl(text);
  return read.ok ? settingsOf(read.value.places.nodes) : null;
};

describe('a migrated text', () => {
  it('can be read as KDL 2, has every comment, and is not changed again', () => {
    let changed = 0;
    fc.assert(
      fc.property(file, (text) => {
        const { text: once, changes } = migrateText(text);
        if (changes.length === 0) {
          expect(once).toBe(text);
          return;
        }
        changed += 1;
        const read = readKdl(once);
        expect(read.ok && read.value.version).toBe(2);
        expect(comments(once)).toEqual(comments(text));
        expect(migrateText(once)).toMatchObject({ text: once, changes: [] });
      }),
      { numRuns: 80 },
    );
    // The rule is of no worth where nothing is ever rewritten.
    expect(changed).toBeGreaterThan(30);
  });

  it('has the settings that the old file meant, with comments in its lists', () => {
    const comment = fc.constantFrom(
      '',
      '',
      ' ',
      '\n',
      ' // c\n',
      '\n// c ]; x\n',
      ' /* in */ ',
      '\n\n',
      ' // "c" {\n // d\n',
    );
    const item = fc.constantFrom(['"a"', '"a"'], ['true', '#true'], ['5', '5'], ['b', 'b'], ['"]"', '"]"']);
    const list = fc
      .tuple(comment, fc.array(fc.tuple(item, comment, fc.constantFrom(',', ' ')), { maxLength: 3 }), comment)
      .map(([first, items, last]) => ({
        old: `[${first}${items.map(([[old], after, mark]) => `${old}${after}${mark}`).join('')}${last}]`,
        plain: items.length === 0 ? '#null' : items.map(([[, now]]) => now).join(' '),
      }));
    const value = fc.oneof(
      list,
      list,
      fc.constantFrom({ old: 'null', plain: '#null' }, { old: '10MB', plain: '"10MB"' }),
    );
    const setting = fc
      .tuple(
        fc.constantFrom('events', 'agents', 'failure-mode', 'x'),
        value,
        fc.constantFrom('', ' "more"', ' { y 1; }'),
      )
      .map(([name, { old, plain }, more]) => ({ old: `${name} ${old}${more}`, plain: `${name} ${plain}${more}` }));
    const after = fc.constantFrom('; ', ';', '\n', ' // after\n', '; // after\n', ' /* after */ ; ');
    const settings = fc.array(fc.tuple(setting, after), { minLength: 1, maxLength: 4 });
    let changed = 0;
    fc.assert(
      fc.property(settings, fc.boolean(), (parts, isWindows) => {
        const text = `agent "n" {\n${parts.map(([{ old }, end]) => old + end).join('')}}\n`;
        const plain = `agent "n" {\n${parts.map(([one]) => one.plain).join('\n')}\n}\n`;
        const { text: once, changes, refused } = migrateText(isWindows ? text.replaceAll('\n', '\r\n') : text);
        expect(refused).toBeNull();
        if (changes.length > 0) changed += 1;
        expect(meaning(once)).toEqual(meaning(migrateText(plain).text));
      }),
      { numRuns: 150 },
    );
    expect(changed).toBeGreaterThan(100);
  });

  it('has every comment, wherever KDL allows one', () => {
    const places = [
      'route ~"r" ~path="/p" ~{ ~host "a"~ ; ~upstream ~"u"~; ~}~\n',
      'upstream "u" ~timeout-secs=5 ~{ ~target ~"h:1"~; }\n',
      '~upstream "v"~ {~\n~timeout-secs ~40~\n~target "h:1"~;~\n~}\n',
      'route "s" ~{\n~ path ~"/a"~ ~\n ~ method ~"GET" ~"PUT"~; ~timeout-secs ~9~ ; ~agents ["x"~, ~"y"]\n~}~\n',
      'listener "l" { ~address ~"h:1"~ }; ~agent "a" ~{ ~socket "/s"~; ~events [~]; }\n',
    ];
    const line = fc.constantFrom(...places);
    const seeds = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    let changed = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), seeds, (lines, wanted) => {
        let count = 0;
        let at = 0;
        const text = lines.join('').replace(/~/g, () => {
          at += 1;
          if (wanted[at % wanted.length] !== true) return '';
          count += 1;
          return ` /* c${count}. */ `;
        });
        const once = migrateText(text);
        if (once.changes.length > 0) changed += 1;
        for (let number = 1; number <= count; number += 1) expect(once.text).toContain(`/* c${number}. */`);
        expect(migrateText(once.text)).toMatchObject({ text: once.text, changes: [] });
      }),
      { numRuns: 80 },
    );
    expect(changed).toBeGreaterThan(40);
  });

  it('is never one that does not end, whatever the text is', () => {
    const pieces = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '"',
      '\\',
      '//',
      '/*',
      '*/',
      '\n',
      ' ',
      ',',
      '=',
      'r#"',
      '"#',
      'true',
      'a',
      '1',
      '(',
      ')',
      ';',
      '#',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const { text: repaired, originalOffset } = repairSyntax(text);
        for (let offset = 0; offset <= repaired.length; offset += 1) {
          expect(originalOffset(offset)).toBeLessThanOrEqual(text.length);
        }
        expect(() => migrateText(text)).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});
