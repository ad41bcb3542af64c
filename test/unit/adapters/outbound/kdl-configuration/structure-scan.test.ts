import { describe, expect, it } from 'vitest';
import { scanStructure } from '../../../../../src/adapters/outbound/kdl-configuration/structure-scan.js';

const fault = (text: string) => scanStructure(text, 1_000_000).fault;

describe('the structure scan', () => {
  it.each([
    'a "{{{" { b #"{"{"# }',
    'a r#"{"{"# { b r"{\\" }',
    'a """\n{"{"\n""" { }',
    'a #"""\n{""{\n"""# { }',
    'a "\\"{" { }',
    '// {\na /* { /* { */ { */ { }',
    'a { /- b { c } }',
    'r#true { }',
    'a #true #null { }',
    `${'a {'.repeat(64)}${'}'.repeat(64)}`,
  ])('takes %j', (text) => {
    expect(fault(text)).toBeNull();
  });

  it.each([
    ['a { b {}', 2, 'the block that begins here is not closed'],
    ['a }', 2, 'this brace closes a block that was not opened'],
    ['a "b', 2, 'the string that begins here is not closed'],
    ['a "b\\"', 2, 'the string that begins here is not closed'],
    ['a #"b"', 2, 'the string that begins here is not closed'],
    ['a r##"b"#', 2, 'the string that begins here is not closed'],
    ['a """\nb"', 2, 'the string that begins here is not closed'],
    ['a /* /* */', 2, 'the comment that begins here is not closed'],
    ['a {'.repeat(65), 194, 'blocks are nested more than 64 levels deep'],
    ['/*'.repeat(65), 128, 'comments are nested more than 64 levels deep'],
    [`a ${'#'.repeat(65)}`, 2, 'there are more than 64 number signs in a row'],
  ])('refuses %j', (text, offset, message) => {
    expect(fault(text)).toEqual({ offset, message });
  });

  it('counts tokens and stops at the maximum', () => {
    expect(scanStructure('a b=1 "c d" { } // e f\n/* g */ (h)i', 100).tokens).toBe(11);
    expect(scanStructure('a b c', 2).fault).toEqual({
      offset: 4,
      message: 'the configuration is too long: it may have at most 250000 tokens',
    });
  });

  it('finds multi-line strings', () => {
    expect(scanStructure('a "b" """\nc\n""" "d"', 100).longStrings).toEqual([[6, 15]]);
  });
});
