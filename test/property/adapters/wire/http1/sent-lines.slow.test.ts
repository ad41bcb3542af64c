import { describe, expect, it } from 'vitest';
import { fieldLines } from '../../../../../src/adapters/wire/http1/head-text.js';
import { type FieldsLikeKept, SentLines } from '../../../../../src/adapters/wire/http1/sent-lines.js';
import { octetsUsed } from '../../../../support/gateway/octets-used.js';

const line = 'GET /a?b HTTP/1.1\r\n';

/** The lines of a head with these fields. */
const linesIn = (lines: SentLines, fields: readonly string[], alike: FieldsLikeKept | null = null): string | null => {
  const head = lines.head('GET', '/a?b', fields, alike);
  if (head === null) return null;
  expect([head.slice(0, line.length), head.slice(-2)]).toEqual([line, '\r\n']);
  return head.slice(line.length, -2);
};

describe('lines that were sent', () => {
  it.each([
    ['target', (long: string) => ['GET', `/${long}`] as const],
    ['method', (long: string) => [long, '/'] as const],
  ])('hold on to no long %s, however often it comes', (_, requested) => {
    const size = 100_000;
    const before = octetsUsed();
    const kept = Array.from({ length: 100 }, (_, index) => {
      const [method, target] = requested(String(index).repeat(size).slice(0, size));
      const fields = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
      const lines = new SentLines(fields, fieldLines(fields), []);
      for (const id of ['c-2', 'c-3', 'c-4', 'c-5']) {
        const next = fields.with(3, id);
        expect(lines.head(method, target, next, { fields: next, kept: fields, at: 3 })?.length).toBeGreaterThan(size);
      }
      return lines;
    });
    expect(octetsUsed() - before).toBeLessThan(20 * size);
    expect(kept).toHaveLength(100);
  });

  it('hold on to no text that a value was part of', () => {
    const size = 4_000_000;
    const before = octetsUsed();
    const kept = Array.from({ length: 10 }, (_, index) => {
      const value = String.fromCharCode(0x61 + index).repeat(40);
      const whole = Buffer.from(`${value}${' '.repeat(size)}`).toString('latin1');
      const fields = ['Accept', 'a', 'X-Claim', whole.slice(0, value.length), 'X-Correlation-Id', 'c-1'];
      const lines = new SentLines(fields, fieldLines(fields), [['Accept', 'a']]);
      const next = fields.with(5, 'c-2');
      expect(linesIn(lines, next)).toBe(fieldLines(next));
      return lines;
    });
    // The last text may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(4 * size);
    expect(kept).toHaveLength(10);
  });
});
