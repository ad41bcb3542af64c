import { describe, expect, it } from 'vitest';
import { workerCount, workerCountWarning } from '../../../../../src/domain/gateway/supervision/worker-count.js';

describe('the number of workers', () => {
  it('is that of the configuration', () => {
    expect(workerCount(1, 8)).toBe(1);
    expect(workerCount(12, 8)).toBe(12);
  });

  it('defaults to the number of cores', () => {
    expect(workerCount(0, 8)).toBe(8);
    expect(workerCount(0, 1)).toBe(1);
  });

  it('is at least one, whatever the system reports', () => {
    expect(workerCount(0, 0)).toBe(1);
  });

  it('causes a warning if a reload changes it', () => {
    expect(workerCountWarning(2, 4, 8)).toContain('is now 4 instead of 2');
    expect(workerCountWarning(2, 0, 8)).toContain('is now 8 instead of 2');
    expect(workerCountWarning(2, 0, 2)).toBeNull();
    expect(workerCountWarning(2, 2, 8)).toBeNull();
  });
});
