import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';

const problem = {
  severity: 'error',
  message: 'm',
  position: { file: 'f.kdl', line: 2, column: 3 },
  line: 'ab😀d',
  suggestion: 's',
} as const;

describe('a problem as text', () => {
  it('has its place, its line with a caret, and its suggestion', () => {
    expect(formatProblem(problem)).toBe('f.kdl:2:3: error: m\n  ab😀d\n    ^\n  s');
  });

  it('omits absent parts', () => {
    expect(formatProblem({ ...problem, severity: 'warning', position: null, suggestion: null })).toBe('warning: m');
    expect(formatProblem({ ...problem, line: null, suggestion: null })).toBe('f.kdl:2:3: error: m');
    expect(
      formatProblem({ ...problem, line: '[secret]', position: { file: 'f', line: 1, column: 60 }, suggestion: null }),
    ).toBe('f:1:60: error: m\n  [secret]');
  });

  it('cuts a long line around the caret', () => {
    const [, line, caret] = formatProblem({
      ...problem,
      line: `${'a'.repeat(1000)}b${'c'.repeat(1000)}`,
      position: { file: 'f', line: 1, column: 1001 },
    }).split('\n');
    expect(line).toHaveLength(162);
    expect(line?.[caret?.indexOf('^') ?? 0]).toBe('b');
  });

  it('writes no control characters to a terminal', () => {
    const text = formatProblem({
      ...problem,
      message: 'a\u001b[31m',
      line: 'x\u001b]0;\u0007\u202ey',
      suggestion: '\u009b1m',
    });
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
