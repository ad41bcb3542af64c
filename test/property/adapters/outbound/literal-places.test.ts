import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKdl } from '../../../../src/adapters/outbound/kdl-configuration/kdl-document.js';
import { literalOffset } from '../../../../src/adapters/outbound/kdl-configuration/literal-places.js';

const character = fc.constantFrom(...'abcxyz (){};=,.', '"', '\\', 'é', '\u{1F511}');
const line = fc.string({ unit: character, maxLength: 12 });
/** The text of a policy: in a string over several lines, a line of blanks alone is empty. */
const value = fc
  .array(line, { minLength: 1, maxLength: 5 })
  .map((lines) => lines.map((one) => (one.trim() === '' ? '' : one)).join('\n'));

const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
const indented = (text: string, indent: string, end: string): string =>
  text
    .split('\n')
    .map((one) => (one === '' ? '' : indent + one))
    .join(end);

const forms: Readonly<Record<string, (text: string) => string>> = {
  'a quoted string': (text) => `"${escaped(text)}"`,
  'a quoted string with escapes by number': (text) =>
    `"${escaped(text).replace(/é/g, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`)}"`,
  'a quoted string with a gap': (text) =>
    `"\\\n    ${escaped(text).replace(/^ +/, (blanks) => '\\s'.repeat(blanks.length))}"`,
  'a raw string over several lines': (text) => `##"""\n${indented(text, '    ', '\n')}\n    """##`,
  'a raw string over several lines of Windows': (text) => `##"""\r\n${indented(text, '    ', '\r\n')}\r\n    """##`,
  'a quoted string over several lines': (text) =>
    `"""\n${indented(text.replace(/[\\"]/g, '\\$&'), '\t\t', '\n')}\n\t\t"""`,
};

describe.each(Object.entries(forms))('%s', (_name, write) => {
  it('has every character of its value where the place says', () => {
    fc.assert(
      fc.property(value, fc.boolean(), (text, isFirst) => {
        const before = `${isFirst ? '' : 'a "é\u{1F511}"\n'}policy `;
        const source = `${before}${write(text)}\n`;
        const read = readKdl(source);
        if (!read.ok) throw new Error(read.error[0]?.message);
        expect(read.value.values.at(-1)?.values[0]).toBe(text);
        for (const [offset, unit] of [...text].map(
          (one, index, all) => [all.slice(0, index).join('').length, one] as const,
        )) {
          const found = literalOffset(source, before.length, offset);
          if (/[\n"\\é\u{1F511}]/u.test(unit)) expect(found).not.toBeNull();
          else expect(source.charAt(found ?? -1) === unit || source.startsWith('\\s', found ?? -1)).toBe(true);
        }
      }),
    );
  });
});

it('is none where no literal stands', () => {
  expect(literalOffset('a word', 2, 0)).toBeNull();
  expect(literalOffset('a "open', 2, 1)).toBeNull();
  expect(literalOffset('a "x"', 2, 9)).toBeNull();
});
