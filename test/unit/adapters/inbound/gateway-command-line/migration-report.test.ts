import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../../../src/adapters/inbound/gateway-command-line/migration-report.js';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

describe('a diff of two texts', () => {
  it('is empty for equal texts', () => {
    expect(unifiedDiff('a', 'x\n', 'x\n')).toBe('');
  });

  it('shows a change with three lines around it', () => {
    const after = `${numbered(1, 9)}ten\n${numbered(11, 20)}`;
    expect(unifiedDiff('a.kdl', numbered(1, 20), after)).toBe(
      '--- a.kdl\n+++ a.kdl (migrated)\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n',
    );
  });

  it('separates distant changes', () => {
    const after = `0\n${numbered(1, 20)}21\n`;
    expect(unifiedDiff('a', numbered(1, 20), after)).toBe(
      '--- a\n+++ a (migrated)\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -18,3 +19,4 @@\n 18\n 19\n 20\n+21\n',
    );
  });

  it('marks a missing final line end and an empty text', () => {
    expect(unifiedDiff('a', 'x', 'x\n')).toBe(
      '--- a\n+++ a (migrated)\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n',
    );
    expect(unifiedDiff('a', '', 'x\n')).toBe('--- a\n+++ a (migrated)\n@@ -0,0 +1 @@\n+x\n');
  });

  it('is consistent with its line numbers', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patched(before, unifiedDiff('f', before, after))).toBe(after);
      }),
    );
  });
});

/** Applies a diff like `patch`, for texts whose lines all have an end. */
const patched = (before: string, diff: string): string => {
  const old = before.split('\n').slice(0, -1);
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      result.push(...old.slice(at, start));
      at = start;
      continue;
    }
    if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) result.push(line.slice(1));
      at += 1;
    }
  }
  return [...result, ...old.slice(at)].map((line) => `${line}\n`).join('');
};
