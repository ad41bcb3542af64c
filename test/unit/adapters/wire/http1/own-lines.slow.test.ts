import { describe, expect, it } from 'vitest';
import { linesOfField } from '../../../../../src/adapters/wire/http1/head-lines.js';
import { fieldLines } from '../../../../../src/adapters/wire/http1/head-text.js';
import { octetsUsed } from '../../../../support/gateway/octets-used.js';

const knownLine = (name: string, value: string): string | null => linesOfField(name)?.take(value) ?? null;

const line = (name: string, value: string): string => {
  const written = fieldLines([name, value]);
  expect(written).toBe(`${name}: ${value}\r\n`);
  return written;
};

describe('lines that were written before', () => {
  it('hold on to no head that a value came in', () => {
    const size = 4_000_000;
    const before = octetsUsed();
    for (let index = 0; index < 10; index += 1) {
      const host = `${String.fromCharCode(0x61 + index).repeat(20)}.example.com`;
      const head = Buffer.from(`${host}${' '.repeat(size)}`).toString('latin1');
      line('Host', head.slice(0, host.length));
      expect(knownLine('Host', host)).not.toBeNull();
    }
    // The last head may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(4 * size);
  });
});
