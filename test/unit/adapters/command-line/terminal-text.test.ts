import { expect, it } from 'vitest';
import { reportProblems } from '../../../../src/adapters/command-line/terminal-text.js';
import type { ConfigurationProblem } from '../../../../src/domain/configuration/configuration-problem.js';

const problem = (severity: 'error' | 'warning', line: number): ConfigurationProblem => ({
  severity,
  message: `problem ${line}`,
  position: { file: 'gateway.kdl', line, column: 1 },
  line: 'routs {',
  suggestion: 'did you mean "routes"?',
});

it('reports all problems with positions and counts', () => {
  const text = reportProblems([problem('error', 1), problem('warning', 2), problem('error', 3)]);
  expect(text).toContain('gateway.kdl:1:1: ');
  expect(text).toContain('gateway.kdl:2:1: ');
  expect(text).toContain('gateway.kdl:3:1: ');
  expect(text).toContain('did you mean "routes"?');
  expect(text.endsWith('\n2 errors, 1 warning\n')).toBe(true);
});

it('uses the singular for one and omits zero counts', () => {
  expect(reportProblems([problem('error', 1)]).endsWith('\n1 error\n')).toBe(true);
  expect(reportProblems([problem('warning', 1), problem('warning', 2)]).endsWith('\n2 warnings\n')).toBe(true);
});

it('is empty without problems', () => {
  expect(reportProblems([])).toBe('');
});
