import { describe, expect, it } from 'vitest';
import { refreshDelayMs } from '../../../../../../src/domain/agent/saml/metadata/refresh-delay.js';

const hour = 3_600_000;
const plain = { failures: 0, refreshMs: hour, cacheDurationMs: null, leftMs: null, fraction: 0 };

describe('refreshDelayMs', () => {
  it('is the interval minus jitter', () => {
    expect(refreshDelayMs(plain)).toBe(hour);
    expect(refreshDelayMs({ ...plain, fraction: 0.5 })).toBe(hour * 0.95);
  });

  it('is shortened by the metadata, and never extended', () => {
    expect(refreshDelayMs({ ...plain, cacheDurationMs: hour / 2 })).toBe(hour / 2);
    expect(refreshDelayMs({ ...plain, cacheDurationMs: 24 * hour })).toBe(hour);
  });

  it('ends well before the metadata expires', () => {
    expect(refreshDelayMs({ ...plain, leftMs: hour })).toBe(hour / 2);
    expect(refreshDelayMs({ ...plain, leftMs: 10 * hour, cacheDurationMs: 10 * hour })).toBe(hour);
  });

  it('is at least a minute for any metadata, unless the interval is shorter', () => {
    for (const hurried of [{ cacheDurationMs: 0 }, { leftMs: 60_000 }]) {
      expect(refreshDelayMs({ ...plain, ...hurried })).toBe(60_000);
      expect(refreshDelayMs({ ...plain, ...hurried, refreshMs: 30_000 })).toBe(30_000);
    }
  });

  it('doubles with each failure from five seconds to five minutes', () => {
    const delays = [1, 2, 3, 20].map((failures) => refreshDelayMs({ ...plain, failures }));
    expect(delays).toEqual([5_000, 10_000, 20_000, 300_000]);
  });

  it('is at most half a minute if no metadata is valid, or from its expiry', () => {
    const delays = [1, 2, 3, 4, 20].map((failures) => refreshDelayMs({ ...plain, failures, leftMs: 0 }));
    expect(delays).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
    expect(refreshDelayMs({ ...plain, failures: 20, leftMs: -hour })).toBe(30_000);
    expect(refreshDelayMs({ ...plain, failures: 20, leftMs: 10_000 })).toBe(40_000);
    expect(refreshDelayMs({ ...plain, leftMs: 1 })).toBe(30_001);
    expect(refreshDelayMs({ ...plain, failures: 20, leftMs: 0, refreshMs: 7_000 })).toBe(7_000);
  });
});
