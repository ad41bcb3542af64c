import { describe, expect, it } from 'vitest';
import { scanToken } from '../../../../../../src/domain/agent/policy/parse/scan-token.js';

const tokens = (text: string): readonly string[] => {
  const found: string[] = [];
  for (let token = scanToken(text, 0); token.kind !== 'end'; token = scanToken(text, token.end)) {
    found.push(token.kind === token.text ? token.text : `${token.kind} ${token.text}`);
  }
  return found;
};

describe('the tokens of a policy text', () => {
  it('are words, numbers, strings and slots', () => {
    expect(tokens('permit _a1 007 "x" ?principal')).toEqual([
      'identifier permit',
      'identifier _a1',
      'number 007',
      'string "x"',
      'slot ?principal',
    ]);
  });

  it('are the longest matching punctuation', () => {
    expect(tokens('<=<:::==!=!&&||===>=')).toEqual([
      '<=',
      '<',
      '::',
      ':',
      '==',
      '!=',
      '!',
      '&&',
      '||',
      '==',
      '=',
      '>=',
    ]);
  });

  it('skip white space of any kind and comments', () => {
    expect(tokens('a\t\v\f\r\n\u0085\u00a0\u2003\u2028b// c "\n// d')).toEqual(['identifier a', 'identifier b']);
    expect(tokens('a// x\rb')).toEqual(['identifier a', 'identifier b']);
  });

  it('end a string at the first unescaped quote', () => {
    expect(tokens('"a\\"b\\\\" c')).toEqual(['string "a\\"b\\\\"', 'identifier c']);
    expect(tokens('"a\nb"')).toEqual(['string "a\nb"']);
  });

  it('report where an unclosed string begins', () => {
    expect(tokens('a "b')).toEqual(['identifier a', 'unclosed "b']);
    expect(tokens('"b\\"')).toEqual(['unclosed "b\\"']);
    expect(tokens('"b\\')).toEqual(['unclosed "b\\']);
  });

  it('give invalid characters one by one, and a text in wrong quotes as one token', () => {
    expect(tokens('& ? ?1 \u{1F600}é')).toEqual([
      'invalid &',
      'invalid ?',
      'invalid ?',
      'number 1',
      'invalid \u{1F600}',
      'invalid é',
    ]);
    expect(tokens("'a b' c")).toEqual(["invalid 'a b'", 'identifier c']);
    expect(tokens('“a b” c')).toEqual(['invalid “a b”', 'identifier c']);
    expect(tokens("'a\n'b")).toEqual(["invalid '", 'identifier a', "invalid '", 'identifier b']);
  });

  it('do not include block comments', () => {
    expect(tokens('/* a */')).toEqual(['/', '*', 'identifier a', '*', '/']);
  });
});
