import { describe, expect, it } from 'vitest';
import { readKdl } from '../../../../../src/adapters/outbound/kdl-configuration/kdl-document.js';

const versionOf = (text: string) => {
  const read = readKdl(text);
  return read.ok ? read.value.version : null;
};

const faults = (text: string) => {
  const read = readKdl(text);
  return read.ok
    ? []
    : read.error.map(({ offset, message, suggestion }) => ({
        at: text.slice(offset, offset + 5),
        message,
        suggestion,
      }));
};

describe('the version of a file', () => {
  it.each([
    ['a #true', 2],
    ['a word', 2],
    ['a #"raw"#', 2],
    ['a true', 1],
    ['a r"raw"', 1],
    ['a r#"raw"#', 1],
    ['a "b"', 2],
    ['/- kdl-version 1\na "b"', 1],
    ['\n/-kdl-version 2\r\na "b"', 2],
  ])('of %j is %i', (text, version) => {
    expect(versionOf(text)).toBe(version);
  });

  it('is the declared one, whether the text fits or not', () => {
    expect(faults('/- kdl-version 2\na true')).toEqual([
      { at: 'true', message: '"true" is not a value in KDL 2', suggestion: 'write #true, or "true" for the text' },
    ]);
    expect(faults('/- kdl-version 1\na #true')).toEqual([
      {
        at: '#true',
        message: 'a word without quotes is not a value in KDL 1',
        suggestion: 'KDL 1 writes true, false and null without the number sign',
      },
    ]);
    expect(faults('/- kdl-version 3\na 1')[0]?.message).toBe('KDL 3 is not supported');
  });
});

describe('a syntax error', () => {
  it.each([
    ['agents ["auth"]', '["aut', 'brackets have no meaning in KDL', 'lists have no brackets: write agents "auth"'],
    [
      'x 1\n  agents ["a", "b"] // c',
      '["a",',
      'brackets have no meaning in KDL',
      'lists have no brackets: write agents "a" "b"',
    ],
    ['a = 1', '= 1', '"=" is only for properties', 'write key "value", or key name="value" without spaces'],
    ['size 10MB', 'MB', 'a number cannot have a unit', 'put a size with a unit in quotes: "10MB"'],
    [
      String.raw`a { x "\.js$" }`,
      String.raw`"\.js`,
      'a string has a backslash that is no escape',
      String.raw`write \\ for a backslash, or a raw string: #"\.js$"#`,
    ],
    [
      String.raw`x "\.js$"`,
      String.raw`"\.js`,
      'a string has a backslash that is no escape',
      String.raw`write \\ for a backslash, or a raw string: #"\.js$"#`,
    ],
    ['a #true\nb false', 'false', '"false" is not a value in KDL 2', 'write #false, or "false" for the text'],
    ['a true\nb word', 'word', 'a word without quotes is not a value in KDL 1', 'put it in quotes'],
    ['a "x"y', 'y', 'Unexpected token "y"', 'did you forget to quote an identifier?'],
  ])('of %j is explained at its position', (text, at, message, suggestion) => {
    expect(faults(text)).toContainEqual({ at, message, suggestion });
  });

  it('is reported for each position', () => {
    expect(faults('a #true\nb true\nc false\nd #true').map(({ message }) => message)).toEqual([
      '"true" is not a value in KDL 2',
      '"false" is not a value in KDL 2',
    ]);
  });

  it('is a fault for a structure that is too deep', () => {
    expect(faults('a{'.repeat(100_000))[0]?.message).toBe('the structure is too deep or too long');
    expect(faults(`a ${'/*'.repeat(100_000)}${'*/'.repeat(100_000)} b`)[0]?.message).toBe(
      'the structure is too deep or too long',
    );
  });
});

describe('reading a file', () => {
  it.each(['a "b" { c 1 }', 'a { b 0x_1 }', 'a "b'])(
    'leaves the stacks of errors as long as they were, with %j',
    (text) => {
      const before = Error.stackTraceLimit;
      readKdl(text);
      expect(Error.stackTraceLimit).toBe(before);
      expect(before).toBeGreaterThan(0);
    },
  );
});
