import { describe, expect, it } from 'vitest';
import { SourceText } from '../../../../../src/adapters/outbound/kdl-configuration/source-text.js';

describe('a position in a text', () => {
  it('counts lines by every kind of line end, and columns by characters', () => {
    const text = 'a\nb\r\nc\rdé😀x\n';
    const source = new SourceText('f', text);
    const place = (needle: string) => {
      const { line, column } = source.positionAt(text.indexOf(needle));
      return [line, column];
    };
    expect([place('a'), place('b'), place('c'), place('d'), place('😀'), place('x')]).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [4, 3],
      [4, 4],
    ]);
    expect(source.positionAt(text.length)).toEqual({ file: 'f', line: 5, column: 1 });
  });

  it('returns lines without ends, and none that is too long', () => {
    const source = new SourceText('f', `a\r\nb\n${'c'.repeat(5000)}`);
    expect([1, 2, 3, 4].map((line) => source.line(line))).toEqual(['a', 'b', null, null]);
  });
});
