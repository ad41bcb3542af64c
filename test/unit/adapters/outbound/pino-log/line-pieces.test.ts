import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endOfPiece, isSharedPipe, wholeWriteBytes } from '../../../../../src/adapters/outbound/pino-log/log-output.js';

/** The pieces that lines of such lengths, their ends included, are written in. */
const pieces = (lengths: readonly number[]): readonly number[] => {
  let rest = Buffer.from(lengths.map((length) => `${'x'.repeat(length - 1)}\n`).join(''));
  const written: number[] = [];
  while (rest.length > 0) {
    const end = endOfPiece(rest);
    written.push(end);
    rest = rest.subarray(end);
  }
  return written;
};

describe('the pieces in which lines are written', () => {
  it('hold as many whole lines as a pipe keeps together', () => {
    expect(pieces([1_000, 2_000])).toEqual([3_000]);
    expect(pieces([1_000, 2_000, 1_096])).toEqual([wholeWriteBytes]);
    expect(pieces([1_000, 2_000, 1_097])).toEqual([3_000, 1_097]);
    expect(pieces([4_096, 1, 4_096])).toEqual([4_096, 1, 4_096]);
  });

  it('leave a line alone that is longer', () => {
    expect(pieces([10, 5_000, 10])).toEqual([10, 5_000, 10]);
    expect(pieces([5_000, 9_000])).toEqual([5_000, 9_000]);
  });
});

describe('what lines are written to', () => {
  it('is no shared pipe where it is a file', () => {
    const file = openSync('/dev/null', 'w');
    expect(isSharedPipe(file)).toBe(false);
    closeSync(file);
  });

  it('counts as one where it cannot be looked at', () => {
    expect(isSharedPipe(9_999)).toBe(true);
  });
});
