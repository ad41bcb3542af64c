import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../../../../src/adapters/outbound/pino-log/log-output.js';

const line = (index: number): string => `${`line ${index} \u00e9\u4e2d`.padEnd(300, 'x')}\n`;
const linesOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_unused, index) => line(from + index)).join('');
const filled = (lines: LineBuffer, from: number, to: number): void => {
  for (let index = from; index < to; index += 1) lines.add(line(index));
};

describe('lines that wait', () => {
  it.each([1, 100, 1_000])('are given back in order, once: %i of them, more than fit among that', (count) => {
    const lines = new LineBuffer(64 * 1024);
    filled(lines, 0, count);
    expect(lines.length).toBeGreaterThanOrEqual(count * 300);
    expect(lines.lend().toString()).toBe(linesOf(0, count));
    expect(lines.length).toBe(0);
    expect(lines.lend()).toHaveLength(0);
  });

  it('leave what is lent as it is, while others come and are copied', () => {
    const lines = new LineBuffer(64 * 1024);
    filled(lines, 0, 100);
    const lent = lines.lend();
    filled(lines, 100, 200);
    expect(lines.copy().toString()).toBe(linesOf(100, 200));
    filled(lines, 200, 300);
    expect(lines.copy().toString()).toBe(linesOf(200, 300));
    filled(lines, 300, 400);
    expect(lent.toString()).toBe(linesOf(0, 100));
    expect(lines.lend().toString()).toBe(linesOf(300, 400));
  });

  it('take turns in two buffers for as long as they fit', () => {
    const lines = new LineBuffer(64 * 1024);
    const memory = Array.from({ length: 4 }, (_unused, turn) => {
      filled(lines, turn * 100, turn * 100 + 100);
      const lent = lines.lend();
      expect(lent.toString()).toBe(linesOf(turn * 100, turn * 100 + 100));
      return lent.buffer;
    });
    expect(new Set(memory).size).toBe(2);
  });

  it('are encoded as one text would be, where a character is a pair', () => {
    const lines = new LineBuffer(64 * 1024);
    const text = '\u{1f600}'.repeat(9_000);
    lines.add(text);
    lines.add('\ud800');
    expect(lines.lend().equals(Buffer.from(`${text}\ud800`))).toBe(true);
  });
});
