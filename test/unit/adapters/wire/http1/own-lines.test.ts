import { describe, expect, it } from 'vitest';
import { linesOfField } from '../../../../../src/adapters/wire/http1/head-lines.js';
import { fieldLines } from '../../../../../src/adapters/wire/http1/head-text.js';

const knownLine = (name: string, value: string): string | null => linesOfField(name)?.take(value) ?? null;

const line = (name: string, value: string): string => {
  const written = fieldLines([name, value]);
  expect(written).toBe(`${name}: ${value}\r\n`);
  return written;
};

describe('lines that were written before', () => {
  it('are known by name and value, both to the letter', () => {
    line('X-Forwarded-For', '192.0.2.10');
    expect(knownLine('X-Forwarded-For', '192.0.2.10')).toBe('X-Forwarded-For: 192.0.2.10\r\n');
    for (const [name, value] of [
      ['X-Forwarded-For', '192.0.2.11'],
      ['X-Forwarded-For', '192.0.20.1'],
      ['X-Forwarded-For', ''],
      ['x-forwarded-for', '192.0.2.10'],
      ['X-Forwarded-Host', '192.0.2.10'],
    ] as const) {
      expect(knownLine(name, value)).toBeNull();
      line(name, value);
    }
  });

  it('stay right, however many there are', () => {
    const values = Array.from({ length: 2_000 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
    for (let round = 0; round < 2; round += 1) {
      for (const name of ['X-Forwarded-For', 'Forwarded', 'Host']) for (const value of values) line(name, value);
    }
    const held = values.filter((value) => knownLine('X-Forwarded-For', value) !== null);
    expect(held.length).toBeGreaterThan(8);
    expect(held.length).toBeLessThanOrEqual(64);
  });

  it.each([
    ['Authorization', 'Bearer secret'],
    ['Cookie', 'session=secret'],
    ['X-Auth-Claim-Sub', 'alice'],
    ['X-Correlation-Id', 'c-1'],
    ['Forwarded', 'for='.padEnd(129, 'a')],
    ['Host', ''],
    ['Host', 'a'],
  ])('are forgotten where they may be secret, long or of another request: %s: %s', (name, value) => {
    line(name, value);
    expect(knownLine(name, value)).toBeNull();
    line(name, value);
  });

  it('are none that was refused', () => {
    for (let time = 0; time < 2; time += 1) {
      expect(() => fieldLines(['X-Forwarded-Host', 'a\r\nX-User-Id: admin'])).toThrow(
        'the field value cannot be written',
      );
      expect(() => fieldLines(['X-Forwarded-Host', 'a\u010d'])).toThrow('the field value cannot be written');
      expect(knownLine('X-Forwarded-Host', 'a\r\nX-User-Id: admin')).toBeNull();
    }
  });
});
