import { describe, expect, it } from 'vitest';
import {
  isMemoryShort,
  type MemoryLimit,
  memoryLimit,
  memoryViolation,
} from '../../../../../src/domain/gateway/limits/memory-limit.js';

const limitOf = (maxMemoryBytes: number | null, maxMemoryPercent: number | null) =>
  memoryLimit({ maxMemoryBytes, maxMemoryPercent }, 1_000);

describe('memoryLimit', () => {
  it('is the lower of both', () => {
    expect(limitOf(null, null)).toBeNull();
    expect(limitOf(800, null)).toMatchObject({ name: 'max-memory-bytes', bytes: 800 });
    expect(limitOf(null, 70)).toMatchObject({ name: 'max-memory-percent', bytes: 700 });
    expect(limitOf(800, 70)).toMatchObject({ name: 'max-memory-percent', bytes: 700 });
    expect(limitOf(600, 70)).toMatchObject({ name: 'max-memory-bytes', bytes: 600 });
  });
});

describe('isMemoryShort', () => {
  const limit = limitOf(1_000, null) as MemoryLimit;

  it.each([
    [false, 1_000, false],
    [false, 1_001, true],
    [true, 1_000, true],
    [true, 900, true],
    [true, 899, false],
    [false, 899, false],
  ])('was %s, at %d octets of 1000: %s', (wasShort, residentBytes, isShort) => {
    expect(isMemoryShort(wasShort, residentBytes, limit)).toBe(isShort);
  });
});

it('reports a violation in the unit of its key', () => {
  const inOctets = memoryViolation(1_200, limitOf(1_000, null) as MemoryLimit);
  expect(inOctets).toEqual({ code: 'memory_limit_reached', name: 'max-memory-bytes', limit: 1_000, actual: 1_200 });
  const inPercent = memoryViolation(755, limitOf(null, 72.5) as MemoryLimit);
  expect(inPercent).toEqual({ code: 'memory_limit_reached', name: 'max-memory-percent', limit: 72.5, actual: 75.5 });
});
