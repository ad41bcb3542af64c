import { describe, expect, it } from 'vitest';
import { sourceLines } from '../../../../../src/domain/agent/policy/source-lines.js';

describe('the lines of a source text', () => {
  const lines = sourceLines('one\r\ntwo\n\nfour');

  it('count from 1, as columns do', () => {
    expect(lines.positionAt(0)).toEqual({ line: 1, column: 1 });
    expect(lines.positionAt(5)).toEqual({ line: 2, column: 1 });
    expect(lines.positionAt(7)).toEqual({ line: 2, column: 3 });
    expect(lines.positionAt(9)).toEqual({ line: 3, column: 1 });
    expect(lines.positionAt(14)).toEqual({ line: 4, column: 5 });
  });

  it('clamp offsets outside the text', () => {
    expect(lines.positionAt(-3)).toEqual({ line: 1, column: 1 });
    expect(lines.positionAt(1000)).toEqual({ line: 4, column: 5 });
  });

  it('come without their line ends', () => {
    expect([1, 2, 3, 4].map((line) => lines.lineAt(line))).toEqual(['one', 'two', '', 'four']);
  });

  it('are empty if they do not exist', () => {
    expect(lines.lineAt(0)).toBe('');
    expect(lines.lineAt(5)).toBe('');
    expect(sourceLines('').lineAt(1)).toBe('');
  });
});
